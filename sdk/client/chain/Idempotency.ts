/** One key per purchase, made before the first attempt and sent on every one. */
import * as Effect from "effect/Effect"
import { randomUUID } from "node:crypto"
import type { Handler } from "./Handler.ts"
import { ArgumentError } from "../errors/Errors.ts"
import { IDEMPOTENCY_KEY_MAX } from "../options/Limits.ts"
import { contextOf } from "./Request.ts"

const FORM = new RegExp(`^[\\x21-\\x7e]{1,${IDEMPOTENCY_KEY_MAX}}$`)
const PROBLEM = `idempotencyKey must be 1 to ${IDEMPOTENCY_KEY_MAX} visible ASCII characters`

/** Only a purchase gets a key of its own; a dry run carries one only when asked, to say what that key would do. */
export const withIdempotencyKey = (next: Handler): Handler => (request) => {
  const given = request.idempotencyKey
  if (given === undefined && request.operation.retry !== "purchase") return next(request)
  return Effect.suspend(() => {
    const key = given ?? `sdk-${randomUUID()}`
    if (!FORM.test(key)) {
      // The key itself stays out of the error's fields: a program must not resume with one that was never sent.
      return Effect.fail(new ArgumentError(PROBLEM, { ...contextOf(request), idempotencyKey: undefined }))
    }
    return next({ ...request, idempotencyKey: key, headers: { ...request.headers, "idempotency-key": key } })
  })
}
