/** Sending mail. Which way it goes is App's choice. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

/** It was not taken; `reason` names no content. */
export class MailFailed extends Schema.TaggedError<MailFailed>()("MailFailed", { reason: Schema.String }) {}

export interface Mail {
  readonly to: string
  readonly subject: string
  /** Plain text; it may hold a password, so it must not reach a log. */
  readonly text: Redacted.Redacted<string>
}

export class Mailer extends Context.Service<Mailer, {
  /** Hands one mail over, with one try. */
  readonly send: (mail: Mail) => Effect.Effect<void, MailFailed>
}>()("pulumi-vps/service/Mailer") {}
