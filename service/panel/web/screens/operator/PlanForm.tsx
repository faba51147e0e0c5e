/** A plan as a form. */
import type { InputOf, ResultOf } from "../../api/commands.ts"
import { AreaField, CheckField, SelectField, TextField, type Values } from "../../components/Form.tsx"
import { EntryForm, nextId, TEXT_MAX } from "./EntryForm.tsx"

type CatalogueRecord = ResultOf<"catalogue.export">
type PlanRecord = CatalogueRecord["plans"][number]
type PlanEntry = NonNullable<InputOf<"catalogue.import">["document"]["plans"]>[number]

const CATEGORIES: ReadonlyArray<PlanEntry["category"]> = ["vps", "dedicated", "hosting"]
const SPECS = [["vcpu", "vCPU"], ["ram", "Memory"], ["storage", "Disk"], ["traffic", "Traffic"]] as const

const specsFrom = ({ number, text }: Values, before: PlanRecord["specs"]) => {
  const given = SPECS.map(([name]) => [name, name === "vcpu" ? number(name) : text(name)] as const)
  return { ...before, ...Object.fromEntries(given.map(([name, value]) => [name, value ?? null])) }
}

const planFrom = (values: Values, before: PlanRecord | undefined, id: number): PlanEntry => {
  const { checked, required: { number, text } } = values
  return {
    id,
    slug: text("slug"),
    name: text("name"),
    description: values.text("description") ?? null,
    price: number("price"),
    currency: text("currency"),
    category: CATEGORIES.find((one) => one === text("category")) ?? "vps",
    specs: specsFrom(values, before?.specs ?? null),
    data_center: text("data_center"),
    is_active: checked("is_active"),
    out_of_stock: checked("out_of_stock"),
    auto_deploy: checked("auto_deploy")
  }
}

const Basics = ({ catalogue, plan }: PlanFormProps) => (
  <div class="fields">
    <TextField name="name" label="Name" required maxLength={TEXT_MAX} defaultValue={plan?.name} />
    <TextField
      name="slug"
      label="Slug"
      required
      maxLength={TEXT_MAX}
      defaultValue={plan?.slug}
      hint="For vps and URLs"
    />
    <TextField
      name="price"
      label="Price per month"
      type="number"
      min={0}
      step={0.01}
      required
      defaultValue={plan?.price}
      hint="Gross; for new orders. Reprice changes existing contracts."
    />
    <TextField
      name="currency"
      label="Currency"
      required
      pattern="[A-Z]{3}"
      maxLength={3}
      defaultValue={plan?.currency ?? "EUR"}
    />
    <SelectField name="category" label="Category" defaultValue={plan?.category ?? "vps"}>
      {CATEGORIES.map((one) => <option key={one} value={one}>{one}</option>)}
    </SelectField>
    <SelectField name="data_center" label="Data center" required defaultValue={plan?.data_center}>
      {catalogue.data_centers.map(({ id, label }) => <option key={id} value={label}>{label}</option>)}
    </SelectField>
  </div>
)

const specOf = (plan: PlanRecord | undefined, name: string): string | undefined => {
  const value = plan?.specs?.[name]
  return value === null || value === undefined ? undefined : String(value)
}

interface PlanFormProps {
  readonly catalogue: CatalogueRecord
  /** Undefined for a new one. */
  readonly plan?: PlanRecord | undefined
}

export const PlanForm = ({ catalogue, plan }: PlanFormProps) => {
  const id = plan?.id ?? nextId(catalogue.plans.map((one) => one.id))
  return (
    <EntryForm what="a plan" name={plan?.name} documentOf={(values) => ({ plans: [planFrom(values, plan, id)] })}>
      <Basics catalogue={catalogue} plan={plan} />
      <div class="fields">
        {SPECS.map(([name, label]) => (
          <TextField
            key={name}
            name={name}
            label={label}
            type={name === "vcpu" ? "number" : "text"}
            defaultValue={specOf(plan, name)}
          />
        ))}
      </div>
      <AreaField name="description" label="Description" maxLength={TEXT_MAX} defaultValue={plan?.description ?? ""} />
      <CheckField name="is_active" label="On sale" defaultChecked={plan?.is_active ?? true} />
      <CheckField name="out_of_stock" label="Out of stock" defaultChecked={plan?.out_of_stock ?? false} />
      <CheckField
        name="auto_deploy"
        label="Deploy at once"
        hint="Otherwise each order waits under Tasks until you approve it."
        defaultChecked={plan?.auto_deploy ?? true}
      />
    </EntryForm>
  )
}
