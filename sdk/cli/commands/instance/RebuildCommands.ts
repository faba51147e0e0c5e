/** `vps instance reinstall`, `reset-password`, and `resize`. */
import type { Reinstall, ResetPasswordResult, Resize } from "#contract/Instance"
import type { AvailablePlan } from "#contract/Services"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Client } from "../../../client/Client.ts"
import type { MaxCharge } from "../../../client/options/Options.ts"
import { confirmDataLoss, confirmOnTerminal, yes } from "../../terminal/Terminal.ts"
import type { View } from "../../output/Output.ts"
import { money } from "../../output/Format.ts"
import { fields } from "../../output/List.ts"
import { usageError } from "../../errors/CommandError.ts"
import { callAndPrint, getClient, vps } from "../../Command.ts"
import { runAction } from "../../shared/Action.ts"
import * as Arguments from "../../shared/Arguments.ts"
import { explainImage, findPlan, instanceCommand, matchPlan } from "../../shared/Selection.ts"
import { readRootPassword, readSshKey, rootPassword } from "../../shared/Secrets.ts"

const osId = Flag.Int("os-id").pipe(
  Flag.withMetavar("id"),
  Flag.withDescription("The image's ID, which must match --os; see \"vps os list\""),
  Flag.optional
)

const reinstallFlags = {
  os: Arguments.os,
  osId,
  sshKey: Arguments.sshKey,
  rootPassword,
  ...Arguments.waits,
  yes
}

const systemOf = Effect.fnUntraced(
  function*({ os, osId, rootPassword, sshKey }: Command.Command.Config.Infer<typeof reinstallFlags>) {
    const password = yield* readRootPassword(rootPassword)
    const body: Reinstall = {
      os,
      ...(Option.isNone(osId) ? {} : { os_id: osId.value }),
      ...(Option.isNone(sshKey) ? {} : { ssh_pubkey: yield* readSshKey(sshKey.value) }),
      ...(password === undefined ? {} : { password })
    }
    return body
  }
)

const reinstallWith = (client: Client, id: number, body: Reinstall) => {
  const serviceId = Effect.map(client.instances.get(id), ({ data }) => data.order.service_id)
  return explainImage(client.instances.reinstall(id, body), client, body.os, serviceId)
}

export const reinstall = instanceCommand(
  "reinstall",
  reinstallFlags,
  Effect.fnUntraced(function*({ id, timeout, wait, yes, ...flags }) {
    const body = yield* systemOf({ ...flags, timeout, wait, yes })
    yield* confirmDataLoss(yes, `Install ${body.os} on instance ${id}? All data on its disk is lost.`)
    yield* runAction({ id, request: (client) => reinstallWith(client, id, body), wait, timeout })
  })
).pipe(
  Command.withShortDescription("Reinstall an instance; all data on its disk is lost"),
  Command.withDescription(
    "Install an image on an existing instance. All data on its disk is lost, including SSH keys: pass the key again "
      + "with --ssh-key, or a password with --root-password. \"vps instance reset-password\" sets one later."
  ),
  Command.withExamples([
    { command: "vps instance reinstall 7 --os debian-13 --ssh-key ~/.ssh/id_ed25519.pub" },
    { command: "vps instance reinstall 7 --os debian-13 --root-password -", description: "Prompts for the password" },
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

export const resetPassword = instanceCommand("reset-password", {}, ({ id }) => resetAndShow(id)).pipe(
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

/** Says why an instance cannot be resized to a plan. */
const explainPlan = Effect.fnUntraced(
  function*(client: Client, id: number, named: string, available: ReadonlyArray<AvailablePlan>) {
    const { data: { order } } = yield* client.instances.get(id)
    if (matchPlan(named, [order.service]) !== undefined) {
      return yield* usageError(`Instance ${id} is already on plan ${order.service.slug}. Nothing was changed.`)
    }
    const { data: catalogue } = yield* client.services.list()
    const plan = matchPlan(named, catalogue)
    // Fails with similar names.
    if (plan === undefined) return yield* findPlan(named, available)
    const location = (serviceId: number) =>
      Effect.map(client.services.osOptions(serviceId), ({ data }) => data.location_label ?? "")
    const [theirs, own] = yield* Effect.all([location(plan.id), location(order.service_id)], { concurrency: 2 })
    const hint = available.length === 0 ? undefined : `Available: ${available.map(({ slug }) => slug).join(", ")}.`
    return yield* theirs === own
      ? usageError(`Instance ${id} cannot be resized to plan ${plan.slug}.`, hint)
      : usageError(`Plan ${plan.slug} is in ${theirs}, but instance ${id} is in ${own}, where it stays.`, hint)
  }
)

const target = Effect.fnUntraced(function*(client: Client, id: number, named: string) {
  const { data } = yield* client.monitoring.availablePlans(id)
  return matchPlan(named, data) ?? (yield* explainPlan(client, id, named, data))
})

interface ConfirmedResize {
  readonly body: Resize
  /** The charge that was shown and confirmed; absent if none was. */
  readonly maxCharge?: MaxCharge | undefined
}

const resizeTo = Effect.fnUntraced(function*(id: number, named: string, confirmed: boolean) {
  const client = yield* getClient
  // With an ID and --yes, the lookup is skipped: the service checks the plan itself.
  if (/^\d+$/.test(named) && confirmed) return { body: { service_id: Number(named) } } satisfies ConfirmedResize
  const plan = yield* target(client, id, named)
  const { charge_amount: amount, currency } = plan
  const maxCharge = yield* confirmOnTerminal(
    confirmed,
    Effect.succeed({ question: resizeQuestion(plan), shown: { amount, currency } })
  )
  return { body: { service_id: plan.id }, maxCharge } satisfies ConfirmedResize
})

export const resize = instanceCommand(
  "resize",
  { plan: Arguments.plan, maxCharge: Arguments.maxCharge, ...Arguments.waits, yes },
  Effect.fnUntraced(
    function*({ id, maxCharge: limit, plan, timeout, wait, yes }) {
      const { body, maxCharge } = yield* resizeTo(id, plan, yes)
      yield* runAction({
        id,
        request: (client) =>
          client.instances.resize(id, body, { maxCharge: Option.getOrUndefined(limit) ?? maxCharge }),
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
