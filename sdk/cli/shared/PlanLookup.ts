/** Finds a plan by its slug or ID. */
import type { PublicPlan } from "#contract/Services"
import * as Effect from "effect/Effect"
import type { Client } from "../../client/Client.ts"
import type { CallFailure } from "../../client/errors/Failures.ts"
import { type CommandError, notFoundError } from "../errors/CommandError.ts"
import { didYouMean } from "../errors/Suggestions.ts"
import { parseId, resolveId } from "./InstanceLookup.ts"

/** The plan of a list that has this slug or ID. */
export const matchPlan = <Plan extends Pick<PublicPlan, "id" | "slug">>(
  slugOrId: string,
  plans: ReadonlyArray<Plan>
): Plan | undefined => plans.find(({ slug }) => slug === slugOrId) ?? plans.find(({ id }) => id === parseId(slugOrId))

/** Finds a plan in a list. */
export const findPlan = <Plan extends Pick<PublicPlan, "id" | "slug">>(
  slugOrId: string,
  plans: ReadonlyArray<Plan>
): Effect.Effect<Plan, CommandError> => {
  const found = matchPlan(slugOrId, plans)
  return found === undefined
    ? Effect.fail(notFoundError(`Plan "${slugOrId}" not found.`, didYouMean(slugOrId, plans.map(({ slug }) => slug))))
    : Effect.succeed(found)
}

/** The ID of the plan with a slug or an ID. */
export const resolvePlanId = (client: Client, slugOrId: string): Effect.Effect<number, CallFailure | CommandError> =>
  resolveId(slugOrId, () => client.services.list(), findPlan)
