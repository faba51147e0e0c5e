/** From what a person calls a plan to the plan. */
import type { PublicPlan } from "#contract/Services"
import * as Effect from "effect/Effect"
import type { Client } from "../../client/Client.ts"
import type { CallFailure } from "../../client/chain/Handler.ts"
import { absent, type Refusal } from "../Refusal.ts"
import { didYouMean } from "../Suggest.ts"

/** The number that a text is, if it is one. */
const idIn = (text: string): number | undefined => /^\d{1,15}$/.test(text) ? Number(text) : undefined

/** The plan of this slug or id among those there are. */
export const planNamed = <Plan extends Pick<PublicPlan, "id" | "slug">>(
  named: string,
  plans: ReadonlyArray<Plan>
): Effect.Effect<Plan, Refusal> => {
  const found = plans.find(({ slug }) => slug === named) ?? plans.find(({ id }) => id === idIn(named))
  return found === undefined
    ? Effect.fail(absent(`There is no plan "${named}" here.`, didYouMean(named, plans.map(({ slug }) => slug))))
    : Effect.succeed(found)
}

/** What the service calls a plan; a slug is looked up in one call, an id in none. */
export const planId = (core: Client, named: string): Effect.Effect<number, CallFailure | Refusal> => {
  const id = idIn(named)
  if (id !== undefined) return Effect.succeed(id)
  return Effect.flatMap(
    core.services.list(),
    ({ data }) => Effect.map(planNamed(named, data), (plan) => plan.id)
  )
}
