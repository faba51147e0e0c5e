/** `vps rescue`. */
import * as Arguments from "../shared/Arguments.ts"
import type { LiveStatus, RescueResult } from "../../client/Records.ts"
import type { View as Shown } from "../../client/host/View.ts"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { sanitize } from "@pulumi-vps/contract/CommandLine"
import type { HostClient } from "../HostClient.ts"
import { type View, withProgress } from "../output/Output.ts"
import { callAndPrint, getClient, panelForPeople, print } from "../Command.ts"
import { instanceCommand } from "../shared/Selection.ts"

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

type Direction = "enter" | "exit"

/** Where the host does not show what was booted, its answer to the request had the mode. */
const MODES = { enter: "rescue", exit: "disk" } as const

const bootedView = (
  id: number,
  way: Direction,
  last: string,
  panel: string | undefined
): View<Shown<LiveStatus>> => ({
  text: ({ booted = MODES[way], status = last }) =>
    `Instance ${id} booted from ${sanitize(booted)}, status ${sanitize(status)}.\n${reached(id, panel)}`,
  ids: () => [id]
})

/** The SDK requests the restart itself when the instance was too busy for it. */
const bootAndWait = (client: HostClient, way: Direction, id: number, waitTimeout: number) => {
  let last = ""
  return withProgress((report) =>
    client.rescue[`${way}AndWait`](id, {
      waitTimeout,
      onProgress: ({ status }) => {
        last = status
        report(`Instance ${id} is ${status}`)
      }
    })
  ).pipe(Effect.map(({ data }) => ({ data, last })))
}

const boot = (way: Direction, short: string, description: string) =>
  instanceCommand(
    way,
    { ...Arguments.waits },
    Effect.fnUntraced(function*({ id, timeout, wait }) {
      const panel = way === "enter" ? yield* panelForPeople : undefined
      if (!wait) return yield* callAndPrint((client) => client.rescue[way](id), rescueView(id, panel))
      const { data, last } = yield* bootAndWait(yield* getClient, way, id, timeout)
      yield* print(data, bootedView(id, way, last, panel))
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
