/** An order that failed, or that the host rejected: why, the refund, and the way to order again. */
import { useRead } from "../../../api/calls.ts"
import { money } from "../../../api/format.ts"
import { orderedOf } from "../../../api/instances.ts"
import { causeOf } from "../../../api/outcomes.ts"
import { LinkButton } from "../../../components/Button.tsx"
import { Facts, Loaded, Notice, Section } from "../../../components/Page.tsx"
import { useCanChange } from "../../../components/ReadOnly.tsx"
import { When } from "../../../components/Values.tsx"
import { useImageName } from "../Image.ts"
import { useInstance } from "./Context.ts"
import { AskHost } from "../../../components/Brand.tsx"

/** The deployment is among the first tasks of an instance that never ran. */
const TASKS_READ = 20

const useCause = (): string | undefined => {
  const { account, instance: { id } } = useInstance()
  const { data } = useRead("/accounts/:account/instances/:id/activity", {
    params: { account, id },
    query: { limit: TASKS_READ }
  })
  const deployment = data?.items.find(({ type }) => type === "provision")
  return deployment === undefined ? undefined : causeOf(deployment)
}

const Refund = () => {
  const { account, instance: { id } } = useInstance()
  const query = useRead("/accounts/:account/wallet/statement", { params: { account }, query: { instance: id } })
  return (
    <Loaded query={query} lines={2}>
      {({ items }) => {
        const refund = items.find(({ kind }) => kind === "refund")
        if (refund === undefined) return <p>Nothing was charged for it.</p>
        return (
          <Facts
            rows={[
              ["Refunded", <strong key="amount">{money(refund.amount, refund.currency)}</strong>],
              [
                "Statement",
                <span key="line">
                  <a href="/panel/wallet">Line {refund.id}</a>, <When at={refund.at} />
                </span>
              ],
              ["Wallet then", money(refund.balance, refund.currency)]
            ]}
          />
        )
      }}
    </Loaded>
  )
}

export const FailedOrder = () => {
  const { instance } = useInstance()
  const { coupon_code: coupon, hostname, os } = orderedOf(instance)
  const image = useImageName(instance.order.service_id, os)
  const cause = useCause()
  const canChange = useCanChange()
  return (
    <>
      <Notice
        tone="bad"
        title="This order failed"
        action={canChange && (
          <LinkButton kind="primary" href={`/panel/order?again=${instance.id}`}>Order again</LinkButton>
        )}
      >
        <p>{cause ?? "The host could not deploy it."} The charge was refunded in full.</p>
      </Notice>
      <div class="grid overview">
        <Section title="Refund">
          <Refund />
        </Section>
        <Section title="Your order">
          <Facts
            rows={[
              ["Plan", instance.order.service.name],
              ["Name", hostname ?? "chosen by the host"],
              ["Image", image],
              ...(coupon === null || coupon === undefined ? [] : [["Coupon", `${coupon}, can be used again`] as const]),
              ["Ordered", <When key="at" at={instance.created_at} />],
              ["Order", instance.order_id]
            ]}
          />
        </Section>
      </div>
      <p class="muted">
        If it fails again, <AskHost>contact your host</AskHost>{" "}
        with the number of the order. This entry leaves the list by itself.
      </p>
    </>
  )
}
