/** Commands that change what an instance is: its system, its password, its plan. */
import type { ResetPasswordResult, Resize } from "#contract/Instance"
import type { AvailablePlan } from "#contract/Services"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Client } from "../../client/Client.ts"
import { confirmCharge, confirmLoss, yes } from "../Confirm.ts"
import type { View } from "../output/Show.ts"
import { fields } from "../output/Table.ts"
import { money } from "../output/Words.ts"
import { misused } from "../Refusal.ts"
import { client, leaf, present, vps } from "../Root.ts"
import { acted } from "./Act.ts"
import * as Arguments from "./Arguments.ts"
import { planNamed } from "./Catalogue.ts"
import { readSshKey } from "./SshKey.ts"

const id = Arguments.instance

export const reinstall = leaf(
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
    yield* confirmLoss(yes, `Install ${os} on instance ${id}? Everything on its disk is lost.`)
    yield* acted({ id, act: (core) => core.instances.reinstall(id, { os, ...key }), wait, timeout })
  })
).pipe(
  Command.withShortDescription("Install an image anew; everything on the disk is lost"),
  Command.withDescription(
    "Install an image anew. Everything on the disk is lost, SSH keys too: give the key again with --ssh-key, or get "
      + "in with a password from \"vps instance reset-password\"."
  ),
  Command.withExamples([
    { command: "vps instance reinstall 7 --os debian-13 --ssh-key ~/.ssh/id_ed25519.pub" },
    { command: "vps instance reinstall 7 --os debian-13 --yes --wait", description: "From a script" }
  ])
)

const passwordView: View<ResetPasswordResult> = {
  text: ({ password }, surface) => fields([["Password", password]], surface),
  ids: () => []
}

const resetAndShow = Effect.fnUntraced(function*(id: number) {
  const { output } = yield* vps
  // The password is shown this once: printing something else would lose it.
  if (output === "id") return yield* misused("-o id would not show the password.", "Take -o json for scripts.")
  yield* present((core) => core.instances.resetPassword(id), passwordView)
})

export const resetPassword = leaf("reset-password", { id }, ({ id }) => resetAndShow(id)).pipe(
  Command.withShortDescription("Set a new root password, and show it once"),
  Command.withDescription("Set a new root password, and show it: this once, as nobody stores it."),
  Command.withExamples([
    { command: "vps instance reset-password 7" },
    { command: "vps instance reset-password 7 -o json | jq -r .password", description: "From a script" }
  ])
)

const charge = ({ charge_amount, currency, direction, name }: AvailablePlan): string =>
  direction === "downgrade"
    ? `Downgrade to ${name}? Nothing is refunded.`
    : `Upgrade to ${name}? ${money(charge_amount, currency)} are charged now.`

const target = Effect.fnUntraced(function*(core: Client, id: number, named: string) {
  const { data } = yield* core.monitoring.availablePlans(id)
  return yield* planNamed(named, data)
})

const resizeTo = Effect.fnUntraced(function*(id: number, named: string, agreed: boolean) {
  const core = yield* client
  // The service knows best which plans are possible: the plan that it has is answered with its own words.
  if (/^\d+$/.test(named) && agreed) return { service_id: Number(named) }
  const plan = yield* target(core, id, named)
  yield* confirmCharge(agreed, Effect.succeed(charge(plan)))
  const body: Resize = { service_id: plan.id }
  return body
})

export const resize = leaf(
  "resize",
  { id, plan: Arguments.plan, ...Arguments.waits, yes },
  Effect.fnUntraced(
    function*({ id, plan, timeout, wait, yes }) {
      const body = yield* resizeTo(id, plan, yes)
      yield* acted({
        id,
        act: (core) => core.instances.resize(id, body),
        more: ({ charge_amount, currency }) => `Charged ${money(charge_amount, currency)}.`,
        wait,
        timeout
      })
    }
  )
).pipe(
  Command.withShortDescription("Change an instance's plan"),
  Command.withDescription(
    "Change an instance's plan, in place. An upgrade is charged for the rest of the billing cycle, a downgrade "
      + "refunds nothing; \"vps instance plans\" shows both. On a terminal it is asked for first."
  ),
  Command.withExamples([{ command: "vps instance resize 7 --plan vps-l --wait" }])
)
