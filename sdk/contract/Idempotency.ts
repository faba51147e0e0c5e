/** The `Idempotency-Key` header: one key per logical create. */
import * as Schema from "effect/Schema"
import { ErrorType } from "./Primitives.ts"

/** Longest key, in characters: long enough for a URN, short enough for an index. */
export const IDEMPOTENCY_KEY_MAX = 255

const CHARACTERS = `[\\x21-\\x7e]{1,${IDEMPOTENCY_KEY_MAX}}`
// With or without quotes; an empty pair of quotes is not a key.
const FORM = new RegExp(`^(?!""$)(?:${CHARACTERS}|"${CHARACTERS}")$`)
const message = `Input should be 1 to ${IDEMPOTENCY_KEY_MAX} visible ASCII characters, sent once`

/** The header's value with its quotes; `unquote` removes them. Two headers arrive joined by a space and are invalid. */
export const IdempotencyKeyHeader = Schema.String.check(
  Schema.makeFilter<string>((value) => FORM.test(value), {
    message,
    expected: message,
    toJsonSchema: () => ({ pattern: FORM.source }),
    [ErrorType]: "value_error"
  })
).annotate({ description: "Unique key per logical create, 1 to 255 visible ASCII characters" })

/** The key without its quotes. */
export const unquote = (header: string): string =>
  header.length > 2 && header.startsWith("\"") && header.endsWith("\"") ? header.slice(1, -1) : header
