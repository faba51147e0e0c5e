/** `vps instance delete`, which many people type: says that nothing is deleted, and how to end a contract. */
import type { Instance } from "#contract/Instance"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { command, getClient } from "../../Command.ts"
import { usageError } from "../../errors/CommandError.ts"
import { dateTime } from "../../output/Format.ts"
import { findInstance } from "../../shared/InstanceLookup.ts"
import { yes } from "../../terminal/Confirm.ts"

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

export const deleteInstance = command("delete", flags, ({ named }) => refuse(named)).pipe(
  Command.withShortDescription("Say how to end an instance's contract"),
  Command.withDescription(
    "Say how to end an instance's contract, and until when it is paid. The API can't cancel a contract."
  ),
  Command.withExamples([{ command: "vps instance delete 7" }]),
  Command.unlisted
)
