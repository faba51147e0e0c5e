/** The `Idempotency-Key` header: one key per logical create. */
import * as Schema from "effect/Schema"
import { ErrorType } from "./Primitives.ts"

/** Longest key, in characters: long enough for a URN, short enough for an index. */
export const IDEMPOTENCY_KEY_MAX = 255

const CHARACTERS = `[\\x21-\\x7e]{1,${IDEMPOTENCY_KEY_MAX}}`
// As it is, or in quotes: a pair of quotes around nothing is no key.
const FORM = new RegExp(`^(?!""$)(?:${CHARACTERS}|"${CHARACTERS}")$`)
const message = `Input should be 1 to ${IDEMPOTENCY_KEY_MAX} visible ASCII characters, sent once`

/** As sent, quotes included; `unquote` gives the key. Two headers arrive joined by a blank and are refused. */
export const IdempotencyKeyHeader = Schema.String.check(
  Schema.makeFilter<string>((value) => FORM.test(value), {
    message,
    expected: message,
    toJsonSchema: () => ({ pattern: FORM.source }),
    [ErrorType]: "value_error"
  })
).annotate({ description: "Unique key per logical create, 1 to 255 visible ASCII characters" })

/** The key itself: one pair of quotes is stripped. */
export const unquote = (header: string): string =>
  header.length > 2 && header.startsWith("\"") && header.endsWith("\"") ? header.slice(1, -1) : header
