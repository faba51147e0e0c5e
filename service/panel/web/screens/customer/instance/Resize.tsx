/** Another plan for the instance, with its charge before anything happens. */
import type { AvailablePlan } from "@pulumi-vps/contract/Services"
import { wordsOf } from "@pulumi-vps/contract/PlanSpecs"
import { send, useRead } from "../../../api/calls.ts"
import { maxCharge } from "../../../api/client.ts"
import { money } from "../../../api/format.ts"
import { nameOf } from "../../../api/instances.ts"
import { quoted, ShowCode } from "../../../components/ShowCode.tsx"
import { Confirm } from "../../../components/FormDialog.tsx"
import { actionsOf, type Column, List } from "../../../components/Table.tsx"
import { Money, Named } from "../../../components/Values.tsx"
import { busyReason, INSTANCE, useInstance, useOperation } from "./Context.ts"
import { AskHost } from "../../../components/Brand.tsx"

const Change = ({ plan }: { readonly plan: AvailablePlan }) => {
  const shown = useInstance()
  const operate = useOperation()
  const busy = busyReason(shown)
  const { id, expires_at: end } = shown.instance
  const charge = money(plan.charge_amount, plan.currency)
  const upgrade = plan.direction === "upgrade"
  const resize = async () => {
    const request = { body: { service_id: plan.id }, headers: maxCharge(plan) }
    const result = await operate((params) => send(`POST ${INSTANCE}/resize`, { params, ...request }))
    return `The change to ${plan.name} has begun. ${money(result.charge_amount, result.currency)} were charged.`
  }
  const example = {
    method: "POST",
    path: `/instances/${id}/resize`,
    body: { service_id: plan.id },
    sdk: `vps.instances.resize(${id}, { service_id: ${plan.id} })`,
    vps: `vps instance resize ${id} --plan ${quoted(plan.slug)} --wait`,
    pulumi: `new Instance("web", { serviceId: ${plan.id} })`
  } as const
  return (
    <>
      <ShowCode title={`Change to ${plan.name}`} example={example} />
      <Confirm
        action={`Change to ${plan.name}`}
        kind="primary"
        off={busy}
        question={`Change ${nameOf(shown.instance)} to ${plan.name}?`}
        run={resize}
      >
        <p>
          {upgrade
            ? `${charge} are charged to the wallet now, for the time until the next charge.`
            : "Nothing is charged, and nothing is refunded."}
        </p>
        <p>
          The instance restarts. From {end === null ? "the next period" : new Date(end).toLocaleDateString()}{" "}
          on it costs {money(plan.price, plan.currency)} {plan.billing_cycle}.
        </p>
      </Confirm>
    </>
  )
}

const COLUMNS: ReadonlyArray<Column<AvailablePlan>> = [
  {
    key: "name",
    title: "Plan",
    by: ({ name }) => name,
    cell: (plan) => <Named note={wordsOf(plan.specs).map((words) => words.join(" ")).join(", ")}>{plan.name}</Named>
  },
  { key: "direction", title: "Change", by: (one) => one.direction, cell: (one) => one.direction },
  {
    key: "price",
    title: "Price",
    numeric: true,
    by: ({ price }) => price,
    cell: (plan) => (
      <>
        <Money amount={plan.price} currency={plan.currency} />
        <span class="muted second">{plan.billing_cycle}</span>
      </>
    )
  },
  {
    key: "charge",
    title: "Charged now",
    numeric: true,
    by: (one) => one.charge_amount,
    cell: (one) => <Money amount={one.charge_amount} currency={one.currency} />
  },
  actionsOf((plan) => <Change plan={plan} />)
]

export const Resize = () => {
  const { instance: { order }, params } = useInstance()
  return (
    <List
      title="Change the plan"
      note={`It is ${order.service.name} now. An upgrade is prorated: you pay the difference until the next charge.`}
      query={useRead(`${INSTANCE}/available-plans`, { params })}
      lines={4}
      columns={COLUMNS}
      idOf={({ id }) => id}
      sort={{ key: "price" }}
      empty={{
        icon: "catalogue",
        title: "No other plan in this data center",
        advice: (
          <>
            <AskHost /> what is possible.
          </>
        )
      }}
    />
  )
}
