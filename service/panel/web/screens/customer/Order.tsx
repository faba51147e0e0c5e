/** Buying an instance: the plan, what is installed, and the price with the wallet before anything is bought. */
import type { CreateInstance, DryRun, Instance } from "@pulumi-vps/contract/Instance"
import type { PublicPlan } from "@pulumi-vps/contract/Services"
import { type Example, literal, quoted, ShowCode } from "../../components/ShowCode.tsx"
import { useEffect, useRef, useState } from "preact/hooks"
import { pathTo, send, useRead } from "../../api/calls.ts"
import { ApiError, maxCharge, messageOf, newKey } from "../../api/client.ts"
import { money } from "../../api/format.ts"
import { Button, LinkButton } from "../../components/Button.tsx"
import { Empty, Facts, Loaded, Notice, Page, Section, Skeleton } from "../../components/Page.tsx"
import { useLocation } from "preact-iso/router"
import { deleteDraft, draftOf, saveDraft } from "../../api/draft.ts"
import { refresh } from "../../api/query.ts"
import { useAccountId } from "../../api/session.ts"
import { Form, present, TextField, type Values } from "../../components/Form.tsx"
import { notify } from "../../api/toasts.ts"
import { nameOf, orderedOf } from "../../api/instances.ts"
import { useImageName } from "./Image.ts"
import { problemText } from "../../api/problems.ts"
import {
  type Access,
  AccessFields,
  accessOf,
  accessTo,
  Images,
  newPassword,
  PasswordDialog,
  Plans
} from "./OrderChoices.tsx"
import { AskHost } from "../../components/Brand.tsx"
import { HowToPay } from "../../components/HowToPay.tsx"

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
  /** Of the form, by the names of its fields. */
  readonly problems: ReadonlyMap<string, string>
  /** False until the service has answered for the form as it is now: another price may be shown until then. */
  readonly isCurrent: boolean
  readonly retry: () => void
}

/** Between the last keystroke and the dry run. */
const PAUSE_MILLIS = 350
/** After a dry run that did not reach the service. */
const AGAIN_MILLIS = 2_000

const NO_PROBLEMS: ReadonlyMap<string, string> = new Map()

/** The rejection of a coupon is a sentence without a field. */
const COUPON = /^Coupon /

/** A problem is shown at its field, and nowhere else. */
const rejectionOf = (error: unknown): Omit<Shown, "preview"> => {
  const fields = error instanceof ApiError ? error.fields : []
  if (fields.length > 0) {
    const problems = new Map(fields.map(({ field, message }) => [field, problemText(message)]))
    return { failure: undefined, problems }
  }
  const text = messageOf(error)
  return COUPON.test(text)
    ? { failure: undefined, problems: new Map([["coupon_code", text]]) }
    : { failure: text, problems: NO_PROBLEMS }
}

/** Only what changes the price or may be refused; a password is not sent before the order. */
const previewBody = ({ root_password: _password, ...body }: CreateInstance): CreateInstance => body

type Shown = Omit<PriceState, "isCurrent" | "retry">

const NOTHING: Shown = { preview: undefined, failure: undefined, problems: NO_PROBLEMS }

export const usePrice = (account: number, body: CreateInstance): PriceState => {
  const [state, setState] = useState<Shown & { readonly text: string }>({ ...NOTHING, text: "" })
  const [attempt, setAttempt] = useState(0)
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
        report({ preview: preview as DryRun, failure: undefined, problems: NO_PROBLEMS })
      } catch (error) {
        report({ preview: undefined, ...rejectionOf(error) })
        // Nothing arrived: it heals by itself when the network is back.
        if (error instanceof ApiError && error.status === 0 && !isOver) {
          timer = window.setTimeout(() => setAttempt((before) => before + 1), AGAIN_MILLIS)
        }
      }
    }
    let isOver = false
    let timer = window.setTimeout(() => void run(), PAUSE_MILLIS)
    return () => {
      isOver = true
      window.clearTimeout(timer)
    }
  }, [account, attempt, text])
  const retry = () => {
    setState((before) => ({ ...before, text: "" }))
    setAttempt((before) => before + 1)
  }
  return { ...state, isCurrent: state.text === text, retry }
}

interface Choice {
  readonly plan: PublicPlan
  readonly image: string
  readonly body: CreateInstance
  readonly access: Access
}

const accessText = ({ access, body }: Pick<Choice, "access" | "body">): string => {
  if (access === "password") return "Root password, shown once"
  return body.ssh_pubkey === undefined ? "SSH key, not chosen yet" : "SSH key"
}

/** The choice, beside its price. */
const Chosen = ({ access, body, image, plan }: Choice) => (
  <Facts
    rows={[
      ["Plan", plan.name],
      ["Name", body.hostname ?? <span key="none" class="muted">not chosen yet</span>],
      ["Image", image],
      ["Access", accessText({ access, body })]
    ]}
  />
)

