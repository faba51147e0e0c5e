/**
 * Commands of the guest agent, which runs in the customer's system: its replies may be anything, and may never come.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { realSleep } from "../../../runtime/Time.ts"
import { AgentFault, ConnectionLost, type LibvirtError } from "./rpc/Faults.ts"
import { PROCEDURES as CALLS } from "./rpc/Procedures.ts"
import type { Domain } from "./rpc/Types.ts"
import type { CallFault, HostConnection } from "./HostConnection.ts"

/** A machine whose agent is called. */
export interface Guest {
  readonly connection: HostConnection
  readonly domain: Domain
}

/** Until an agent that is connected has replied. */
const REPLY_SECONDS = 2
const LOGGED_MAX = 200

const decodeReply = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Struct({ return: Schema.Unknown })))

/** A command; its result as the schema has it. Fails with `AgentFault` for any other reply. */
const call = <A>(
  { domain, connection }: Guest,
  result: Schema.Decoder<A>,
  execute: string,
  args: object = {},
  seconds: number = REPLY_SECONDS
): Effect.Effect<A, CallFault> =>
  Effect.flatMap(
    connection.slow(CALLS.agent, [domain, JSON.stringify({ execute, arguments: args }), seconds, 0]),
    (reply) =>
      decodeReply(reply).pipe(
        Effect.flatMap((decoded) => Schema.decodeUnknownEffect(result)(decoded.return)),
        Effect.mapError(() => {
          const text = JSON.stringify(reply).slice(0, LOGGED_MAX)
          return new AgentFault(`The guest agent of ${domain.name} replied to ${execute} with ${text}.`)
        })
      )
  )

/** Succeeds if the agent replies. */
export const ping = (guest: Guest): Effect.Effect<void, CallFault> =>
  Effect.asVoid(call(guest, Schema.Unknown, "guest-ping"))

const Started = Schema.Struct({ pid: Schema.Int })
const Exit = Schema.Struct({ exited: Schema.Boolean, exitcode: Schema.optionalKey(Schema.Int) })

/** The pauses between polls double; together they last half a minute. */
const PAUSE_MILLIS = { first: 20, longest: 1_000 }
const POLLS_MAX = 35

/** Executes a command in the guest. Its exit code; undefined if it does not end within half a minute. */
export const execute = Effect.fnUntraced(function*(guest: Guest, path: string, arg: ReadonlyArray<string>) {
  const { pid } = yield* call(guest, Started, "guest-exec", { path, arg })
  let pause = PAUSE_MILLIS.first
  for (let poll = 0; poll < POLLS_MAX; poll++) {
    const { exitcode, exited } = yield* call(guest, Exit, "guest-exec-status", { pid })
    if (exited) return exitcode
    yield* realSleep(pause)
    pause = Math.min(2 * pause, PAUSE_MILLIS.longest)
  }
  return undefined
})

/** The agent could not do it: nothing is known of the machine's host. */
export const isGuests = (error: CallFault): error is LibvirtError | AgentFault => !(error instanceof ConnectionLost)

/** True while file systems are frozen. */
export const isFrozen = (guest: Guest): Effect.Effect<boolean, CallFault> =>
  Effect.map(
    call(guest, Schema.Literals(["frozen", "thawed"]), "guest-fsfreeze-status"),
    (status) => status === "frozen"
  )

/** Writes everything to the disks, and lets the system write nothing more. Returns the number of file systems. */
export const freeze = (guest: Guest, seconds: number): Effect.Effect<number, CallFault> =>
  call(guest, Schema.Int, "guest-fsfreeze-freeze", {}, seconds)

/** The agent executes one command after the other: a freeze that takes longer than its limit comes first. */
export const thaw = (guest: Guest, seconds: number): Effect.Effect<number, CallFault> =>
  call(guest, Schema.Int, "guest-fsfreeze-thaw", {}, seconds)
