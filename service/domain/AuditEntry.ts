/** An act as the audit log records it. */
import type { ActorKind, Outcome } from "../contract/Words.ts"

/** The author of an act. */
export interface Actor {
  readonly kind: ActorKind
  /** Null unless it is a person. */
  readonly personId: number | null
  /** E-mail address of a person, or name of the user of the operating system. */
  readonly name: string
  /** Address of the client, or name of the host that the command ran on. */
  readonly from: string
  /** The `X-Request-Id` of the request; null for a command. */
  readonly requestId: string | null
}

export interface AuditEntry {
  /** 1 for the first entry, without gaps. */
  readonly seq: number
  /** Epoch milliseconds. */
  readonly at: number
  readonly actor: Actor
  /** A command's name like `instances.suspend`, or another act like `sign_in.passkey`. */
  readonly action: string
  readonly accountId: number | null
  readonly instanceId: number | null
  /** JSON text of an object, without secrets. */
  readonly details: string
  readonly outcome: Outcome
  /** Null if the act is done. */
  readonly error: string | null
  /** The hash of the entry before it; of the first entry, 64 zeros. */
  readonly previous: string
  /** SHA-256 of all of the above, in hexadecimal digits. */
  readonly hash: string
}
