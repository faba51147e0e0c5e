/** Sends mail. `App` picks the implementation. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

/**
 * The mail could not be sent. `reason` contains nothing of its text. `isRefused`: the server refuses its address
 * permanently, so another attempt would fail, too.
 */
export class MailFailed extends Schema.TaggedError<MailFailed>()("MailFailed", {
  reason: Schema.String,
  isRefused: Schema.Boolean
}) {}

export interface Mail {
  readonly to: string
  readonly subject: string
  /** Plain text. It may contain a password, so it must not be logged. */
  readonly text: Redacted.Redacted<string>
  /** The same for each attempt to send it, so that mail programs show it once; undefined if there are no others. */
  readonly id?: string
}

export class Mailer extends Context.Service<Mailer, {
  /** Sends a mail, in one attempt. */
  readonly send: (mail: Mail) => Effect.Effect<void, MailFailed>
}>()("@pulumi-vps/service/Mailer") {}
