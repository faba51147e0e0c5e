/** `vps instance reinstall`, `reset-password`, and `resize`. */
import type { ResetPasswordResult, Resize } from "#contract/Instance"
import type { AvailablePlan } from "#contract/Services"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Client } from "../../../client/Client.ts"
import { confirmCharge, confirmDataLoss, yes } from "../../terminal/Confirm.ts"
import type { View } from "../../output/Output.ts"
import { fields } from "../../output/Table.ts"
import { money } from "../../output/Format.ts"
import { usageError } from "../../errors/CommandError.ts"
import { callAndPrint, command, getClient, vps } from "../../Command.ts"
import { runAction } from "../../shared/Action.ts"
import * as Arguments from "../../shared/Arguments.ts"
import { findPlan } from "../../shared/PlanLookup.ts"
import { readSshKey } from "../../shared/SshKey.ts"

const id = Arguments.instance

export const reinstall = command(
  "reinstall",
  {
    id,
    os: Arguments.os,
    sshKey: Arguments.sshKey,
    ...Arguments.waits,
    yes
  },
  Effect.fnUntraced(function*({ id, os, sshKey, timeout, wait, yes }) {
    const key = Option.isNone(sshKey) ? {} : { ssh_pubkey: yield* readSshKey(sshKey.value) }
    yield* confirmDataLoss(yes, `Install ${os} on instance ${id}? All data on its disk is lost.`)
    yield* runAction({ id, request: (client) => client.instances.reinstall(id, { os, ...key }), wait, timeout })
  })
).pipe(
  Command.withShortDescription("Reinstall an instance; all data on its disk is lost"),
  Command.withDescription(
    "Install an image on an existing instance. All data on its disk is lost, including SSH keys: pass the key again "
      + "with --ssh-key, or log in with a password from \"vps instance reset-password\"."
  ),
  Command.withExamples([
    { command: "vps instance reinstall 7 --os debian-13 --ssh-key ~/.ssh/id_ed25519.pub" },
    { command: "vps instance reinstall 7 --os debian-13 --yes --wait", description: "In a script" }
  ])
)

const passwordView: View<ResetPasswordResult> = {
  text: ({ password }, capabilities) => fields([["Password", password]], capabilities),
  ids: () => []
}

const resetAndShow = Effect.fnUntraced(function*(id: number) {
  const { output } = yield* vps
  // The password is shown once: printing anything else would lose it.
  if (output === "id") return yield* usageError("-o id would not show the password.", "Use -o json in scripts.")
  yield* callAndPrint((client) => client.instances.resetPassword(id), passwordView)
})

export const resetPassword = command("reset-password", { id }, ({ id }) => resetAndShow(id)).pipe(
  Command.withShortDescription("Set a new root password and show it once"),
  Command.withDescription("Set a new root password and show it. It is not stored, so it is shown only once."),
  Command.withExamples([
    { command: "vps instance reset-password 7" },
    { command: "vps instance reset-password 7 -o json | jq -r .password", description: "In a script" }
  ])
)

const resizeQuestion = ({ charge_amount, currency, direction, name }: AvailablePlan): string =>
  direction === "downgrade"
    ? `Downgrade to ${name}? There is no refund.`
    : `Upgrade to ${name} for ${money(charge_amount, currency)} now?`

const target = Effect.fnUntraced(function*(client: Client, id: number, named: string) {
  const { data } = yield* client.monitoring.availablePlans(id)
  return yield* findPlan(named, data)
})

const resizeTo = Effect.fnUntraced(function*(id: number, named: string, confirmed: boolean) {
  const client = yield* getClient
  // With an ID and --yes, the lookup is skipped: the service checks the plan itself.
  if (/^\d+$/.test(named) && confirmed) return { service_id: Number(named) }
  const plan = yield* target(client, id, named)
  yield* confirmCharge(confirmed, Effect.succeed(resizeQuestion(plan)))
  const body: Resize = { service_id: plan.id }
  return body
})

export const resize = command(
  "resize",
  { id, plan: Arguments.plan, ...Arguments.waits, yes },
  Effect.fnUntraced(
    function*({ id, plan, timeout, wait, yes }) {
      const body = yield* resizeTo(id, plan, yes)
      yield* runAction({
        id,
        request: (client) => client.instances.resize(id, body),
        detail: ({ charge_amount, currency }) => `Charged ${money(charge_amount, currency)}.`,
        wait,
        timeout
      })
    }
  )
).pipe(
  Command.withShortDescription("Change an instance's plan"),
  Command.withDescription(
    "Change an instance's plan in place. An upgrade is charged for the rest of the billing cycle; a downgrade is not "
      + "refunded. \"vps instance plans\" shows the charges. On a terminal, it prompts for confirmation."
  ),
  Command.withExamples([{ command: "vps instance resize 7 --plan vps-l --wait" }])
)
