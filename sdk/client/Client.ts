/**
 * The client: every call as an Effect that has its errors in the type. The Promise client and the Effect service are
 * derived from it and have no logic of their own.
 */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import { accountBalance, type Bulk, bulk, instanceWaits, rescueWaits, taskPages } from "./calls/Combined.ts"
import { type Caller, type Calls, callsOf } from "./calls/Endpoint.ts"
import { endpoints } from "./calls/Endpoints.ts"
import { assembleChain, InFlight } from "./chain/Chain.ts"
import { anyHost } from "./AnyHost.ts"
import { dispatcherTransport } from "./chain/DispatcherTransport.ts"
import { fetchTransport } from "./chain/FetchTransport.ts"
import { observersOf } from "./chain/Retry.ts"
import { buildRequest } from "./chain/Request.ts"
import type { Transport } from "./chain/Transport.ts"
import { settingsOf } from "./options/Config.ts"
import type { ClientOptions } from "./options/Options.ts"
import { PollScheduler } from "./wait/PollScheduler.ts"

type Groups = { readonly [Group in keyof typeof endpoints]: Calls<(typeof endpoints)[Group]> }

export interface Client extends Omit<Groups, "account" | "instances" | "rescue"> {
  readonly account: Groups["account"] & ReturnType<typeof accountBalance>
  readonly instances: Groups["instances"] & ReturnType<typeof instanceWaits>
  readonly rescue: Groups["rescue"] & ReturnType<typeof rescueWaits>
  readonly tasks: ReturnType<typeof taskPages>
  readonly bulk: Bulk
  /** Lets running calls finish and then closes the connections. Later calls are refused. */
  readonly close: Effect.Effect<void>
}

/** `fetch` if the caller passes one; else a dispatcher. The build for other runtimes has `fetch` only. */
const makeTransport = ({ dispatcher, fetch }: ClientOptions): Transport =>
  fetch === undefined ? dispatcherTransport(dispatcher) : fetchTransport(fetch)

/** Makes a client. Nothing is opened or sent before the first call. */
export const makeClient = (
  options: ClientOptions,
  transport: Transport = makeTransport(options)
): Client => {
  const settings = settingsOf(options)
  const inFlight = new InFlight()
  const handle = assembleChain(settings, observersOf(options), transport, inFlight)
  const call: Caller = (operation, input, options = {}) =>
    Effect.flatMap(buildRequest(settings, operation, input, options), handle)
  // The types of the data are those of the documented service. Unless `decode` is "strict", responses pass through as
  // they are.
  const groups = Object.fromEntries(
    Object.entries(endpoints).map(([name, group]) => [name, callsOf(group, call)])
  ) as unknown as Groups
  const { account, instances, rescue } = groups
  // The combined calls work with any host, so they read no field that it may lack.
  const host = anyHost(groups)
  // Without retries: the waits that share the request poll again anyway.
  const scheduler = new PollScheduler(instances.list({ maxRetries: 0 }))
  const waits = instanceWaits(host.instances, host.monitoring, scheduler)
  // Orders go one after the other, and only the waits for their deployments run at once: orders that meet a host's rate
  // limit together would use up each other's retries.
  const turn = Semaphore.makeUnsafe(1)
  const createInTurn: typeof instances.create = (...order) => turn.withPermit(instances.create(...order))
  const bulkWaits = instanceWaits({ ...host.instances, create: createInTurn }, host.monitoring, scheduler)
  return {
    ...groups,
    account: { ...account, ...accountBalance(host.services, host.instances) },
    instances: { ...instances, ...waits },
    bulk: bulk(bulkWaits),
    rescue: { ...rescue, ...rescueWaits(host.rescue, host.monitoring, host.power, host.instances, scheduler) },
    tasks: taskPages(host.monitoring),
    close: Effect.andThen(inFlight.close, transport.close)
  }
}
