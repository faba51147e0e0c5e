/** The choices of an order, which the screens of an instance share: the plans as cards, and the installation. */
import type { OsOptions, PublicPlan } from "#contract/Services"
import { useAccountId, useCurrency } from "../../api/session.ts"
import { Money } from "../../components/Values.tsx"
import { Loaded, Section } from "../../components/Page.tsx"
import { useState } from "preact/hooks"
import { useRead } from "../../api/calls.ts"
import type { Query } from "../../api/query.ts"
import { AreaField, SelectField, TextField } from "../../components/Form.tsx"

const NAMES = { vcpu: "vCPU", ram: "memory", storage: "disk", traffic: "traffic" } as const

/** The plans as cards: what they are, and what they cost. */
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

const Images = ({ images }: { readonly images: Query<OsOptions> }) => (
  <Loaded query={images} lines={2}>
    {({ location_label: place = "", os_options: options = [] }) => (
      <SelectField name="os" label="Image" hint={place === "" ? undefined : `Data center: ${place}`}>
        <option value="">The plan's default</option>
        {options.map(({ label, slug, version }) => <option key={slug} value={slug}>{label} {version}</option>)}
      </SelectField>
    )}
  </Loaded>
)

/** A stored key, or a pasted one. */
export const SshKeyField = () => {
  const { data: keys = [] } = useRead("/accounts/:account/ssh-keys", { params: { account: useAccountId() } })
  const [pasting, setPasting] = useState(false)
  const change = (event: Event) => setPasting((event.currentTarget as HTMLSelectElement).value === "paste")
  const paste = pasting || keys.length === 0
  return (
    <div class="stack">
      {keys.length > 0 && (
        <SelectField name={paste ? "ssh_choice" : "ssh_pubkey"} label="SSH key" onChange={change}>
          <option value="">None</option>
          {keys.map(({ id, name, public_key }) => <option key={id} value={public_key}>{name}</option>)}
          <option value="paste">Paste another key…</option>
        </SelectField>
      )}
      {paste && (
        <AreaField
          name="ssh_pubkey"
          label="Public SSH key"
          maxLength={4096}
          placeholder="ssh-ed25519 AAAA… you@laptop"
          hint="Linux only. Store keys under Keys to choose them here."
        />
      )}
    </div>
  )
}

interface PasswordProps {
  readonly name: string
  readonly maxLength: number
  readonly hint: string
}

/** Of root, on the new system. */
export const Password = (props: PasswordProps) => (
  <TextField {...props} label="Root password" type="password" autocomplete="new-password" minLength={8} />
)

interface InstallationProps {
  readonly images: Query<OsOptions>
  readonly plan: PublicPlan
}

export const Installation = ({ images }: InstallationProps) => (
  <Section title="Installation">
    <div class="fields">
      <TextField name="hostname" label="Hostname" maxLength={253} placeholder="web.example.com" hint="Optional" />
      <Images images={images} />
      <SshKeyField />
      <div class="stack">
        <Password
          name="root_password"
          maxLength={20}
          hint="Optional; without it, one is generated and never shown. Reset it later to see one."
        />
        <TextField name="coupon_code" label="Coupon" maxLength={64} hint="Optional; applies to the first period" />
      </div>
    </div>
  </Section>
)
