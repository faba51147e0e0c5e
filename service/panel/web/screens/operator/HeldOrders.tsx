/** Orders whose deployment waits for an operator: what was ordered, and the decision. */
import { act, execute, type RowOf, useCommand } from "../../api/calls.ts"
import { money } from "../../api/format.ts"
import { ActionButton } from "../../components/ActionButton.tsx"
import { FormDialog } from "../../components/FormDialog.tsx"
import type { Values } from "../../components/Form.tsx"
import { Notice, Section } from "../../components/Page.tsx"
import { actionsOf, type Column, Table } from "../../components/Table.tsx"
import { When } from "../../components/Values.tsx"
import { PAGE, pageOf, Reason } from "./CommandList.tsx"
import { accountHref, instanceHref, listHref } from "./Links.ts"

type TaskRecord = RowOf<"tasks.list">

const Reject = ({ id }: { readonly id: number }) => {
  const reject = async ({ required }: Values) => {
    await execute("tasks.reject", { id, reason: required.text("reason") })
    return "The order is rejected and refunded."
  }
  return (
    <FormDialog action="Reject" kind="quiet" heading={`Reject the order of task ${id}?`} onSubmit={reject}>
      <Notice tone="warn">The charge is refunded, and the customer gets a mail. This cannot be undone.</Notice>
      <Reason hint="The customer sees it." />
    </FormDialog>
  )
}

export const Held = ({ id }: { readonly id: number }) => (
  <>
    <ActionButton kind="primary" run={act("tasks.approve", { id }, "The task starts.")}>Approve</ActionButton>
    <Reject id={id} />
  </>
)

/** The plan, and its charge. */
export const Ordered = ({ task: { ordered } }: { readonly task: Pick<TaskRecord, "ordered"> }) =>
  ordered === null ? null : <>{ordered.plan} for {money(ordered.amount, ordered.currency)}</>

const COLUMNS: ReadonlyArray<Column<TaskRecord>> = [
  {
    key: "order",
    title: "Name",
    cell: (task) => (
      <>
        <a class="row-link" href={instanceHref(task.instance_id)}>
          {task.hostname ?? `Instance ${task.instance_id}`}
        </a>
        <span class="muted second">
          <Ordered task={task} />
        </span>
      </>
    )
  },
  {
    key: "account",
    title: "Ordered by",
    cell: ({ account_email: email, account_id: account, by }) => (
      <>
        <a href={accountHref(account)}>{email}</a>
        {by !== null && <span class="muted second">{by}</span>}
      </>
    )
  },
  { key: "at", title: "Ordered", cell: (one) => <When at={one.created_at} /> },
  actionsOf(({ id }) => <Held id={id} />)
]

export const HeldOrders = () => {
  const { data = [] } = useCommand("tasks.list", { status: "held", limit: PAGE + 1 })
  const { next, shown } = pageOf(data, ({ id }) => id)
  if (shown.length === 0) return null
  return (
    <Section title="Orders to approve" note="They are paid. A rejected order is refunded.">
      <Table label="Orders to approve" columns={COLUMNS} rows={shown} idOf={({ id }) => id} />
      {next !== undefined && <a href={listHref("tasks", { status: "held" })}>Show all</a>}
    </Section>
  )
}
