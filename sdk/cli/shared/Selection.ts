/** Finds what a command is about: instances, plans, images by name or ID, one or a selection. */
import * as Effect from "effect/Effect"
import * as Argument from "effect/cli/Argument"
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Arguments from "./Arguments.ts"
import type { HostClient } from "../HostClient.ts"
import type { CallFailure } from "../../client/errors/ApiErrors.ts"
import { didYouMean, shortList } from "../../Suggestions.ts"
import { type CommandError, notFoundError, usageError } from "../errors/CommandError.ts"
import type { PublicPlan } from "@pulumi-vps/contract/Services"
import type { Instance } from "@pulumi-vps/contract/Instance"
import { instanceIn, instances as list, parseProviderData } from "./Views.ts"
import { command, getClient, isHumanOutput, print, type ReportedError } from "../Command.ts"
import { filterFlag, parseFilters } from "../output/List.ts"
import { confirmOnTerminal, yes } from "../terminal/Terminal.ts"
import type { Failure } from "../output/FailureReport.ts"

// Explains that a plan does not have an image, with similar names, as for a plan that does not exist.

/** Requests the plan's images only after the service has refused one. */
export const explainImage = <A>(
  request: Effect.Effect<A, CallFailure>,
  client: HostClient,
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
const parseId = (text: string): number | undefined => /^\d{1,15}$/.test(text) ? Number(text) : undefined

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
    `${candidates.length} instances have the hostname ${named}: ${shortList(candidates.map(describe))}.`,
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
const resolveInstanceId = (client: HostClient, named: string): Effect.Effect<number, CallFailure | CommandError> =>
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
export const resolvePlanId = (
  client: HostClient,
  slugOrId: string
): Effect.Effect<number, CallFailure | CommandError> => resolveId(slugOrId, () => client.services.list(), findPlan)

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

// A subcommand whose first argument names an instance.

/** An ID needs no client, so that a usage error is reported before the missing login. */
const resolve = (named: string) => {
  const id = parseId(named)
  return id === undefined
    ? Effect.flatMap(getClient, (client) => resolveInstanceId(client, named))
    : Effect.succeed(id)
}

interface Identified {
  readonly id: number
}

/** Makes a subcommand that gets the instance's ID. The argument is an ID or a hostname. */
export const instanceCommand = <const Name extends string, const Config extends Command.Command.Config, R>(
  name: Name,
  config: Config,
  run: (
    input: Command.Command.Config.Infer<Config> & Identified
  ) => Effect.Effect<void, Failure | ReportedError, R>
) =>
  command(
    name,
    { instance: Arguments.instance, config },
    ({ config, instance }) =>
      Effect.flatMap(resolve(instance), (id) => run({ ...config as object, id } as Parameters<typeof run>[0]))
  )

export const selection = {
  named: Argument.String("instance").pipe(
    Argument.withDescription("IDs or hostnames of instances"),
    Argument.variadic()
  ),
  all: Flag.Boolean("all").pipe(
    Flag.withDescription("All instances, except failed ones"),
    Flag.withoutNegation,
    Flag.withDefault(false)
  ),
  filter: filterFlag.pipe(Flag.withDescription("Instances that match, as in \"vps instance list\"; repeatable")),
  yes
}
export type Selection = Command.Command.Config.Infer<typeof selection>

export interface Selected {
  readonly ids: ReadonlyArray<number>
  /** False if the user named one instance, whose result is printed alone. */
  readonly isBulk: boolean
}

const byName = Effect.fnUntraced(function*(named: ReadonlyArray<string>) {
  const ids = named.flatMap((each) => parseId(each) ?? [])
  if (ids.length === named.length) return ids
  const { data } = yield* (yield* getClient).instances.list()
  return yield* Effect.forEach(named, (each) => Effect.map(findInstance(each, data), ({ id }) => id))
})

/** Instances that the user did not name are listed before anything changes, if a person can confirm. */
const byFilter = Effect.fnUntraced(function*(verb: string, { all, filter, yes }: Selection) {
  const test = yield* parseFilters(list.columns, filter)
  const { data } = yield* (yield* getClient).instances.list()
  const found = data.filter((each) => all ? each.status !== "failed" : test(each))
  if (found.length === 0) return yield* notFoundError("No instance matches.", "See them: vps instance list")
  const names = found.map((each) => parseProviderData(each).hostname ?? each.id).join(", ")
  yield* confirmOnTerminal(yes, Effect.succeed({ question: `${verb} ${found.length} instances (${names})?` }))
  return found.map(({ id }) => id)
})

/** Finds the instances. `verb` begins the question. */
export const select = Effect.fnUntraced(function*(verb: string, wanted: Selection) {
  const { all, filter, named } = wanted
  const ways = [named.length > 0, all, filter.length > 0].filter(Boolean).length
  if (ways !== 1) {
    const problem = ways === 0 ? "No instance is named." : "Instances are selected in more than one way."
    return yield* usageError(problem, "Name instances, or pass --all or --filter.")
  }
  const ids = named.length > 0 ? yield* byName(named) : yield* byFilter(verb, wanted)
  const selected: Selected = { ids: [...new Set(ids)], isBulk: named.length !== 1 }
  return selected
})
