/** `vps instance resize`. */
import type { AvailablePlan, PublicPlan, Resize } from "../../../client/Records.ts"
import type { MaxCharge } from "../../../client/options/Options.ts"
import { type PlanCharge, type ResizeCharge, resizeCharge } from "../../../client/host/ResizeCharge.ts"
import type { View } from "../../../client/host/View.ts"
import * as Clock from "effect/Clock"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { HostClient } from "../../HostClient.ts"
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

/** A plan of the catalogue, and the charge for the resize to it. */
interface Target {
  readonly plan: Pick<PublicPlan, "id" | "name">
  readonly charge: ResizeCharge
}

const resizeQuestion = ({ charge, plan: { name } }: Target): string => {
  switch (charge.kind) {
    case "none":
      return `Downgrade to ${name}? There is no refund.`
    case "shown":
      return `Upgrade to ${name} for ${money(charge.amount, charge.currency)} now?`
    case "estimate":
      return `Upgrade to ${name}? This host does not show the charge: by the prices of the plans, it is about `
        + `${money(charge.amount, charge.currency)} now.`
  }
}

/** Says why an instance cannot be resized to a plan. */
const explainPlan = Effect.fnUntraced(
  function*(client: HostClient, id: number, named: string, available: ReadonlyArray<Pick<PublicPlan, "id" | "slug">>) {
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

/** A plan as this service lists it, with the charge. */
const asShown = (one: View<AvailablePlan>): (Target & { readonly plan: PublicPlan }) | undefined => {
  const { charge_amount, currency, direction, id, name, slug } = one
  if (id === undefined || name === undefined || slug === undefined) return undefined
  if (charge_amount === undefined || currency === undefined) return undefined
  const charge: ResizeCharge = direction === "downgrade"
    ? { kind: "none" }
    : { kind: "shown", amount: charge_amount, currency }
  return { plan: { ...one, id, name, slug } as PublicPlan, charge }
}

/** The currency and the customer's price, for a key that may create. */
const priceOf = (client: HostClient, service_id: number) =>
  client.instances.dryRun({ service_id }).pipe(
    Effect.map(({ data }): PlanCharge | undefined => ({ amount: data.charge_amount, currency: data.currency })),
    Effect.catchTags({
      BadRequestError: () => Effect.succeed(undefined),
      ForbiddenError: () => Effect.succeed(undefined),
      NotFoundError: () => Effect.succeed(undefined)
    })
  )

/** Of a host that lists the plans otherwise, or without their charge: the plan of the catalogue, and an estimate. */
const estimated = Effect.fnUntraced(function*(
  client: HostClient,
  id: number,
  named: string,
  listed: ReadonlyArray<View<AvailablePlan>>
) {
  const { data: instance } = yield* client.instances.get(id)
  const { data: catalogue } = yield* client.services.list()
  if (matchPlan(named, [instance.order.service]) !== undefined) return yield* explainPlan(client, id, named, [])
  const plan = yield* findPlan(named, catalogue)
  const ids = listed.flatMap((one) => one.id ?? [])
  if (ids.length > 0 && !ids.includes(plan.id)) {
    return yield* explainPlan(client, id, named, catalogue.filter((one) => ids.includes(one.id)))
  }
  const one = listed.find((each) => each.id === plan.id)
  const priced = yield* priceOf(client, plan.id)
  const charge = resizeCharge(instance, one, plan, priced, yield* Clock.currentTimeMillis)
  return { plan, charge } satisfies Target
})

const target = Effect.fnUntraced(function*(client: HostClient, id: number, named: string) {
  const { data } = yield* client.monitoring.availablePlans(id)
  const listed = data ?? []
  const all = listed.flatMap((one) => asShown(one) ?? [])
  const plan = matchPlan(named, all.map((one) => one.plan))
  const found = all.find((one) => one.plan === plan)
  if (found !== undefined) return found
  // An instance that cannot be resized now has no plans.
  const isDocumented = data !== undefined && all.length === data.length
  return isDocumented
    ? yield* explainPlan(client, id, named, all.map((one) => one.plan))
    : yield* estimated(client, id, named, listed)
})

const UNCHECKED = "This host does not show the charge of a resize, so --max-charge cannot be checked. "
  + "Nothing was changed."

const resizeTo = Effect.fnUntraced(
  function*(id: number, named: string, confirmed: boolean, limit: MaxCharge | undefined) {
    const client = yield* getClient
    // With an ID and --yes, the lookup is skipped: the service checks the plan itself.
    if (/^\d+$/.test(named) && confirmed && limit === undefined) {
      return { body: { service_id: Number(named) } } satisfies ConfirmedResize
    }
    const found = yield* target(client, id, named)
    if (!("charge" in found)) return { body: { service_id: found.id } } satisfies ConfirmedResize
    const { charge, plan } = found
    if (limit !== undefined && charge.kind === "estimate") {
      const about = `Leave it out to accept a charge of about ${money(charge.amount, charge.currency)}, by the prices `
        + "of the plans."
      return yield* usageError(UNCHECKED, about)
    }
    const shown = charge.kind === "shown" ? { amount: charge.amount, currency: charge.currency } : undefined
    const question = resizeQuestion(found)
    const prompt = shown === undefined ? { question } : { question, shown }
    const maxCharge = yield* confirmOnTerminal<MaxCharge, never, never>(confirmed, Effect.succeed(prompt))
    return { body: { service_id: plan.id }, maxCharge } satisfies ConfirmedResize
  }
)

export const resize = instanceCommand(
  "resize",
  { plan: Arguments.plan, maxCharge: Arguments.maxCharge, ...Arguments.waits, yes },
  Effect.fnUntraced(
    function*({ id, maxCharge: limit, plan, timeout, wait, yes }) {
      const { body, maxCharge } = yield* resizeTo(id, plan, yes, Option.getOrUndefined(limit))
      yield* runAction({
        id,
        action: "resize",
        request: (client) =>
          client.instances.resize(id, body, { maxCharge: Option.getOrUndefined(limit) ?? maxCharge }),
        detail: ({ charge_amount, currency }) =>
          charge_amount === undefined ? "" : `Charged ${money(charge_amount, currency)}.`,
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
