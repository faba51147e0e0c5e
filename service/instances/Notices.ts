/** Emails to customers. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { Caller } from "../domain/Caller.ts"

export interface PasswordReset {
  readonly caller: Caller
  readonly instanceId: number
  /** The owner's address. */
  readonly email: string
  readonly password: Redacted.Redacted<string>
}

export interface CorrectionNotice {
  readonly instanceId: number
  /** The owner's address. */
  readonly email: string
  readonly type: "undo_renew" | "undo_expire"
  /** The correction, in sentences. */
  readonly text: string
  /** The end of the paid period, in epoch milliseconds. */
  readonly expiresAt: number
}

export class Notices extends Context.Service<Notices, {
  /** Sends a copy in the background: it neither delays nor fails the request. The feed shows a failure. */
  readonly passwordReset: (notice: PasswordReset) => Effect.Effect<void>
  /** Says what was corrected; waits until it is sent. False if it could not be, which the feed shows. */
  readonly corrected: (notice: CorrectionNotice) => Effect.Effect<boolean>
}>()("pulumi-vps/service/Notices") {}
