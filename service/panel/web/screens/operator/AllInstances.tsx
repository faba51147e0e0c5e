/** Instances of all accounts, with what operators do to them. */
import { TextField, type Values } from "../../components/Form.tsx"
import { ActionButton } from "../../components/ActionButton.tsx"
import { Confirm } from "../../components/Confirm.tsx"
import { FormDialog } from "../../components/FormDialog.tsx"
import { Page } from "../../components/Page.tsx"
import { SearchList } from "../../components/SearchList.tsx"
import { Loaded, Notice } from "../../components/State.tsx"
import type { Column } from "../../components/Table.tsx"
import { Status, When } from "../../components/Values.tsx"
import { execute, type InstanceRecord, ROWS, useCommand } from "./commands.ts"

const nameOf = ({ hostname, id }: InstanceRecord): string => hostname ?? `Instance ${id}`

/** Longest reason or note, in characters. */
export const REASON_MAX = 255

const Suspend = ({ instance }: { readonly instance: InstanceRecord }) => {
  const suspend = async ({ text }: Values) => {
    const note = text("note")
    await execute("instances.suspend", {
      id: instance.id,
      reason: text("reason"),
      ...(note === undefined ? {} : { note })
    })
    return `${nameOf(instance)} is suspended.`
  }
  return (
    <FormDialog
      action="Suspend"
      kind="quiet"
      heading={`Suspend ${nameOf(instance)}?`}
      submit="Suspend"
      disabled={instance.status !== "running" && instance.status !== "stopped"}
      onSubmit={suspend}
    >
      <Notice tone="warn">It is powered off, and its owner can only look at it.</Notice>
      <TextField name="reason" label="Reason" required maxLength={REASON_MAX} hint="The customer sees it" />
      <TextField name="note" label="Private note" maxLength={REASON_MAX} hint="Only operators see it" />
    </FormDialog>
  )
}

const Terminate = ({ instance }: { readonly instance: InstanceRecord }) => {
  const name = nameOf(instance)
  return (
    <Confirm
      action="Terminate"
      kind="danger"
      question={`Terminate ${name}?`}
      name={name}
      disabled={["deleted", "failed"].includes(instance.status)}
      run={async () => {
        await execute("instances.terminate", { id: instance.id, reason: "Terminated by the operator" })
        return `${name} is being deleted.`
      }}
    >
      <p>The instance is deleted with its disk, snapshots, and backups. Nothing is refunded by this.</p>
    </Confirm>
  )
}

const Actions = ({ instance }: { readonly instance: InstanceRecord }) => {
  const unsuspend = async () => {
    await execute("instances.unsuspend", { id: instance.id })
    return `${nameOf(instance)} is open to its owner again.`
  }
  return (
    <div class="actions">
      {instance.suspended_reason === null
        ? <Suspend instance={instance} />
        : <ActionButton kind="quiet" run={unsuspend}>Unsuspend</ActionButton>}
      <Terminate instance={instance} />
    </div>
  )
}

const COLUMNS: ReadonlyArray<Column<InstanceRecord>> = [
  {
    key: "name",
    title: "Name",
    by: nameOf,
    cell: (one) => (
      <>
        <strong>{nameOf(one)}</strong>
        <span class="muted second">
          #{one.id} · {one.plan} · <a href={`/panel/operator/accounts/${one.account_id}`}>account {one.account_id}</a>
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
  { key: "actions", title: "", cell: (instance) => <Actions instance={instance} /> }
]

export const textOf = (one: InstanceRecord): string =>
  `${nameOf(one)} ${one.id} ${one.plan} ${one.ipv4 ?? ""} ${one.status} account ${one.account_id}`

interface ListProps {
  readonly instances: ReadonlyArray<InstanceRecord>
}

export const InstanceList = ({ instances }: ListProps) => (
  <SearchList
    label="Instances"
    placeholder="Search by name, address, status, or account"
    columns={COLUMNS}
    rows={instances}
    idOf={({ id }) => id}
    textOf={textOf}
    icon="instances"
    empty="They appear as soon as a customer orders one."
  />
)

export const AllInstances = () => {
  const query = useCommand<ReadonlyArray<InstanceRecord>>("instances.list", { limit: ROWS })
  return (
    <Page title="All instances">
      <Loaded query={query} lines={8}>{(instances) => <InstanceList instances={instances} />}</Loaded>
    </Page>
  )
}
