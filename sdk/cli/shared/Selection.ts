/** Commands that work on several instances: named ones, all, or those that match a filter. */
import * as Argument from "effect/cli/Argument"
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { command, getClient, type ReportedError } from "../Command.ts"
import { notFoundError, usageError } from "../errors/CommandError.ts"
import { filterFlag, parseFilters } from "../output/List.ts"
import { confirmOnTerminal, yes } from "../terminal/Terminal.ts"
import { findInstance, parseId, resolveInstanceId } from "./Lookup.ts"
import { instances as list, parseProviderData } from "./Views.ts"
import type { Failure } from "../output/FailureReport.ts"
import * as Arguments from "./Arguments.ts"

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
