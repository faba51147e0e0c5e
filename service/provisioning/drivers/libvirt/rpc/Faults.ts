/** The failures of a call: libvirt rejected it, or its outcome is unknown. */
import type { Fault } from "./Types.ts"

/** The daemon executed the call, which failed. `code` is a `virErrorNumber`. */
export class LibvirtError extends Error {
  readonly _tag = "LibvirtError"
  readonly code: number
  readonly procedure: string

  constructor(procedure: string, { code, message }: Pick<Fault, "code" | "message">) {
    super(`${procedure}: ${message ?? "failed"} (libvirt error ${code})`)
    this.code = code
    this.procedure = procedure
  }
}

/** The connection could not be made or was lost, or no answer came in time: the call may have been executed. */
export class ConnectionLost extends Error {
  readonly _tag = "ConnectionLost"
}

/** A guest agent replied with another thing than the result of its command. */
export class AgentFault extends Error {
  readonly _tag = "AgentFault"
}

/** The error numbers that this driver distinguishes. */
export const CODES = {
  INTERNAL: 1,
  NO_SUPPORT: 3,
  INVALID_ARGUMENT: 8,
  OPERATION_FAILED: 9,
  XML: 35,
  SYSTEM: 38,
  NO_DOMAIN: 42,
  NO_POOL: 49,
  NO_VOLUME: 50,
  OPERATION_INVALID: 55,
  NO_INTERFACE: 57,
  NO_FILTER: 62,
  UNSUPPORTED: 67,
  TIMEOUT: 68,
  NO_SNAPSHOT: 72,
  NO_METADATA: 80,
  BLOCK_JOB_ACTIVE: 83,
  AGENT: 86,
  VOLUME_EXISTS: 90,
  SCHEMA: 92,
  NO_BINDING: 101
} as const
