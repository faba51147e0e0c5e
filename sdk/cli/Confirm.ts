/** What must not happen by accident is asked for once more. */
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { misused, type Refusal } from "./Refusal.ts"
import { askYes, canAsk } from "./terminal/Prompt.ts"

/** Says yes beforehand. */
export const yes = Flag.Boolean("yes").pipe(
  Flag.withAlias("y"),
  Flag.withDescription("Do not ask"),
  Flag.withDefault(false)
)

const declined = misused("Nothing was done.")

const asked = (question: string): Effect.Effect<void, Refusal> =>
  Effect.flatMap(askYes(question), (agreed) => agreed ? Effect.void : Effect.fail(declined))

/** Data is about to be lost: a person agrees, or the command line does with `--yes`. */
export const confirmLoss = (agreed: boolean, question: string): Effect.Effect<void, Refusal> =>
  Effect.suspend(() => {
    if (agreed) return Effect.void
    if (canAsk()) return asked(question)
    return Effect.fail(misused("Nothing was done: this destroys data.", "Say that you mean it: --yes"))
  })

/**
 * Money is about to be spent. A person sees how much and agrees; a script has named the plan, which says it all:
 * nothing that it has is lost, and a `--dry-run` tells the price beforehand.
 */
export const confirmCharge = <E, R>(
  agreed: boolean,
  question: Effect.Effect<string, E, R>
): Effect.Effect<void, E | Refusal, R> =>
  Effect.suspend(() => agreed || !canAsk() ? Effect.void : Effect.flatMap(question, asked))
