/** `vps instance`: lists and shows instances, and controls their power. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { call, callAndPrint, command, getClient } from "../../Command.ts"
import { runAction, runOnEach, waitUntilIdle } from "../../shared/Action.ts"
import * as Effect from "effect/Effect"
import * as Arguments from "../../shared/Arguments.ts"
import { findInstance, instanceCommand, printInstance, selection } from "../../shared/Selection.ts"
import { create } from "./CreateCommand.ts"
import { metrics, tasks } from "./MonitoringCommands.ts"
import { reinstall } from "./ReinstallCommand.ts"
import { resetPassword } from "./ResetPasswordCommand.ts"
import { resize } from "./ResizeCommand.ts"
import { ssh } from "./SshCommand.ts"
import { availablePlans, instances, liveStatus, rowsOf } from "../../shared/Views.ts"
import type { Instance } from "@pulumi-vps/contract/Instance"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import { CommandError, EXIT, usageError } from "../../errors/CommandError.ts"
import { dateTime } from "../../output/Format.ts"
import { yes } from "../../terminal/Terminal.ts"
import { withProgress } from "../../output/Output.ts"

// `vps instance delete`, which many people type: says that nothing is deleted, and how to end a contract.

const REFUSED = "The API can't cancel a contract:"

const GENERAL = `${REFUSED} stop the instance and switch auto-renew off, in the panel or by asking the host. `
  + "It is paid until its expiry date."

/** The steps that end an instance's contract, and the end of its paid period. */
const explain = (panel: string | undefined) => ({ auto_renew, expires_at, id }: Instance): string => {
  const where = panel === undefined ? "by asking the host" : `at ${panel}/instances/${id}`
  const paid = expires_at === null ? "" : ` It is paid until ${dateTime(expires_at)}.`
  return auto_renew === false
    ? `${REFUSED} stop instance ${id}. Auto-renew is off already.${paid}`
    : `${REFUSED} stop instance ${id} and switch auto-renew off ${where}.${paid}`
}

const read = Effect.fnUntraced(function*(named: ReadonlyArray<string>) {
  const client = yield* getClient
  const [{ data: all }, { data: root }] = yield* Effect.all([client.instances.list(), client.account.root()])
  return { found: yield* Effect.forEach(named, (each) => findInstance(each, all)), panel: root.panel_url }
})

/** Instances that can't be read only lack the date and the page: the command is refused in any case. */
const refuse = Effect.fnUntraced(function*(named: ReadonlyArray<string>) {
  const facts = named.length === 0 ? Option.none() : yield* Effect.option(read(named))
  if (Option.isNone(facts)) return yield* usageError(GENERAL, "See the expiry dates: vps instance list")
  const { found, panel } = facts.value
  const stop = `Stop it: vps instance stop ${found.map(({ id }) => id).join(" ")}`
  return yield* usageError(found.map(explain(panel)).join("\n"), stop)
})

/** Accepts the flags with which other programs delete. */
const flags = {
  named: Argument.String("instance").pipe(
    Argument.withDescription("IDs or hostnames of instances"),
    Argument.variadic()
  ),
  yes,
  force: Flag.Boolean("force").pipe(Flag.withAlias("f"), Flag.withDescription("Ignored"), Flag.withDefault(false))
}

const deleteInstance = command("delete", flags, ({ named }) => refuse(named)).pipe(
  Command.withShortDescription("Say how to end an instance's contract"),
  Command.withDescription(
    "Say how to end an instance's contract, and until when it is paid. The API can't cancel a contract."
  ),
  Command.withExamples([{ command: "vps instance delete 7" }]),
  Command.unlisted
)

// `vps instance wait`: waits until an instance is provisioned and idle.

/** States that an instance never leaves. */
const TERMINAL_STATES = new Set(["failed", "deleted"])

const run = Effect.fnUntraced(function*(id: number, timeout: number) {
  const client = yield* getClient
  const { status } = yield* withProgress((report) => waitUntilIdle(client, id, timeout, report))
  if (TERMINAL_STATES.has(status)) {
    const hint = `See its tasks: vps instance tasks ${id}`
    return yield* new CommandError({ message: `Instance ${id} is ${status}.`, hint, exit: EXIT.failed })
  }
  yield* printInstance((yield* client.instances.get(id)).data)
})

