/** The errors that the engine gets when a call fails. */
import type { Metadata } from "@grpc/grpc-js"
import { explain, type PartialCreateError, UserError } from "../api/Errors.ts"
import { any, grpc, provider, status } from "./Proto.ts"
import { encode, type Secrecy } from "./Values.ts"

/** The shape that the gRPC server expects. */
export interface GrpcError {
  readonly code: number
  readonly details: string
  readonly metadata?: Metadata
}

/** The request itself is invalid: only the author of the engine or of a client can fix it. */
export class BadRequest extends Error {}

/** `name`: the name of the resource in the program, if the call has one. */
export const grpcErrorOf = (error: unknown, name: string | undefined): GrpcError => {
  if (error instanceof BadRequest) return { code: grpc.status.INVALID_ARGUMENT, details: error.message }
  const text = explain(error)
  // Our own errors name the resource; errors of the API do not.
  const details = name === undefined || error instanceof UserError ? text : `${name}: ${text}`
  // Not UNKNOWN, UNAVAILABLE or UNIMPLEMENTED, which have a meaning of their own to the engine and its clients.
  return { code: grpc.status.FAILED_PRECONDITION, details }
}

const DETAIL_TYPE = "pulumirpc.ErrorResourceInitFailed"

/** The resource exists but is not ready: the engine stores it, and calls `update` in the next run. */
export const partialCreateErrorOf = (
  { properties, resourceId }: PartialCreateError,
  reasons: ReadonlyArray<string>,
  secrecy: Secrecy
): GrpcError => {
  const failed = new provider.ErrorResourceInitFailed()
  failed.setId(resourceId)
  failed.setProperties(encode(properties, secrecy))
  failed.setReasonsList([...reasons])
  const detail = new any.Any()
  detail.pack(failed.serializeBinary(), DETAIL_TYPE)
  const message = new status.Status()
  message.setCode(grpc.status.UNKNOWN)
  message.setMessage(reasons.join("\n"))
  message.addDetails(detail)
  const metadata = new grpc.Metadata()
  metadata.add("grpc-status-details-bin", Buffer.from(message.serializeBinary()))
  return { code: grpc.status.UNKNOWN, details: reasons.join("\n"), metadata }
}