const Preview = ({ preview }: { readonly preview: DryRun }) => {
  const { billing_cycle: cycle, charge_amount: charge, currency, discount_amount: discount } = preview
  const { sufficient_funds: enough, wallet_balance: balance } = preview
  const rows = [
    ["Charged now", <strong key="charge" class="total">{money(charge, currency)}</strong>],
    ...(discount > 0 ? [["Discount", `${money(discount, currency)}, by the coupon`] as const] : []),
    ["Wallet", money(balance, currency)],
    ...(enough ? [["Wallet after", money(balance - charge, currency)] as const] : [])
  ] as const
  return (
    <>
      <Facts rows={rows} />
      <p class="muted">Billed {cycle}, and renewed from the wallet until you switch that off.</p>
      {!enough && (
        <Notice
          tone="warn"
          title="The wallet does not cover this"
          action={<LinkButton href="/panel/wallet">Wallet</LinkButton>}
        >
          It holds {money(balance, currency)}, and {money(charge, currency)} are due.
          <HowToPay missing={charge - balance} />
        </Notice>
      )}
    </>
  )
}

const Price = ({ price: { failure, preview, problems, retry } }: { readonly price: PriceState }) => {
  if (preview !== undefined) return <Preview preview={preview} />
  if (failure !== undefined) {
    return <Notice tone="bad" action={<Button onClick={retry}>Try again</Button>}>{failure}</Notice>
  }
  return problems.size > 0 ? <p class="muted">The price appears when the form is correct.</p> : <Skeleton lines={3} />
}

interface SummaryProps extends Choice {
  readonly price: PriceState
  readonly idempotencyKey: string
}

const Summary = ({ idempotencyKey, price, ...choice }: SummaryProps) => (
  <Section
    title="Your order"
    note="Nothing is charged until you order."
    actions={<ShowCode title="Order this instance" example={orderExample(choice.body, choice.plan, idempotencyKey)} />}
  >
    <div class="stack" aria-live="polite">
      <Chosen {...choice} />
      <Price price={price} />
    </div>
  </Section>
)

