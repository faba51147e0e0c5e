/** All instances of the account: search, filter, sort, and a choice of several. */
import { useMemo, useState } from "preact/hooks"
import type { ContractsRecord } from "../../../contract/AccountCalls.ts"
import type { AccountTask } from "../../../contract/TaskCalls.ts"
import { useRead } from "../../api/calls.ts"
import { useContracts } from "../../api/contracts.ts"
import { money } from "../../api/format.ts"
import { detailsOf, type Instance, nameOf, orderedOf, priceOf, searchText } from "../../api/instances.ts"
import { useFailures } from "../../api/failures.ts"
import { badgeOf } from "../../api/outcomes.ts"
import { useWallet } from "../../api/wallet.ts"
import { useFilters, useSearch } from "../../components/filters.ts"
import { useAccountId, useCurrency } from "../../api/session.ts"
import { Button, LinkButton } from "../../components/Button.tsx"
import { Empty, later, Loaded, Page } from "../../components/Page.tsx"
import { useCanChange } from "../../components/ReadOnly.tsx"
import { type Choice, type Column, Table } from "../../components/Table.tsx"
import { Money, Status, toneOf, When } from "../../components/Values.tsx"
import { useImageName } from "./Image.ts"
import { LabelChips, Labelled } from "./Labels.tsx"
import { Usage } from "./Usage.tsx"

const BulkPower = later(async () => (await import("./BulkPower.tsx")).BulkPower, null)

/** An instance of the list, with the first of its failures that no member has dismissed. */
interface Listed extends Instance {
  readonly failure: AccountTask | undefined
  /** True if the wallet does not pay for what is due. */
  readonly unpaid: boolean
  /** Announced; undefined if the price stays. */
  readonly newPrice: ContractsRecord["prices"][number] | undefined
  /** True while a suspension costs nothing: the next charge comes later than it would otherwise. */
  readonly isPaused: boolean
}

const Name = ({ instance }: { readonly instance: Instance }) => {
  const image = useImageName(instance.order.service_id, detailsOf(instance).os ?? orderedOf(instance).os)
  return (
    <>
      <a class="row-link" href={`/panel/instances/${instance.id}`}>{nameOf(instance)}</a>
      <span class="muted second">
        {instance.order.service.name}
        <span class="wide-only">{" · "}{image}</span>
        {typeof instance.ipv4 === "string" && <span class="narrow-only">{" · "}{instance.ipv4}</span>}
      </span>
      <LabelChips id={instance.id} />
    </>
  )
}

const State = ({ instance: { auto_renew: renews, failure, id, status, unpaid } }: { readonly instance: Listed }) => (
  <>
    <Status value={status} />
    {failure !== undefined && (
      <span class="second">
        <a class="badge bad" href={`/panel/instances/${id}`}>{badgeOf(failure)}</a>
      </span>
    )}
    {unpaid && (
      <span class="second">
        <a class="badge bad" href="/panel/wallet">Not paid for</a>
      </span>
    )}
    {renews === false && status !== "failed" && (
      <span class="second">
        <span class="badge warn">Not renewed</span>
      </span>
    )}
  </>
)

const Addresses = ({ instance }: { readonly instance: Instance }) => (
  <>
    <code>{instance.ipv4 ?? "–"}</code>
    {detailsOf(instance).ipv6 !== undefined && <code class="second muted">{detailsOf(instance).ipv6}</code>}
  </>
)

const NextCharge = ({ instance }: { readonly instance: Listed }) => {
  const { auto_renew: renews, expires_at: end, isPaused, renewable_until: deletion } = instance
  if (isPaused) return <span class="muted">after the suspension</span>
  const isExpired = deletion !== null && deletion !== undefined
  return (
    <>
      <When at={isExpired ? deletion : end} day />
      {isExpired && <span class="second bad">deleted then</span>}
      {!isExpired && renews === false && end !== null && <span class="muted second">ends then</span>}
    </>
  )
}

const columnsFor = (currency: string): ReadonlyArray<Column<Listed>> => [
  { key: "name", title: "Name", by: nameOf, cell: (one) => <Name instance={one} /> },
  { key: "status", title: "Status", by: (one) => one.status, cell: (one) => <State instance={one} /> },
  {
    key: "address",
    title: "Address",
    narrow: "none",
    by: (one) => one.ipv4 ?? "",
    cell: (one) => <Addresses instance={one} />
  },
  { key: "usage", title: "CPU and memory", narrow: "none", cell: (one) => <Usage instance={one} /> },
  {
    key: "price",
    title: "Price",
    narrow: "second",
    numeric: true,
    by: priceOf,
    cell: (one) => (
      <>
        <Money amount={priceOf(one)} currency={currency} />
        <span class="muted second">{one.order.service.billing_cycle}</span>
        {one.newPrice !== undefined && (
          <span class="second">
            {money(one.newPrice.charge, currency)} from <When at={one.newPrice.from} day />
          </span>
        )}
      </>
    )
  },
  {
    key: "next",
    title: "Next charge",
    narrow: "none",
    numeric: true,
    by: (one) => one.expires_at ?? "",
    cell: (one) => <NextCharge instance={one} />
  }
]

