/** All instances of the account: search, filter, sort, and power for many at once. */
import { useMemo, useState } from "preact/hooks"
import { useRead } from "../../api/calls.ts"
import { detailsOf, type Instance, nameOf, priceOf, searchText } from "../../api/instances.ts"
import { useAccountId, useCurrency } from "../../api/session.ts"
import { Button, LinkButton } from "../../components/Button.tsx"
import { Page } from "../../components/Page.tsx"
import { Empty, Loaded } from "../../components/State.tsx"
import { type Choice, type Column, Table } from "../../components/Table.tsx"
import { Money, Status, toneOf, When } from "../../components/Values.tsx"
import { BulkPower } from "./BulkPower.tsx"
import { Usage } from "./Usage.tsx"

const Name = ({ instance }: { readonly instance: Instance }) => (
  <>
    <a class="row-link" href={`/panel/instances/${instance.id}`}>{nameOf(instance)}</a>
    <span class="muted second">{instance.order.service.name} · {detailsOf(instance).os ?? `#${instance.id}`}</span>
  </>
)

const Addresses = ({ instance }: { readonly instance: Instance }) => (
  <>
    <code>{instance.ipv4 ?? "–"}</code>
    {detailsOf(instance).ipv6 !== undefined && <code class="second muted">{detailsOf(instance).ipv6}</code>}
  </>
)

const columnsFor = (currency: string): ReadonlyArray<Column<Instance>> => [
  { key: "name", title: "Name", by: nameOf, cell: (one) => <Name instance={one} /> },
  { key: "status", title: "Status", by: (one) => one.status, cell: (one) => <Status value={one.status} /> },
  { key: "address", title: "Address", by: (one) => one.ipv4 ?? "", cell: (one) => <Addresses instance={one} /> },
  { key: "usage", title: "CPU and memory", cell: (one) => <Usage instance={one} /> },
  {
    key: "price",
    title: "Price",
    numeric: true,
    by: priceOf,
    cell: (one) => (
      <>
        <Money amount={priceOf(one)} currency={currency} />
        <span class="muted second">{one.order.service.billing_cycle}</span>
      </>
    )
  },
  {
    key: "next",
    title: "Next charge",
    numeric: true,
    by: (one) => one.expires_at ?? "",
    cell: (one) => (
      <>
        <When at={one.expires_at} day />
        {one.auto_renew === false && <span class="muted second">ends, not renewed</span>}
      </>
    )
  }
]

const FILTERS = {
  all: () => true,
  running: ({ status }: Instance) => status === "running",
  stopped: ({ status }: Instance) => status === "stopped",
  busy: ({ status }: Instance) => toneOf(status) === "busy",
  problem: ({ status }: Instance) => toneOf(status) === "bad"
} as const
type Filter = keyof typeof FILTERS
const FILTER_NAMES = { all: "All", running: "Running", stopped: "Stopped", busy: "Busy", problem: "With a problem" }

const useChoice = (rows: ReadonlyArray<Instance>) => {
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
  return { choice, chosen: rows.filter(({ id }) => chosen.has(id)), clear: () => setChosen(new Set()) }
}

const List = ({ instances }: { readonly instances: ReadonlyArray<Instance> }) => {
  const currency = useCurrency()
  const [text, setText] = useState("")
  const [filter, setFilter] = useState<Filter>("all")
  const texts = useMemo(() => new Map(instances.map((one) => [one.id, searchText(one)])), [instances])
  const columns = useMemo(() => columnsFor(currency), [currency])
  const words = text.toLowerCase().split(/\s+/)
  const found = instances.filter((one) =>
    FILTERS[filter](one) && words.every((word) => texts.get(one.id)?.includes(word))
  )
  const { choice, chosen, clear } = useChoice(found)
  const reset = () => {
    setText("")
    setFilter("all")
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
          onChange={(event) => setFilter(event.currentTarget.value as Filter)}
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
        : <Table label="Instances" {...{ columns, choice }} rows={found} idOf={({ id }) => id} />}
    </>
  )
}

const None = () => (
  <Empty icon="instances" title="No instances yet">
    <p>Order the first one here, or with the API: make a key under Keys, then use the SDK, vps, or Pulumi.</p>
    <LinkButton kind="primary" href="/panel/order">Order an instance</LinkButton>
  </Empty>
)

export const Instances = () => {
  const query = useRead("/accounts/:account/v1/instances", { params: { account: useAccountId() } })
  return (
    <Page
      title="Instances"
      actions={<LinkButton kind="primary" icon="plus" href="/panel/order">Order an instance</LinkButton>}
    >
      <Loaded query={query} lines={8}>
        {(instances) => instances.length === 0 ? <None /> : <List instances={instances} />}
      </Loaded>
    </Page>
  )
}
