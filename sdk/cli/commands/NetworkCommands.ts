/** `vps rdns` and `vps rescue`. */
import type { LiveStatus } from "#contract/Monitoring"
import type { RescueResult } from "#contract/Rescue"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { sanitize } from "#contract/CommandLine"
import type { Client } from "../../client/Client.ts"
import { type View, withProgress } from "../output/Output.ts"
import { usageError } from "../errors/CommandError.ts"
import { call, callAndPrint, getClient, panelForPeople, print } from "../Command.ts"
import { runAction } from "../shared/Action.ts"
import * as Arguments from "../shared/Arguments.ts"
import { instanceCommand } from "../shared/Selection.ts"
import { addressOf } from "../shared/Views.ts"

const primaryAddress = Effect.fnUntraced(function*(id: number) {
  const address = addressOf(yield* call((client) => client.instances.get(id)))
  if (address !== undefined) return address
  return yield* usageError(`Instance ${id} does not have an address yet.`, `Wait for it: vps instance wait ${id}`)
})

const set = instanceCommand(
  "set",
  {
    ptr: Flag.String("ptr").pipe(
      Flag.withMetavar("name"),
      Flag.withDescription("Hostname that the address resolves to, like web.example.com")
    ),
    ip: Flag.String("ip").pipe(
      Flag.withMetavar("address"),
      Flag.withDescription("IP address of the instance (default: its IPv4 address)"),
      Flag.optional
    ),
    ...Arguments.waits
  },
  Effect.fnUntraced(function*({ id, ip: flag, ptr, ...waits }) {
    const ip = Option.isSome(flag) ? flag.value : yield* primaryAddress(id)
    yield* runAction({
      id,
      request: (client) => client.instances.rdns(id, { ip, ptr }),
      isImmediate: true,
      detail: (result) => `${result.ip} resolves to ${result.ptr}.`,
      ...waits
    })
  })
).pipe(
  Command.withDescription("Set the PTR record of an instance's IP address"),
  Command.withExamples([
    { command: "vps rdns set 7 --ptr web.example.com" },
    { command: "vps rdns set 7 --ip 2001:db8::1 --ptr web.example.com" }
  ])
)

export const rdns = Command.make("rdns").pipe(
  Command.withDescription("Set reverse DNS"),
  Command.withSubcommands([set])
)

/** The rescue system has no credentials for SSH. */
const reached = (id: number, panel: string | undefined): string =>
  panel === undefined ? "" : `Its console is at ${sanitize(panel)}/instances/${id}\n`

const rescueView = (id: number, panel: string | undefined): View<RescueResult> => ({
  text: ({ boot_mode, restarted }) => {
    const mode = sanitize(boot_mode)
    return restarted
      ? `Instance ${id} is restarting and boots from ${mode}.\n${reached(id, panel)}`
      : `Instance ${id} boots from ${mode} at its next start. It was too busy to restart now. `
        + `Restart it: vps instance restart ${id}\n`
  },
  ids: () => [id]
})

const bootedView = (id: number, panel: string | undefined): View<LiveStatus> => ({
  text: ({ booted, status }) =>
    `Instance ${id} booted from ${sanitize(booted)}, status ${sanitize(status)}.\n${reached(id, panel)}`,
  ids: () => [id]
})

type Direction = "enter" | "exit"

/** The SDK requests the restart itself when the instance was too busy for it. */
const bootAndWait = (client: Client, way: Direction, id: number, waitTimeout: number) =>
  withProgress((report) =>
    client.rescue[`${way}AndWait`](id, {
      waitTimeout,
      onProgress: ({ status }) => report(`Instance ${id} is ${status}`)
    })
  ).pipe(Effect.map(({ data }) => data))

const boot = (way: Direction, short: string, description: string) =>
  instanceCommand(
    way,
    { ...Arguments.waits },
    Effect.fnUntraced(function*({ id, timeout, wait }) {
      const panel = way === "enter" ? yield* panelForPeople : undefined
      if (!wait) return yield* callAndPrint((client) => client.rescue[way](id), rescueView(id, panel))
      yield* print(yield* bootAndWait(yield* getClient, way, id, timeout), bootedView(id, panel))
    })
  ).pipe(
    Command.withShortDescription(short),
    Command.withDescription(description),
    Command.withExamples([{ command: `vps rescue ${way} 7 --wait` }])
  )

const enter = boot(
  "enter",
  "Boot an instance into the rescue system",
  "Boot an instance into the rescue system. Use the console in the panel to reach it. The disk is not mounted."
)
const exit = boot("exit", "Boot an instance from its disk again", "Boot an instance from its disk again.")

export const rescue = Command.make("rescue").pipe(
  Command.withDescription("Boot into the rescue system and back"),
  Command.withSubcommands([enter, exit])
)
