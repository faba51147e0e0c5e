/** Finds an instance by its ID or hostname. */
import type { Instance } from "#contract/Instance"
import * as Effect from "effect/Effect"
import type { Client } from "../../client/Client.ts"
import type { CallFailure } from "../../client/errors/Failures.ts"
import { type CommandError, notFoundError, usageError } from "../errors/CommandError.ts"
import { didYouMean } from "../errors/Suggestions.ts"
import { parseProviderData } from "./ProviderData.ts"

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
export const resolveId = <Item extends { readonly id: number }>(
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