const wait = instanceCommand("wait", { timeout: Arguments.timeout }, ({ id, timeout }) => run(id, timeout)).pipe(
  Command.withShortDescription("Wait until an instance is ready"),
  Command.withDescription(
    "Wait until an instance is provisioned and none of its tasks is running, then show it. The exit code is 124 after "
      + "--timeout, and 1 when the instance has failed."
  ),
  Command.withExamples([
    { command: "vps instance wait 7" },
    { command: "vps instance restart 7 && vps instance wait 7 --timeout 120" }
  ])
)

const list = command(
  "list",
  instances.flags,
  (flags) => instances.print(call((client) => client.instances.list()), flags)
).pipe(
  Command.withDescription("List the account's instances"),
  Command.withExamples([
    { command: "vps instance list --filter status=running --sort expires" },
    { command: "vps instance list --columns hostname,ipv6 --no-header", description: "For a script" },
    { command: "vps instance list -o json | jq -r '.[].ipv4'", description: "All IPv4 addresses" }
  ])
)

const get = instanceCommand(
  "get",
  {},
  ({ id }) => Effect.flatMap(call((client) => client.instances.get(id)), printInstance)
)
  .pipe(
    Command.withDescription("Show an instance"),
    Command.withExamples([{ command: "vps instance get 7" }])
  )

const status = instanceCommand(
  "status",
  {},
  ({ id }) => callAndPrint((client) => client.monitoring.status(id), liveStatus)
)
  .pipe(
    Command.withShortDescription("Show the live status of an instance"),
    Command.withDescription("Show the live status of an instance: power, boot mode, current task, and usage."),
    Command.withExamples([{ command: "vps instance status 7" }])
  )

const plans = instanceCommand(
  "plans",
  availablePlans.flags,
  ({ id, ...flags }) =>
    availablePlans.print(rowsOf("available plans", call((client) => client.monitoring.availablePlans(id))), flags)
)
  .pipe(
    Command.withShortDescription("List the plans an instance can be resized to"),
    Command.withDescription("List the plans an instance can be resized to, with the charge for each."),
    Command.withExamples([{ command: "vps instance plans 7" }])
  )

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const power = (name: "start" | "stop" | "restart", description: string) =>
  command(
    name,
    { ...selection, ...Arguments.waits },
    (wanted) => runOnEach(capitalize(name), wanted, { action: name, request: (client, id) => client.power[name](id) })
  ).pipe(
    Command.withDescription(description),
    Command.withExamples([
      { command: `vps instance ${name} web.example.com --wait` },
      { command: `vps instance ${name} 7 8 9 --wait` },
      { command: `vps instance ${name} --filter "hostname=*.staging.example.com" --yes` }
    ])
  )

const start = power("start", "Start instances")
const stop = power("stop", "Stop instances; their disks are retained, and they are still billed")
const restart = power("restart", "Restart instances, and start those that are stopped")

const setHostname = instanceCommand("set-hostname", {
  hostname: Argument.String("hostname").pipe(Argument.withDescription("New hostname, like web.example.com")),
  ...Arguments.waits
}, ({ hostname, id, ...waits }) =>
  runAction({
    id,
    action: "set hostname",
    request: (client) => client.instances.hostname(id, { hostname }),
    isImmediate: true,
    detail: (result) => `Its hostname is ${result.hostname ?? hostname}.`,
    ...waits
  })).pipe(
    Command.withDescription("Change an instance's hostname"),
    Command.withExamples([{ command: "vps instance set-hostname 7 web.example.com" }])
  )

export const instance = Command.make("instance").pipe(
  Command.withDescription("Buy, list, and manage instances"),
  Command.withSubcommands([
    list,
    get,
    create,
    start,
    stop,
    restart,
    reinstall,
    resetPassword,
    setHostname,
    resize,
    plans,
    status,
    metrics,
    tasks,
    wait,
    ssh,
    deleteInstance
  ])
)
