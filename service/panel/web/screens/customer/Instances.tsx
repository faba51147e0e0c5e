/** All instances of the account: search, filter, sort, and power for many at once. */
import { useMemo, useState } from "preact/hooks"
import { pathTo, send, useRead } from "../../api/calls.ts"
import { messageOf } from "../../api/client.ts"
import { detailsOf, type Instance, nameOf, priceOf, searchText } from "../../api/instances.ts"
import { refresh } from "../../api/query.ts"
import { useAccountId, useCurrency } from "../../api/session.ts"
import { Button, LinkButton } from "../../components/Button.tsx"
import { Dialog } from "../../components/Dialog.tsx"
import type { IconName } from "../../components/Icon.tsx"
import { Empty, Loaded, Page } from "../../components/Page.tsx"
import { useCanChange } from "../../components/ReadOnly.tsx"
import { type Choice, type Column, Table } from "../../components/Table.tsx"
import { Money, Status, toneOf, When } from "../../components/Values.tsx"
import { LabelChips, Labelled } from "./Labels.tsx"
import { Usage } from "./Usage.tsx"

const ACTIONS = {
  start: { name: "Start", icon: "play" },
  restart: { name: "Restart", icon: "restart" },
  stop: { name: "Stop", icon: "stop" }
} as const satisfies Record<string, { name: string; icon: IconName }>
type Action = keyof typeof ACTIONS

/** Few enough to leave the service room for others. */
const AT_ONCE = 4

type Params = { readonly account: number; readonly instance_id: number }
type Result = { readonly ok: boolean; readonly text: string }

const act = async (action: Action, params: Params): Promise<Result> => {
  try {
    const { task_id } = await send(`POST /accounts/:account/v1/instances/:instance_id/${action}`, { params })
    return { ok: true, text: task_id === null ? "Nothing to do" : "Accepted" }
  } catch (error) {
    return { ok: false, text: messageOf(error) }
  }
}

const actOnAll = async (
  ids: ReadonlyArray<number>,
  one: (id: number) => Promise<Result>,
  report: (id: number, result: Result) => void
) => {
  const waiting = [...ids]
  const work = async () => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) report(id, await one(id))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}

interface BulkProps {
  readonly chosen: ReadonlyArray<Instance>
  readonly onClear: () => void
}

interface RunProps extends BulkProps {
  readonly action: Action
  readonly onClose: () => void
}

const Run = ({ action, chosen: first, onClear, onClose }: RunProps) => {
  const account = useAccountId()
  // The choice may shrink while the statuses change.
  const [chosen] = useState(first)
  const [results, setResults] = useState<ReadonlyMap<number, Result>>()
  const { name } = ACTIONS[action]
  const done = results?.size === chosen.length
  const run = async () => {
    let all: ReadonlyMap<number, Result> = new Map()
    setResults(all)
    await actOnAll(chosen.map(({ id }) => id), (id) => act(action, { account, instance_id: id }), (id, result) => {
      all = new Map([...all, [id, result]])
      setResults(all)
    })
    refresh(pathTo("/accounts/:account/v1/instances", { account }))
  }
  const close = () => {
    onClose()
    if (done) onClear()
  }
  const count = `${chosen.length} instance${chosen.length === 1 ? "" : "s"}`
  return (
    <Dialog title={`${name} ${count}`} onClose={close}>
      <ul class="results" aria-live="polite">
        {chosen.map((one) => {
          const result = results?.get(one.id)
          const tone = result === undefined ? "muted" : result.ok ? "good" : "bad"
          return (
            <li key={one.id}>
              <span>{nameOf(one)}</span>
              <span class={tone}>{result?.text ?? (results === undefined ? one.status : "Waiting…")}</span>
            </li>
          )
        })}
      </ul>
      <footer>
        <Button onClick={close}>{done ? "Close" : "Cancel"}</Button>
        {!done && <Button kind="primary" busy={results !== undefined} onClick={() => void run()}>{name} {count}
        </Button>}
      </footer>
    </Dialog>
  )
}

/** Start, stop, or restart the chosen instances; each gets its own result. */
const BulkPower = (props: BulkProps) => {
  const [action, setAction] = useState<Action>()
  return (
    <div class="bulk" role="group" aria-label="Chosen instances">
      <strong>{props.chosen.length} selected</strong>
      {Object.entries(ACTIONS).map(([key, { icon, name }]) => (
        <Button
          key={key}
          icon={icon}
          onClick={() => setAction(key as Action)}
        >
          {name}
        </Button>
      ))}
      <Button kind="quiet" onClick={props.onClear}>Clear</Button>
      {action !== undefined && <Run {...props} action={action} onClose={() => setAction(undefined)} />}
    </div>
  )
}

const Name = ({ instance }: { readonly instance: Instance }) => (
  <>
    <a class="row-link" href={`/panel/instances/${instance.id}`}>{nameOf(instance)}</a>
    <span class="muted second">{instance.order.service.name} · {detailsOf(instance).os ?? `#${instance.id}`}</span>
    <LabelChips id={instance.id} />
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
  const order = <LinkButton kind="primary" icon="plus" href="/panel/order">Order an instance</LinkButton>
  return (
    <Page title="Instances" actions={useCanChange() && order}>
      <Loaded query={query} lines={8}>
        {(instances) =>
          instances.length === 0
            ? <None />
            : <Labelled instances={instances}>{(chosen) => <List instances={chosen} />}</Labelled>}
      </Loaded>
    </Page>
  )
}
