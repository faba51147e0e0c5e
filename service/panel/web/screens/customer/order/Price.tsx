/** The charge of an order and the rest in the wallet, from the service's own dry run. */
import type { CreateInstance, DryRun } from "#contract/Instance"
import type { PublicPlan } from "#contract/Services"
import { useEffect, useRef, useState } from "preact/hooks"
import { send } from "../../../api/calls.ts"
import { ApiError, messageOf } from "../../../api/client.ts"
import { money } from "../../../api/format.ts"
import { LinkButton } from "../../../components/Button.tsx"
import { Facts } from "../../../components/Page.tsx"
import { Notice, Skeleton } from "../../../components/State.tsx"

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
          {money(charge - balance, currency)} are missing. Ask your host for a top-up, or choose a smaller plan.
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
