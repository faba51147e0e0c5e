/** Reverse DNS, and rescue mode. */
import type { LiveStatus } from "#contract/Monitoring"
import type { RescueResult } from "#contract/Rescue"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Client } from "../../client/Client.ts"
import type { View } from "../output/Show.ts"
import { misused } from "../Refusal.ts"
import { ask, client, leaf, present, print } from "../Root.ts"
import { withProgress } from "../terminal/Progress.ts"
import { acted } from "./Act.ts"
import * as Arguments from "./Arguments.ts"
import { addressOf } from "./Details.ts"

const id = Arguments.instance

const ownAddress = Effect.fnUntraced(function*(id: number) {
  const address = addressOf(yield* ask((core) => core.instances.get(id)))
  if (address !== undefined) return address
  return yield* misused(`Instance ${id} has no address yet.`, `Wait for it: vps instance wait ${id}`)
})

const set = leaf(
  "set",
  {
    id,
    ptr: Flag.String("ptr").pipe(
      Flag.withMetavar("name"),
      Flag.withDescription("The name that the address leads to, like web.example.com")
    ),
    ip: Flag.String("ip").pipe(
      Flag.withMetavar("address"),
      Flag.withDescription("An address of the instance (default: its IPv4)"),
      Flag.optional
    ),
    ...Arguments.waits
  },
  Effect.fnUntraced(function*({ id, ip: given, ptr, ...waits }) {
    const ip = Option.isSome(given) ? given.value : yield* ownAddress(id)
    yield* acted({
      id,
      act: (core) => core.instances.rdns(id, { ip, ptr }),
      more: (result) => `${result.ip} leads to ${result.ptr}.`,
      ...waits
    })
  })
).pipe(
  Command.withDescription("Set the name that an address of an instance leads to (PTR)"),
  Command.withExamples([
    { command: "vps rdns set 7 --ptr web.example.com" },
    { command: "vps rdns set 7 --ip 2001:db8::1 --ptr web.example.com" }
  ])
)

export const rdns = Command.make("rdns").pipe(
  Command.withDescription("Set reverse DNS"),
  Command.withSubcommands([set])
)

const rescueView = (id: number): View<RescueResult> => ({
  text: ({ boot_mode, restarted }) =>
    restarted
      ? `Instance ${id} restarts, and boots from ${boot_mode}.\n`
      : `Instance ${id} boots from ${boot_mode} next time: it was too busy to restart now. `
        + `Restart it yourself: vps instance restart ${id}\n`,
  ids: () => [id]
})

const bootedView = (id: number): View<LiveStatus> => ({
  text: ({ boot_mode, status }) => `Instance ${id} has booted from ${boot_mode}, status ${status}.\n`,
  ids: () => [id]
})

type Way = "enter" | "exit"

/** The SDK's wait asks for the reboot itself when the host was too busy for it. */
const andWait = (core: Client, way: Way, id: number, waitTimeout: number) =>
  withProgress((say) =>
    core.rescue[`${way}AndWait`](id, {
      waitTimeout,
      onProgress: ({ status }) => say(`Instance ${id} is ${status}`)
    })
  ).pipe(Effect.map(({ data }) => data))

const boot = (way: Way, short: string, description: string) =>
  leaf(
    way,
    { id, ...Arguments.waits },
    Effect.fnUntraced(function*({ id, timeout, wait }) {
      if (!wait) return yield* present((core) => core.rescue[way](id), rescueView(id))
      yield* print(yield* andWait(yield* client, way, id, timeout), bootedView(id))
    })
  ).pipe(
    Command.withShortDescription(short),
    Command.withDescription(description),
    Command.withExamples([{ command: `vps rescue ${way} 7 --wait` }])
  )

const enter = boot(
  "enter",
  "Boot an instance into the rescue system",
  "Boot an instance into the rescue system. It is reached through the console in the panel; the disk is not mounted."
)
const exit = boot("exit", "Boot an instance from its disk again", "Boot an instance from its disk again.")

export const rescue = Command.make("rescue").pipe(
  Command.withDescription("Boot a rescue system"),
  Command.withSubcommands([enter, exit])
)
