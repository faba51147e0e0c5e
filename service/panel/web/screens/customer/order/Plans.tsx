/** The plans as cards: what they are, and what they cost. */
import type { PublicPlan } from "#contract/Services"
import { useCurrency } from "../../../api/session.ts"
import { Money } from "../../../components/Values.tsx"
import { Section } from "../../../components/Page.tsx"

const NAMES = { vcpu: "vCPU", ram: "memory", storage: "disk", traffic: "traffic" } as const

export const specsOf = ({ specs }: Pick<PublicPlan, "specs">): ReadonlyArray<readonly [name: string, value: string]> =>
  Object.entries(NAMES).flatMap(([key, name]) => {
    const value = specs?.[key]
    return value === null || value === undefined ? [] : [[name, String(value)] as const]
  })

interface PlanProps {
  readonly plan: PublicPlan
  readonly chosen: boolean
}

const Plan = ({ chosen, plan }: PlanProps) => {
  const currency = useCurrency()
  return (
    <label class="plan">
      <input type="radio" name="service_id" value={plan.id} defaultChecked={chosen} required />
      <span class="plan-name">{plan.name}</span>
      <span class="plan-price">
        <Money amount={plan.price} currency={currency} /> <span class="muted">{plan.billing_cycle}</span>
      </span>
      <span class="plan-specs">
        {specsOf(plan).map(([name, value]) => (
          <span key={name}>
            {value} <span class="muted">{name}</span>
          </span>
        ))}
      </span>
      {plan.description !== null && plan.description !== undefined && <span class="muted">{plan.description}</span>}
    </label>
  )
}

export const Plans = ({ chosen, plans }: { readonly plans: ReadonlyArray<PublicPlan>; readonly chosen: number }) => (
  <Section title="Plan" note="Prices include tax for private customers. What you pay is below.">
    <div class="plans" role="radiogroup" aria-label="Plan">
      {plans.map((plan) => <Plan key={plan.id} plan={plan} chosen={plan.id === chosen} />)}
    </div>
  </Section>
)
