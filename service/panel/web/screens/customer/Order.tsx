/** Buying an instance: the plan, what is installed, and the price with the wallet before anything is bought. */
import type { CreateInstance, DryRun, Instance } from "#contract/Instance"
import type { PublicPlan } from "#contract/Services"
import { type Example, literal, quoted, ShowCode } from "../../components/ShowCode.tsx"
import { useEffect, useRef, useState } from "preact/hooks"
import { pathTo, send, useRead } from "../../api/calls.ts"
import { ApiError, maxCharge, messageOf, newKey } from "../../api/client.ts"
import { money } from "../../api/format.ts"
import { LinkButton } from "../../components/Button.tsx"
import { Empty, Facts, Loaded, Notice, Page, Section, Skeleton } from "../../components/Page.tsx"
import { useLocation } from "preact-iso/router"
import { refresh } from "../../api/query.ts"
import { useAccountId } from "../../api/session.ts"
import { Form, present, type Values } from "../../components/Form.tsx"
import { notify } from "../../components/ActionButton.tsx"
import { Installation, Plans } from "./OrderChoices.tsx"
import { AskHost } from "../../components/Identity.tsx"

/** Passwords belong in a secret of the program, and are never shown as code. */
const SECRET = "<password>"

const pulumiOf = ({ coupon_code, hostname, os, root_password, service_id, ssh_pubkey }: CreateInstance): string => {
  const inputs = {
    serviceId: service_id,
    hostname: hostname ?? undefined,
    os: os ?? undefined,
    sshPublicKey: ssh_pubkey ?? undefined,
    rootPassword: root_password ?? undefined,
    couponCode: coupon_code ?? undefined
  }
  return `new Instance("web", ${literal(inputs)})`
}

/** The order of the form, for programs. */
export const orderExample = (body: CreateInstance, plan: PublicPlan, key: string): Example => {
  const shown = "root_password" in body ? { ...body, root_password: SECRET } : body
  const option = (name: string, value: string | null | undefined) =>
    value === null || value === undefined ? [] : [`--${name} ${quoted(value)}`]
  return {
    method: "POST",
    path: "/instances",
    body: shown,
    key,
    sdk: `vps.instances.createAndWait(${literal(shown)}, { idempotencyKey: ${JSON.stringify(key)} })`,
    vps: [
      `vps instance create --plan ${quoted(plan.slug)}`,
      ...option("hostname", body.hostname),
      ...option("os", body.os),
      ...option("coupon", body.coupon_code),
      ...(body.ssh_pubkey === undefined ? [] : ["--ssh-key ~/.ssh/id_ed25519.pub"]),
      `--idempotency-key ${key}`,
      "--wait"
    ].join(" "),
    pulumi: pulumiOf(shown)
  }
}

/** The charge of an order and the rest in the wallet, from the service's own dry run. */
export interface PriceState {
  readonly preview: DryRun | undefined
  readonly failure: string | undefined
  /** False until the service has answered for the form as it is now: another price may be shown until then. */
  readonly isCurrent: boolean
}

/** Between the last keystroke and the dry run. */
const PAUSE_MILLIS = 350

const failureOf = (error: unknown): string =>
  error instanceof ApiError && error.fields.length > 0
    ? error.fields.map(({ field, message }) => `${field}: ${message}`).join(" ")
    : messageOf(error)

/** Only what changes the price or may be refused; a password is not sent before the order. */
const previewBody = ({ root_password: _password, ...body }: CreateInstance): CreateInstance => body

type Shown = Omit<PriceState, "isCurrent">

const NOTHING: Shown = { preview: undefined, failure: undefined }

export const usePrice = (account: number, body: CreateInstance): PriceState => {
  const [state, setState] = useState({ ...NOTHING, text: "" })
  const latest = useRef("")
  const text = JSON.stringify(previewBody(body))
  useEffect(() => {
    latest.current = text
    const report = (next: Shown) => latest.current === text && setState({ ...next, text })
    const run = async () => {
      try {
        const preview = await send("POST /accounts/:account/v1/instances", {
          params: { account },
          query: { dry_run: true },
          body: JSON.parse(text) as CreateInstance
        })
        report({ preview: preview as DryRun, failure: undefined })
      } catch (error) {
        report({ preview: undefined, failure: failureOf(error) })
      }
    }
    const timer = window.setTimeout(() => void run(), PAUSE_MILLIS)
    return () => window.clearTimeout(timer)
  }, [account, text])
  return { preview: state.preview, failure: state.failure, isCurrent: state.text === text }
}

const Preview = ({ preview }: { readonly preview: DryRun }) => {
  const { billing_cycle: cycle, charge_amount: charge, currency, discount_amount: discount } = preview
  const { sufficient_funds: enough, wallet_balance: balance } = preview
  const rows = [
    ["Charged now", <strong key="charge">{money(charge, currency)}</strong>],
    ...(discount > 0 ? [["Discount by the coupon", money(discount, currency)] as const] : []),
    ["Billed", `${cycle}; renewed from the wallet until you switch that off`],
    ["In the wallet", money(balance, currency)],
    ...(enough ? [["Left afterwards", money(balance - charge, currency)] as const] : [])
  ] as const
  return (
    <>
      <Facts rows={rows} />
      {!enough && (
        <Notice
          tone="warn"
          title="The wallet does not cover this"
          action={<LinkButton href="/panel/wallet">Wallet</LinkButton>}
        >
          {money(charge - balance, currency)} are missing. <AskHost /> for a top-up, or choose a smaller plan.
        </Notice>
      )}
    </>
  )
}

interface PriceProps {
  readonly price: PriceState
  readonly plan: PublicPlan
}

export const Price = ({ plan, price: { failure, preview } }: PriceProps) => (
  <div class="stack" aria-live="polite">
    {failure !== undefined && <Notice tone="bad">{failure}</Notice>}
    {preview === undefined ? failure === undefined && <Skeleton lines={3} /> : <Preview preview={preview} />}
    <p class="muted">
      {plan.name} is installed at once and has its address within a minute or two. You see each step on its page.
    </p>
  </div>
)

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
              ? (
                <Empty icon="catalogue" title="No plans at the moment">
                  <AskHost /> when there will be plans.
                </Empty>
              )
              : <Ordering plans={plans} />}
        </Loaded>
      </div>
    </Page>
  )
}
