/** `vps instance resize`. */
import type { Resize } from "@pulumi-vps/contract/Instance"
import type { MaxCharge } from "../../../client/options/Options.ts"
import type { AvailablePlan } from "@pulumi-vps/contract/Services"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Client } from "../../../client/Client.ts"
import { confirmOnTerminal, yes } from "../../terminal/Terminal.ts"
import { money } from "../../output/Format.ts"
import { shortList } from "../../../Suggestions.ts"
import { usageError } from "../../errors/CommandError.ts"
import { getClient } from "../../Command.ts"
import { runAction } from "../../shared/Action.ts"
import * as Arguments from "../../shared/Arguments.ts"
import { findPlan, instanceCommand, matchPlan } from "../../shared/Selection.ts"

interface ConfirmedResize {
  readonly body: Resize
  /** The charge that was shown and confirmed; absent if none was. */
  readonly maxCharge?: MaxCharge | undefined
}

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
    const hint = available.length === 0 ? undefined : `Available: ${shortList(available.map(({ slug }) => slug))}.`
    return yield* theirs === own
      ? usageError(`Instance ${id} cannot be resized to plan ${plan.slug}.`, hint)
      : usageError(`Plan ${plan.slug} is in ${theirs}, but instance ${id} is in ${own}, where it stays.`, hint)
  }
)

const target = Effect.fnUntraced(function*(client: Client, id: number, named: string) {
  const { data } = yield* client.monitoring.availablePlans(id)
  return matchPlan(named, data) ?? (yield* explainPlan(client, id, named, data))
})

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
