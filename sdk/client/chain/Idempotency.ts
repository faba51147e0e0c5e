/** Adds one idempotency key per purchase, made before the first attempt and sent with all of them. */
import * as Effect from "effect/Effect"
import { randomUUID } from "node:crypto"
import type { Handler } from "./Handler.ts"
import { ArgumentError } from "../errors/Errors.ts"
import { IDEMPOTENCY_KEY_MAX } from "../options/Limits.ts"
import { contextOf } from "./Request.ts"

const FORM = new RegExp(`^[\\x21-\\x7e]{1,${IDEMPOTENCY_KEY_MAX}}$`)
const PROBLEM = `idempotencyKey must be 1 to ${IDEMPOTENCY_KEY_MAX} visible ASCII characters`

/** Only purchases get a generated key. A dry run sends a key only if the caller passes one, to preview its effect. */
export const withIdempotencyKey = (next: Handler): Handler => (request) => {
  const own = request.idempotencyKey
  if (own === undefined && request.operation.retry !== "purchase") return next(request)
  return Effect.suspend(() => {
    const key = own ?? `sdk-${randomUUID()}`
    if (!FORM.test(key)) {
      // The error does not carry the key: a program must not resume with a key that was never sent.
      return Effect.fail(new ArgumentError(PROBLEM, { ...contextOf(request), idempotencyKey: undefined }))
    }
    return next({ ...request, idempotencyKey: key, headers: { ...request.headers, "idempotency-key": key } })
  })
}
