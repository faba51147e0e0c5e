/** Finds images, plans and instances by the words that a person types. */
import * as Effect from "effect/Effect"
import type { Client } from "../../client/Client.ts"
import type { CallFailure } from "../../client/errors/ApiErrors.ts"
import { type CommandError, didYouMean, notFoundError, usageError } from "../errors/CommandError.ts"
import type { PublicPlan } from "#contract/Services"
import type { Instance } from "#contract/Instance"
import { instanceIn, parseProviderData } from "./Views.ts"
import { getClient, isHumanOutput, print } from "../Command.ts"

// Explains that a plan does not have an image, with similar names, as for a plan that does not exist.

/** Requests the plan's images only after the service has refused one. */
export const explainImage = <A>(
  request: Effect.Effect<A, CallFailure>,
  client: Client,
  os: string | undefined,
  serviceId: Effect.Effect<number, CallFailure>
): Effect.Effect<A, CallFailure | CommandError> =>
  Effect.catchTag(
    request,
    "ValidationError",
    Effect.fnUntraced(function*(refused) {
      const isAboutImage = refused.issues.some(({ loc }) => loc.at(-1) === "os")
      if (os === undefined || !isAboutImage) return yield* Effect.fail(refused)
      const { data } = yield* client.services.osOptions(yield* serviceId)
      const slugs = (data.os_options ?? []).map(({ slug }) => slug)
      if (slugs.includes(os)) return yield* Effect.fail(refused)
      return yield* notFoundError(`Image "${os}" is not available for this plan.`, didYouMean(os, slugs))
    })
  )

// Finds an instance by its ID or hostname.

/** The ID that a text is. The last label of a hostname is never a number, so a hostname is never an ID. */
export const parseId = (text: string): number | undefined => /^\d{1,15}$/.test(text) ? Number(text) : undefined

const hostnameOf = (instance: Instance): string | undefined => parseProviderData(instance).hostname

const describe = ({ id, ipv4, order, status }: Instance): string =>
  `${id} (${[status, order.service.slug, ...(ipv4 ? [ipv4] : [])].join(", ")})`

/** Finds an instance in a list. Hostnames have no case. A failed one is only meant if no other has its hostname. */
export const findInstance = (
  named: string,
  instances: ReadonlyArray<Instance>
): Effect.Effect<Instance, CommandError> => {
  const id = parseId(named)
  const matches = instances.filter((each) =>
    id === undefined ? hostnameOf(each)?.toLowerCase() === named.toLowerCase() : each.id === id
  )
  const usable = matches.filter(({ status }) => status !== "failed")
  const [found, ...others] = usable.length > 0 ? usable : matches
  if (found === undefined) {
    const hint = didYouMean(named, instances.flatMap((each) => hostnameOf(each) ?? []))
    return Effect.fail(notFoundError(`Instance "${named}" not found.`, hint))
  }
  if (others.length === 0) return Effect.succeed(found)
  const candidates = [found, ...others]
  return Effect.fail(usageError(
    `${candidates.length} instances have the hostname ${named}: ${candidates.map(describe).join(", ")}.`,
    "Use the ID of one."
  ))
}

/** Resolves a name with one request, and an ID without a request. */
const resolveId = <Item extends { readonly id: number }>(
  named: string,
  list: () => Effect.Effect<{ readonly data: ReadonlyArray<Item> }, CallFailure>,
  find: (named: string, all: ReadonlyArray<Item>) => Effect.Effect<Item, CommandError>
): Effect.Effect<number, CallFailure | CommandError> => {
  const id = parseId(named)
  return id === undefined
    ? Effect.flatMap(list(), ({ data }) => Effect.map(find(named, data), (found) => found.id))
    : Effect.succeed(id)
}

/** The ID of the instance with a hostname or an ID. */
export const resolveInstanceId = (client: Client, named: string): Effect.Effect<number, CallFailure | CommandError> =>
  resolveId(named, () => client.instances.list(), findInstance)

// Finds a plan by its slug or ID.

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

// The account's currency, which plans and instances do not contain. The charge of a dry run does.

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
