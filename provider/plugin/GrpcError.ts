/** What the engine is told when a call fails. */
import type { Metadata } from "@grpc/grpc-js"
import { explain, type PartialCreateError, UserError } from "../api/Errors.ts"
import { any, grpc, provider, status } from "./Proto.ts"
import { encode, type Secrecy } from "./Values.ts"

/** As the server of the protocol wants it. */
export interface GrpcError {
  readonly code: number
  readonly details: string
  readonly metadata?: Metadata
}

/** The request itself is wrong: nobody but the engine's or a client's author can do something about it. */
export class BadRequest extends Error {}

/** `name`: how the user calls the resource, where it is about one. */
export const grpcErrorOf = (error: unknown, name: string | undefined): GrpcError => {
  if (error instanceof BadRequest) return { code: grpc.status.INVALID_ARGUMENT, details: error.message }
  const text = explain(error)
  // Our own problems name the resource; an error of the API does not know it.
  const details = name === undefined || error instanceof UserError ? text : `${name}: ${text}`
  // Not UNKNOWN, UNAVAILABLE or UNIMPLEMENTED: the engine and its clients read a meaning of their own into these.
  return { code: grpc.status.FAILED_PRECONDITION, details }
}

const DETAIL_TYPE = "pulumirpc.ErrorResourceInitFailed"

/** The resource exists, and is not finished: the engine stores it, and calls `update` next time. */
export const partialCreateErrorOf = (
  { properties, reasons, resourceId }: PartialCreateError,
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