const FILTERS = {
  all: () => true,
  running: ({ status }: Instance) => status === "running",
  stopped: ({ status }: Instance) => status === "stopped",
  busy: ({ status }: Instance) => toneOf(status) === "busy",
  problem: ({ failure, status, unpaid }: Listed) => failure !== undefined || unpaid || toneOf(status) === "bad"
} as const
type Filter = keyof typeof FILTERS
const FILTER_NAMES = { all: "All", running: "Running", stopped: "Stopped", busy: "Busy", problem: "With a problem" }

const filterIn = (word: string | undefined): Filter => word !== undefined && word in FILTERS ? word as Filter : "all"

const withNews = (
  instances: ReadonlyArray<Instance>,
  failures: ReadonlyArray<AccountTask> = [],
  unpaid: ReadonlyArray<number> = [],
  { prices, suspended }: Pick<ContractsRecord, "prices" | "suspended"> = { prices: [], suspended: [] }
): ReadonlyArray<Listed> => {
  const failureOf = new Map(failures.map((task) => [task.instance_id, task]))
  const priceOf = new Map(prices.map((price) => [price.instance_id, price]))
  const paused = new Set(suspended.filter(({ charge }) => charge === null).map((one) => one.instance_id))
  return instances.map((one) => ({
    ...one,
    failure: failureOf.get(one.id),
    unpaid: unpaid.includes(one.id),
    newPrice: priceOf.get(one.id),
    isPaused: paused.has(one.id)
  }))
}

const useChoice = (rows: ReadonlyArray<Instance>) => {
  const canChange = useCanChange()
  const [chosen, setChosen] = useState<ReadonlySet<number | string>>(new Set())
  const all = rows.length > 0 && rows.every(({ id }) => chosen.has(id))
  const byId = new Map(rows.map((one) => [one.id, one] as const))
  const choice: Choice = {
    has: (id) => chosen.has(id),
    toggle: (id) => setChosen(new Set(chosen.has(id) ? [...chosen].filter((one) => one !== id) : [...chosen, id])),
    all,
    toggleAll: () => setChosen(all ? new Set() : new Set(rows.map(({ id }) => id))),
    nameOf: (id) => nameOf(byId.get(Number(id))!)
  }
  return {
    choice: canChange ? choice : undefined,
    chosen: rows.filter(({ id }) => chosen.has(id)),
    clear: () => setChosen(new Set())
  }
}

const List = ({ instances: all }: { readonly instances: ReadonlyArray<Instance> }) => {
  const currency = useCurrency()
  const state = useFilters(true)
  const { setText, text } = useSearch(state)
  const filter = filterIn(state.values["show"])
  const failures = useFailures()
  const unpaid = useWallet()?.at_risk?.instances
  const contracts = useContracts()
  const instances = useMemo(() => withNews(all, failures, unpaid, contracts), [all, failures, unpaid, contracts])
  const texts = useMemo(() => new Map(instances.map((one) => [one.id, searchText(one)])), [instances])
  const columns = useMemo(() => columnsFor(currency), [currency])
  const words = text.toLowerCase().split(/\s+/)
  const found = instances.filter((one) =>
    FILTERS[filter](one) && words.every((word) => texts.get(one.id)?.includes(word))
  )
  const { choice, chosen, clear } = useChoice(found)
  const reset = () => {
    setText("")
    state.change({ show: "" })
  }
  return (
    <>
      <div class="toolbar">
        <input
          type="search"
          aria-label="Search by name, address, plan, or status"
          placeholder="Search by name, address, plan…"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <select
          aria-label="Show"
          value={filter}
          onChange={({ currentTarget: { value } }) => state.change({ show: value === "all" ? "" : value })}
        >
          {Object.entries(FILTER_NAMES).map(([key, name]) => <option key={key} value={key}>{name}</option>)}
        </select>
        <span class="muted" role="status">{found.length} of {instances.length}</span>
      </div>
      {chosen.length > 0 && <BulkPower chosen={chosen} onClear={clear} />}
      {found.length === 0
        ? (
          <Empty icon="search" title="Nothing found">
            <Button onClick={reset}>Show all instances</Button>
          </Empty>
        )
        : <Table inAddress label="Instances" {...{ columns, choice }} rows={found} idOf={({ id }) => id} />}
    </>
  )
}

const None = () =>
  useCanChange()
    ? (
      <Empty icon="instances" title="No instances yet">
        <p>Order the first one here, or with the API: make a key under Keys, then use the SDK, vps, or Pulumi.</p>
        <LinkButton kind="primary" href="/panel/order">Order an instance</LinkButton>
      </Empty>
    )
    : <Empty icon="instances" title="No instances yet">A member with full access can order one.</Empty>

const Ended = later(async () => (await import("./Ended.tsx")).Ended, null)

/** Loaded only after a deletion. */
const Gone = () => {
  const ended = useContracts()?.ended ?? []
  return ended.length === 0 ? null : <Ended ended={ended} />
}

export const Instances = () => {
  const query = useRead("/accounts/:account/v1/instances", { params: { account: useAccountId() } })
  const order = <LinkButton kind="primary" icon="plus" href="/panel/order">Order an instance</LinkButton>
  return (
    <Page title="Instances" actions={useCanChange() && order}>
      <Loaded query={query} lines={8}>
        {(instances) =>
          instances.length === 0
            ? <None />
            : <Labelled instances={instances}>{(chosen) => <List instances={chosen} />}</Labelled>}
      </Loaded>
      <Gone />
    </Page>
  )
}
