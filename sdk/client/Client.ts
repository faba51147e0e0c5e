/**
 * The client as Effects, with every failure in the type. The Promise client and the Effect layer stand on this;
 * nothing above it has logic of its own.
 */
import type { Instance } from "#contract/Instance"
import * as Effect from "effect/Effect"
import type { Call, Caller } from "./calls/Caller.ts"
import {
  accountCalls,
  backupCalls,
  isoCalls,
  monitoringCalls,
  powerCalls,
  serviceCalls,
  snapshotCalls
} from "./calls/Calls.ts"
import { instanceCalls } from "./calls/InstanceCalls.ts"
import { rescueCalls } from "./calls/RescueCalls.ts"
import { taskCalls } from "./calls/TaskCalls.ts"
import { assembleChain } from "./chain/Chain.ts"
import { settingsOf } from "./options/Config.ts"
import { InFlight } from "./chain/InFlight.ts"
import type { OperationName } from "./calls/Operations.ts"
import type { ClientOptions, CreateOptions } from "./options/Options.ts"
import { build, type CallInput } from "./chain/Request.ts"
import { makeTransport, type Transport } from "./chain/Transport.ts"
import { PollScheduler } from "./wait/PollScheduler.ts"

export type Client = ReturnType<typeof makeClient>

/** Makes the client; nothing is read, opened or sent before the first call. */
export const makeClient = (options: ClientOptions, transport: Transport = makeTransport(options.dispatcher)) => {
  const settings = settingsOf(options)
  const gate = new InFlight()
  const handle = assembleChain(settings, transport, gate)
  const call: Caller = <T>(name: OperationName, input: CallInput, own: CreateOptions = {}): Call<T> =>
    // The host's JSON is taken at its word: fields and statuses that the contract does not know come through.
    Effect.flatMap(build(settings, name, input, own), (request) => handle(request)) as Call<T>
  // Without retries: the waits that share it come again by themselves.
  const turns = new PollScheduler(call<ReadonlyArray<Instance>>("instances.list", {}, { maxRetries: 0 }))

  return {
    account: accountCalls(call),
    services: serviceCalls(call),
    instances: instanceCalls(call, turns),
    monitoring: monitoringCalls(call),
    tasks: taskCalls(call),
    power: powerCalls(call),
    snapshots: snapshotCalls(call),
    backups: backupCalls(call),
    isos: isoCalls(call),
    rescue: rescueCalls(call, turns),
    /** Lets the calls under way finish, then closes the connections; later calls are refused. */
    close: Effect.andThen(gate.close, transport.close)
  }
}