/** The body of the create that the form describes; `password` if that is the way to log in. */
const bodyOf = ({ number, text }: Values, password: string): CreateInstance => {
  const byKey = accessOf({ text }) === "key"
  const fields = present({
    hostname: text("hostname"),
    os: text("os"),
    ssh_pubkey: byKey ? text("ssh_pubkey") : undefined,
    root_password: byKey ? undefined : password,
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

/** The form shows the new price with it, so that the next order accepts that. */
const otherPrice = (charge: string, { charge_amount: shown, currency }: DryRun): string =>
  `The price has changed: ${charge} would be charged now, instead of ${money(shown, currency)}. Nothing was charged. `
  + "Order again to accept it."

/** True if the lost first attempt, which bought the instance, had another value in a field. */
const differsIn = (mismatch: string | null, field: string): boolean => (mismatch ?? "").split(", ").includes(field)

interface OrderingProps {
  readonly plans: ReadonlyArray<PublicPlan>
  /** An earlier order to repeat. */
  readonly again: Instance | undefined
}

/** A function that buys what the form describes; the password is the one that it sends. */
const useBuy = (
  price: PriceState,
  password: string,
  before: string | undefined,
  onPassword: (made: Instance) => void
) => {
  const account = useAccountId()
  const { route } = useLocation()
  // The same for every attempt of this form: a lost response never buys twice.
  const [key] = useState(() => before ?? newKey())
  const buy = async (values: Values) => {
    const headers = { "idempotency-key": key, ...maxCharge(price.preview) }
    let mismatch: string | null = null
    const body = bodyOf(values, password)
    const made = await send("POST /accounts/:account/v1/instances", {
      params: { account },
      body,
      headers,
      onHeaders: (answered) => mismatch = answered.get("idempotent-mismatch")
    }).catch((error: unknown) => {
      // The wallet or the price is another one than the form shows.
      if (error instanceof ApiError && (error.status === 402 || error.charge !== undefined)) price.retry()
      if (!(error instanceof ApiError) || error.charge === undefined || price.preview === undefined) throw error
      throw new ApiError(otherPrice(error.charge, price.preview), error.status)
    }) as Instance
    deleteDraft()
    refresh(pathTo("/accounts/:account/v1/instances", { account }), pathTo("/accounts/:account/wallet", { account }))
    if (mismatch !== null) notify("bad", boughtBefore(made.id, mismatch))
    const hasPassword = (body.root_password !== undefined) !== differsIn(mismatch, "root_password")
    if (hasPassword) onPassword(made)
    else route(`/panel/instances/${made.id}`)
  }
  return { buy, key }
}

/** The fields below the plans. */
interface InstallationProps extends Pick<Choice, "access" | "body"> {
  /** The values that the form begins with. */
  readonly before: Partial<CreateInstance>
  readonly onImage: (slug: string) => void
}

const Installation = ({ access, before, body, onImage }: InstallationProps) => {
  return (
    <Section title="Name, image, and access">
      <div class="fields">
        <TextField
          name="hostname"
          label="Name"
          required
          maxLength={253}
          placeholder="web.example.com"
          defaultValue={before.hostname ?? undefined}
          hint="Its host name. Letters, digits, and hyphens, with dots between them."
        />
        <Images plan={body.service_id} chosen={body.os} onChoose={onImage} />
        <AccessFields access={access} image={body.os ?? undefined} before={before.ssh_pubkey ?? undefined} />
        <TextField
          name="coupon_code"
          label="Coupon"
          maxLength={64}
          defaultValue={before.coupon_code ?? undefined}
          hint="Optional. It applies to the first period."
        />
      </div>
    </Section>
  )
}

/** The reason for which nothing can be ordered now; undefined if it can. */
const offOf = ({ isCurrent, preview, problems }: PriceState): string | undefined => {
  if (preview?.sufficient_funds === false) return "The wallet does not hold enough. Add money first."
  if (problems.size > 0) return "Correct the form first."
  return preview === undefined || !isCurrent ? "The price is being computed." : undefined
}

const Ordering = ({ again, plans }: OrderingProps) => {
  const account = useAccountId()
  const { route } = useLocation()
  const [password] = useState(newPassword)
  const [draft] = useState(() => again === undefined ? draftOf(account) : undefined)
  const [access, setAccess] = useState<Access>(draft?.access ?? "key")
  const [made, setMade] = useState<Instance>()
  const [before] = useState<Partial<CreateInstance>>(() => draft?.body ?? restOf(again))
  const first = plans.find(({ id }) => id === before.service_id) ?? plans[0]!
  const [body, setBody] = useState<CreateInstance>({ ...before, service_id: first.id })
  const price = usePrice(account, body)
  const plan = plans.find(({ id }) => id === body.service_id) ?? first
  const image = useImageName(plan.id, body.os)
  const { buy, key } = useBuy(price, password, draft?.key, setMade)
  const affordable = price.preview?.sufficient_funds !== false
  const input = (values: Values) => {
    const typed = bodyOf(values, password)
    setAccess(accessOf(values))
    setBody(typed)
    saveDraft({ account, body: previewBody(typed), access: accessOf(values), key })
  }
  const choice = { access: accessTo(body.os, access), body, image, plan, price }
  const summary = <Summary {...choice} idempotencyKey={key} />
  return (
    <>
      <Form
        submit={affordable ? "Order and pay" : "Not enough in the wallet"}
        off={offOf(price)}
        onSubmit={buy}
        onInput={input}
        problems={price.problems}
        aside={summary}
      >
        <Plans plans={plans} chosen={first.id} />
        <Installation {...{ access, before, body }} onImage={(os) => setBody({ ...body, os })} />
      </Form>
      {made !== undefined && (
        <PasswordDialog
          name={nameOf(made)}
          password={password}
          onClose={() => route(`/panel/instances/${made.id}`)}
        />
      )}
    </>
  )
}

/** The fields of an earlier order that can be repeated: a key is only known by its fingerprint. */
const restOf = (again: Instance | undefined): Partial<CreateInstance> => {
  if (again === undefined) return {}
  const { coupon_code, hostname, os } = orderedOf(again)
  return present({
    service_id: again.order.service_id,
    hostname: hostname ?? undefined,
    os: os ?? undefined,
    coupon_code: coupon_code ?? undefined
  })
}

/** The order in the address that is to be repeated. */
const useAgain = () => {
  const id = useLocation().query["again"]
  const account = useAccountId()
  const { data, error } = useRead(
    id === undefined ? undefined : "/accounts/:account/v1/instances/:instance_id",
    { params: { account, instance_id: id ?? "" } }
  )
  return { again: data, isReady: id === undefined || data !== undefined || error !== undefined }
}

export const Order = () => {
  const query = useRead("/accounts/:account/v1/services", { params: { account: useAccountId() } })
  const { again, isReady } = useAgain()
  return (
    <Page title="Order an instance" parent={{ href: "/panel/instances", name: "Instances" }}>
      <div class="order">
        <Loaded query={isReady ? query : { ...query, data: undefined }} lines={8}>
          {(plans) =>
            plans.length === 0
              ? (
                <Empty icon="catalogue" title="No plans at the moment">
                  <AskHost /> when there will be plans.
                </Empty>
              )
              : <Ordering plans={plans} again={again} />}
        </Loaded>
      </div>
    </Page>
  )
}
