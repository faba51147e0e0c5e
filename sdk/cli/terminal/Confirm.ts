/** Confirmation of purchases and of destructive commands. */
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { type CommandError, usageError } from "../errors/CommandError.ts"
import { isInteractive, promptYesNo } from "./Prompt.ts"

/** Skips the confirmation. */
export const yes = Flag.Boolean("yes").pipe(
  Flag.withAlias("y"),
  Flag.withDescription("Skip the confirmation"),
  Flag.withDefault(false)
)

const declined = usageError("Nothing was changed.")

const confirm = (question: string): Effect.Effect<void, CommandError> =>
  Effect.flatMap(promptYesNo(question), (agreed) => agreed ? Effect.void : Effect.fail(declined))

/** Before data is destroyed, a person confirms it, or the command line does with `--yes`. */
export const confirmDataLoss = (agreed: boolean, question: string): Effect.Effect<void, CommandError> =>
  Effect.suspend(() => {
    if (agreed) return Effect.void
    if (isInteractive()) return confirm(question)
    return Effect.fail(usageError("This command destroys data. Nothing was changed.", "Pass --yes to confirm."))
  })

/** A question, with the value that it shows. */
export interface Prompted<A = undefined> {
  readonly question: string
  readonly shown?: A
}

/**
 * Before money is spent, or instances change that a filter selected, a person sees the charge or the instances and
 * confirms. Scripts are not prompted: no data is lost, and they can see the charge with `--dry-run`. Returns what was
 * shown; undefined if nothing was.
 */
export const confirmOnTerminal = <A, E, R>(
  agreed: boolean,
  prompt: Effect.Effect<Prompted<A>, E, R>
): Effect.Effect<A | undefined, E | CommandError, R> =>
  Effect.suspend(() =>
    agreed || !isInteractive()
      ? Effect.succeed(undefined)
      : Effect.flatMap(prompt, ({ question, shown }) => Effect.as(confirm(question), shown))
  )
