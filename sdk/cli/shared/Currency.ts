/** The account's currency, which plans and instances do not contain. The charge of a dry run does. */
import type { Instance } from "#contract/Instance"
import * as Effect from "effect/Effect"
import { getClient, isHumanOutput, print } from "../Command.ts"
import { instanceIn } from "./Views.ts"

/** Undefined for a key that must not create, and a plan that is no longer sold. */
const currencyOf = Effect.fnUntraced(function*(serviceId: number) {
  const client = yield* getClient
  return yield* client.instances.dryRun({ service_id: serviceId }).pipe(
    Effect.map(({ data }): string | undefined => data.currency),
    Effect.catchTags({
      BadRequestError: () => Effect.succeed(undefined),
      ForbiddenError: () => Effect.succeed(undefined),
      NotFoundError: () => Effect.succeed(undefined)
    })
  )
})

/** Costs a request for people only: programs read the complete response. */
export const currencyForPeople = Effect.fnUntraced(function*(serviceId: number | undefined) {
  return serviceId !== undefined && (yield* isHumanOutput) ? yield* currencyOf(serviceId) : undefined
})

/** Prints an instance with its price. */
export const printInstance = Effect.fnUntraced(function*(instance: Instance) {
  yield* print(instance, instanceIn(yield* currencyForPeople(instance.order?.service_id)))
})
