/** Instances of all accounts, with what operators do to them. */
import { act, execute, type RowOf, useCommand } from "../../api/calls.ts"
import { ActionButton } from "../../components/ActionButton.tsx"
import { present, type Values } from "../../components/Form.tsx"
import { FormDialog } from "../../components/Dialog.tsx"
import { Notice } from "../../components/Page.tsx"
import { actionsOf, type Column } from "../../components/Table.tsx"
import { Named, Status, When } from "../../components/Values.tsx"
import { CommandList, ListScreen, Reason } from "./CommandList.tsx"

type InstanceRecord = RowOf<"instances.list">

const nameOf = ({ hostname, id }: InstanceRecord): string => hostname ?? `Instance ${id}`

/** The address of the one instance among all. */
export const instanceHref = (id: number): string => `/panel/operator/instances?id=${id}`

const Suspend = ({ instance }: { readonly instance: InstanceRecord }) => {
  const suspend = async ({ required, text }: Values) => {
    const input = { id: instance.id, reason: required.text("reason"), note: text("note") }
    await execute("instances.suspend", present(input))
    return `${nameOf(instance)} is suspended.`
  }
  return (
    <FormDialog
      action="Suspend"
      kind="quiet"
      heading={`Suspend ${nameOf(instance)}?`}
      disabled={instance.status !== "running" && instance.status !== "stopped"}
      onSubmit={suspend}
    >
      <Notice tone="warn">It is powered off, and its owner can only view it.</Notice>
      <Reason hint="The customer sees it." />
      <Reason name="note" label="Private note" required={false} hint="Only operators see it." />
    </FormDialog>
  )
}

const Terminate = ({ instance }: { readonly instance: InstanceRecord }) => {
  const name = nameOf(instance)
  const terminate = async ({ required }: Values) => {
    await execute("instances.terminate", { id: instance.id, reason: required.text("reason") })
    return `${name} is being deleted.`
  }
  return (
    <FormDialog
      action="Terminate"
      kind="danger"
      heading={`Terminate ${name}?`}
      name={name}
      disabled={["deleted", "failed"].includes(instance.status)}
      onSubmit={terminate}
    >
      <p>The instance is deleted with its disk, snapshots, and backups. Nothing is refunded by this.</p>
      <Reason hint="Only operators see it, in the audit log." />
    </FormDialog>
  )
}

const Actions = ({ instance }: { readonly instance: InstanceRecord }) => {
  const { id, suspended_reason: suspended } = instance
  const unsuspend = act("instances.unsuspend", { id }, `${nameOf(instance)} is open to its owner again.`)
  return (
    <>
      {suspended === null
        ? <Suspend instance={instance} />
        : <ActionButton kind="quiet" run={unsuspend}>Unsuspend</ActionButton>}
      <Terminate instance={instance} />
    </>
  )
}

const COLUMNS: ReadonlyArray<Column<InstanceRecord>> = [
  {
    key: "name",
    title: "Name",
    by: nameOf,
    cell: (one) => (
      <Named
        note={
          <>
            #{one.id} · {one.plan} · <a href={`/panel/operator/accounts/${one.account_id}`}>account {one.account_id}</a>
          </>
        }
      >
        {nameOf(one)}
      </Named>
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
  { key: "address", title: "Address", by: ({ ipv4 }) => ipv4 ?? "", cell: ({ ipv4 }) => <code>{ipv4 ?? "–"}</code> },
  {
    key: "expires",
    title: "Next charge",
    by: (one) => one.expires_at ?? "",
    cell: (one) => (
      <>
        <When at={one.expires_at} day />
        {!one.auto_renew && <span class="muted second">ends, not renewed</span>}
      </>
    )
  },
  actionsOf((instance) => <Actions instance={instance} />)
]

const idOf = ({ id }: InstanceRecord): number => id

/** Of all accounts, or of one. */
export const InstanceList = (props: Pick<Parameters<typeof CommandList<"instances.list">>[0], "filter" | "input">) => (
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

const useOne = (id: number) => useCommand("instances.list", { id, limit: 1 })

export const AllInstances = () => (
  <ListScreen
    kind="Instance"
    list={{ href: "/panel/operator/instances", name: "All instances" }}
    columns={COLUMNS}
    {...{ idOf, useOne }}
  >
    <InstanceList filter={{ field: "lifecycle", words: STATES }} />
  </ListScreen>
)
