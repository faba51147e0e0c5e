/**
 * Adds one idempotency key per purchase, made before the first attempt and sent with all of them, and rejects the
 * response to a key that has bought something else.
 */
import * as Effect from "effect/Effect"
import type { Handler } from "./Handler.ts"
import type { ApiResponse } from "./ApiResponse.ts"
import { ArgumentError, IdempotencyMismatchError } from "../errors/Errors.ts"
import { IDEMPOTENCY_KEY_MAX } from "../options/Limits.ts"
import type { Instance } from "../Records.ts"
import { contextOf, type Request } from "./Request.ts"

const FORM = new RegExp(`^[\\x21-\\x7e]{1,${IDEMPOTENCY_KEY_MAX}}$`)
const PROBLEM = `idempotencyKey must be 1 to ${IDEMPOTENCY_KEY_MAX} visible ASCII characters`

/** The fields in which the order differs from the one that the key bought. */
const differingFields = ({ response }: ApiResponse<unknown>): ReadonlyArray<string> =>
  (response.headers["idempotent-mismatch"] ?? "").split(",").map((field) => field.trim()).filter(Boolean)

/** Success would hide that another plan was bought before, and nothing now. */
const rejectMismatch = (request: Request) => (answer: ApiResponse<unknown>) => {
  const fields = request.onMismatch === "accept" ? [] : differingFields(answer)
  if (fields.length === 0) return Effect.succeed(answer)
  const context = { ...contextOf(request), requestId: answer.response.requestId }
  return Effect.fail(new IdempotencyMismatchError(answer.data as Instance, fields, context))
}

/** Only purchases get a generated key. A dry run sends a key only if the caller passes one, to preview its effect. */
export const withIdempotencyKey = (next: Handler): Handler => (request) => {
  const own = request.idempotencyKey
  const isPurchase = request.operation.retry === "purchase"
  if (own === undefined && !isPurchase) return next(request)
  return Effect.suspend(() => {
    const key = own ?? `sdk-${globalThis.crypto.randomUUID()}`
    if (!FORM.test(key)) {
      // The error does not carry the key: a program must not resume with a key that was never sent.
      return Effect.fail(new ArgumentError(PROBLEM, { ...contextOf(request), idempotencyKey: undefined }))
    }
    const keyed = { ...request, idempotencyKey: key, headers: { ...request.headers, "idempotency-key": key } }
    return isPurchase ? Effect.flatMap(next(keyed), rejectMismatch(keyed)) : next(keyed)
  })
}
