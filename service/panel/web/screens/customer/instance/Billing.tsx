/** The price of the instance, its next charge, and automatic renewal. */
import { pathTo, send, useRead } from "../../../api/calls.ts"
import { useContracts } from "../../../api/contracts.ts"
import { date, money } from "../../../api/format.ts"
import { nameOf, priceOf } from "../../../api/instances.ts"
import { refresh } from "../../../api/query.ts"
import { useCurrency, useSession } from "../../../api/session.ts"
import { ActionButton } from "../../../components/ActionButton.tsx"
import { Confirm } from "../../../components/FormDialog.tsx"
import { Facts, Notice, Section } from "../../../components/Page.tsx"
import { When } from "../../../components/Values.tsx"
import { useInstance } from "./Context.ts"

const DAY_MILLIS = 24 * 3_600_000

/** The day on which the data of an instance is deleted that is not renewed; undefined while its end is unknown. */
const useDeletion = (): string | undefined => {
  const { grace_days: grace } = useSession()
  const { expires_at: end } = useInstance().instance
  return end === null ? undefined : date(new Date(Date.parse(end) + grace * DAY_MILLIS).toISOString())
}

const useSwitch = () => {
  const { account, instance: { id } } = useInstance()
  return async (autoRenew: boolean) => {
    const result = await send("PUT /accounts/:account/instances/:id/auto-renew", {
      params: { account, id },
      body: { auto_renew: autoRenew }
    })
    refresh(pathTo("/accounts/:account/v1/instances", { account }))
    return result
  }
}

const SwitchOff = () => {
  const { instance } = useInstance()
  const deletion = useDeletion()
  const change = useSwitch()
  const run = async () => {
    await change(false)
    return `Auto-renew is off for ${nameOf(instance)}.`
  }
  return (
    <Confirm
      action="Switch off auto-renew"
      question={`Switch off auto-renew for ${nameOf(instance)}?`}
      submit="Switch off"
      run={run}
    >
      <p>
        It runs until <When at={instance.expires_at} />{" "}
        and is powered off then. You can switch auto-renew on again until its end.
      </p>
      {deletion !== undefined && (
        <Notice tone="warn">
          Its disk, its snapshots, and its backups are deleted on {deletion}.
        </Notice>
      )}
    </Confirm>
  )
}

const SwitchOn = () => {
  const change = useSwitch()
  const run = async () => {
    const { expires_at: end, renewed } = await change(true)
    if (renewed) return "It was renewed now, from the wallet."
    return end === null ? "Auto-renew is on." : `Auto-renew is on. The next charge is on ${date(end)}.`
  }
  return <ActionButton run={run}>Switch on auto-renew</ActionButton>
}

const Low = () => {
  const { account, instance } = useInstance()
  const { data: wallet } = useRead("/accounts/:account/wallet", { params: { account } })
  if (wallet === undefined) return null
  const isAtRisk = wallet.at_risk?.instances.includes(instance.id) === true
  if (!isAtRisk && wallet.balance >= priceOf(instance)) return null
  return (
    <Notice tone="warn" title="The wallet does not cover the next charge">
      It holds {money(wallet.balance, wallet.currency)}. <a href="/panel/wallet">Top it up</a> before{" "}
      <When at={instance.expires_at} day />, else the instance is powered off.
    </Notice>
  )
}

export const Billing = () => {
  const { instance } = useInstance()
  const currency = useCurrency()
  const deletion = useDeletion()
  const renews = instance.auto_renew !== false
  const price = `${money(priceOf(instance), currency)} ${instance.order.service.billing_cycle}`
  const end = <When key="end" at={instance.expires_at} day />
  const announced = useContracts()?.prices.find(({ instance_id: id }) => id === instance.id)
  const newPrice = announced === undefined ? [] : [
    [
      "New price",
      <span key="new">
        <strong>{money(announced.charge, currency)}</strong> for periods from <When at={announced.from} day /> on
      </span>
    ] as const
  ]
  const rows = renews
    ? [["Price", price], ...newPrice, ["Next charge", end], ["Auto-renew", "On"]] as const
    : [
      ["Price", price],
      ...newPrice,
      ["Runs until", end],
      ["Data deleted", deletion ?? "–"],
      ["Auto-renew", "Off"]
    ] as const
  const until = instance.renewable_until
  return (
    <Section title="Billing" actions={renews ? <SwitchOff /> : <SwitchOn />}>
      <Facts rows={rows} />
      {until !== null && until !== undefined && (
        <Notice tone="warn" title="Expired, and still here">
          A top-up of the wallet before <When at={until} /> renews it. Afterwards it is deleted.
        </Notice>
      )}
      {renews && instance.status !== "expired" && <Low />}
    </Section>
  )
}
