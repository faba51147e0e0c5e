/** Instances of all accounts, with what operators do to them. */
import { actionsOf, type Column } from "../../components/Table.tsx"
import { Page } from "../../components/Page.tsx"
import { Status, When } from "../../components/Values.tsx"
import { CommandList } from "./CommandList.tsx"
import { InstanceActions, type InstanceRecord, nameOf } from "./InstanceActions.tsx"
import { accountHref, instanceHref } from "./Links.ts"

const COLUMNS: ReadonlyArray<Column<InstanceRecord>> = [
  {
    key: "name",
    title: "Name",
    by: nameOf,
    cell: (one) => (
      <>
        <a class="row-link" href={instanceHref(one.id)}>{nameOf(one)}</a>
        <span class="muted second">
          #{one.id} · {one.plan} · <a href={accountHref(one.account_id)}>account {one.account_id}</a>
        </span>
      </>
    )
  },
  {
    key: "status",
    title: "Status",
    by: ({ status }) => status,
    cell: (one) => (
      <>
        <Status value={one.status} />
        {one.suspended_reason !== null && <span class="second muted">{one.suspended_reason}</span>}
        {one.suspended_note !== null && <span class="second muted">Note: {one.suspended_note}</span>}
      </>
    )
  },
  {
    key: "address",
    title: "Address",
    narrow: "none",
    by: ({ ipv4 }) => ipv4 ?? "",
    cell: ({ ipv4 }) => <code>{ipv4 ?? "–"}</code>
  },
  {
    key: "expires",
    title: "Next charge",
    narrow: "second",
    by: (one) => one.expires_at ?? "",
    cell: (one) => (
      <>
        <When at={one.expires_at} day />
        {!one.auto_renew && one.expires_at !== null && <span class="muted second">ends, not renewed</span>}
      </>
    )
  },
  actionsOf((instance) => <InstanceActions instance={instance} />)
]

const idOf = ({ id }: InstanceRecord): number => id

/** Of all accounts, or of one. */
export const InstanceList = (
  props: Pick<Parameters<typeof CommandList<"instances.list">>[0], "filters" | "inAddress" | "input">
) => (
  <CommandList
    {...props}
    command="instances.list"
    cursor="before"
    label="Instances"
    placeholder="Search by number, name, or address"
    columns={COLUMNS}
    idOf={idOf}
    icon="instances"
    empty="They appear as soon as a customer orders one."
  />
)

const STATES = {
  active: "Active",
  pending: "In deployment",
  suspended: "Suspended",
  expired: "Expired",
  failed: "Failed",
  deleted: "Deleted"
} as const

type State = keyof typeof STATES

const LIFECYCLE = {
  kind: "choice",
  name: "status",
  label: "Show",
  words: STATES,
  inputOf: (lifecycle: string) => ({ lifecycle: lifecycle as State })
} as const

export const AllInstances = () => (
  <Page title="All instances">
    <InstanceList filters={[LIFECYCLE]} inAddress />
  </Page>
)
