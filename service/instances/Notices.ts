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

export class Notices extends Context.Service<Notices, {
  /** Sends a copy in the background: it neither delays nor fails the request. The feed shows a failure. */
  readonly passwordReset: (notice: PasswordReset) => Effect.Effect<void>
}>()("pulumi-vps/service/Notices") {}
