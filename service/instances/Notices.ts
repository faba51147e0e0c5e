/** Emails to customers and to the people of the panel. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { Caller } from "../domain/Caller.ts"
import type { Permission } from "../contract/Words.ts"

export interface PasswordReset {
  readonly caller: Caller
  readonly instanceId: number
  readonly hostname: string | null
  /** The owner's address. */
  readonly email: string
  readonly password: Redacted.Redacted<string>
  /** Epoch milliseconds. */
  readonly resetAt: number
}

export interface LinkNotice {
  readonly email: string
  /** The link, which signs in any client that has it. */
  readonly link: Redacted.Redacted<string>
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

export interface InvitationNotice extends LinkNotice {
  /** The address of the member who invites; the host's name for an operator, null if it has none. */
  readonly invitedBy: string | null
  /** As its members see it in a list; undefined for an operator without one. */
  readonly account: string | undefined
  readonly permission: Permission
}

export interface SignInNotice {
  readonly email: string
  readonly method: "link" | "passkey"
  readonly address: string
  /** The browser's description of itself. */
  readonly agent: string
  /** Epoch milliseconds. */
  readonly at: number
}

export class Notices extends Context.Service<Notices, {
  /** Sends a copy in the background: it neither delays nor fails the request. The feed shows a failure. */
  readonly passwordReset: (notice: PasswordReset) => Effect.Effect<void>
  /** Sends an invitation; waits until it is sent. False if it could not be. */
  readonly invited: (notice: InvitationNotice) => Effect.Effect<boolean>
  /** Sends a link that signs in; waits until it is sent. False if it could not be. */
  readonly linked: (notice: LinkNotice) => Effect.Effect<boolean>
  /** The same in the background, if there is one to send once `made` has ended. */
  readonly requestedLink: (made: Effect.Effect<LinkNotice | undefined, unknown>) => Effect.Effect<void>
  /** Reports a sign-in to the panel, in the background. */
  readonly signedIn: (notice: SignInNotice) => Effect.Effect<void>
}>()("@pulumi-vps/service/Notices") {}
