/** Buying an instance: the plan, what is installed, and the price with the wallet before anything is bought. */
import type { CreateInstance, Instance } from "#contract/Instance"
import type { PublicPlan } from "#contract/Services"
import { useState } from "preact/hooks"
import { useLocation } from "preact-iso/router"
import { pathTo, send, useRead } from "../../../api/calls.ts"
import { maxCharge, newKey } from "../../../api/client.ts"
import { refresh } from "../../../api/query.ts"
import { useAccountId } from "../../../api/session.ts"
import { ShowCode } from "../../../code/ShowCode.tsx"
import { Form, present, type Values } from "../../../components/Form.tsx"
import { Page, Section } from "../../../components/Page.tsx"
import { Empty, Loaded } from "../../../components/State.tsx"
import { notify } from "../../../components/Toasts.tsx"
import { Installation } from "./Installation.tsx"
import { orderExample } from "./orderExample.ts"
import { Plans } from "./Plans.tsx"
import { Price, usePrice } from "./Price.tsx"

/** The body of the create that the form describes. */
const bodyOf = ({ number, text }: Values): CreateInstance => {
  const fields = present({
    hostname: text("hostname"),
    os: text("os"),
    ssh_pubkey: text("ssh_pubkey"),
    root_password: text("root_password"),
    coupon_code: text("coupon_code")
  })
  return { service_id: number("service_id") ?? 0, ...fields } as CreateInstance
}

/** After a lost response, the form may have been changed. `fields` are those that differ, like "hostname, os". */
const boughtBefore = (id: number, fields: string): string =>
  `Your first attempt had already ordered instance ${id}, with another ${
    fields.replaceAll("_", " ")
  }. Nothing more was `
  + "charged. To order a second instance, open the order page again."

const Ordering = ({ plans }: { readonly plans: ReadonlyArray<PublicPlan> }) => {
  const account = useAccountId()
  const { route } = useLocation()
  // The same for every attempt of this form: a lost response never buys twice.
  const [key] = useState(newKey)
  const [body, setBody] = useState<CreateInstance>({ service_id: plans[0]!.id })
  const price = usePrice(account, body)
  const plan = plans.find(({ id }) => id === body.service_id) ?? plans[0]!
  const images = useRead("/accounts/:account/v1/services/:service_id/os-options", {
    params: { account, service_id: plan.id }
  })
  const buy = async (values: Values) => {
    const headers = { "idempotency-key": key, ...maxCharge(price.preview) }
    let mismatch: string | null = null
    const made = await send("POST /accounts/:account/v1/instances", {
      params: { account },
      body: bodyOf(values),
      headers,
      onHeaders: (answered) => mismatch = answered.get("idempotent-mismatch")
    })
    refresh(pathTo("/accounts/:account/v1/instances", { account }), pathTo("/accounts/:account/wallet", { account }))
    const { id } = made as Instance
    route(`/panel/instances/${id}`)
    if (mismatch !== null) notify("bad", boughtBefore(id, mismatch))
  }
  const affordable = price.preview?.sufficient_funds !== false
  const summary = (
    <Section
      title="Price"
      note="Nothing is charged until you order."
      actions={<ShowCode title="Order this instance" example={orderExample(body, plan, key)} />}
    >
      <Price price={price} plan={plan} />
    </Section>
  )
  return (
    <Form
      submit={affordable ? "Order and pay" : "Not enough in the wallet"}
      disabled={!affordable || !price.isCurrent}
      onSubmit={buy}
      onInput={(values) => setBody(bodyOf(values))}
      aside={summary}
    >
      <Plans plans={plans} chosen={plan.id} />
      <Installation images={images} plan={plan} />
    </Form>
  )
}

export const Order = () => {
  const query = useRead("/accounts/:account/v1/services", { params: { account: useAccountId() } })
  return (
    <Page title="Order an instance" parent={{ href: "/panel/instances", name: "Instances" }}>
      <div class="order">
        <Loaded query={query} lines={8}>
          {(plans) =>
            plans.length === 0
              ? <Empty icon="catalogue" title="No plans at the moment">Ask your host when there will be plans.</Empty>
              : <Ordering plans={plans} />}
        </Loaded>
      </div>
    </Page>
  )
}
