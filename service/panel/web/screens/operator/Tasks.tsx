/** Tasks of all instances: those that wait for an operator first. */
import { act, execute, type RowOf, useCommand } from "../../api/calls.ts"
import { words } from "../../api/format.ts"
import { mapQuery } from "../../api/query.ts"
import { ActionButton } from "../../components/ActionButton.tsx"
import type { Values } from "../../components/Form.tsx"
import { FormDialog } from "../../components/Dialog.tsx"
import { Notice, Section } from "../../components/Page.tsx"
import { actionsOf, type Column, Table } from "../../components/Table.tsx"
import { Named, Status, When } from "../../components/Values.tsx"
import { instanceHref } from "./AllInstances.tsx"
import { CommandList, ListScreen, PAGE, pageOf, Reason } from "./CommandList.tsx"

type TaskRecord = RowOf<"tasks.list">
type UnreconciledRecord = RowOf<"tasks.unreconciled">

const Retry = ({ id }: { readonly id: number }) => (
  <ActionButton kind="quiet" icon="restart" run={act("tasks.retry", { id }, "The task runs again.")}>
    Retry
  </ActionButton>
)

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

const Held = ({ id }: { readonly id: number }) => (
  <>
    <ActionButton kind="primary" run={act("tasks.approve", { id }, "The task starts.")}>Approve</ActionButton>
    <Reject id={id} />
  </>
)

const actionsFor = ({ held, id, status }: TaskRecord) =>
  held
    ? <Held id={id} />
    : ["failed", "queued"].includes(status)
    ? <Retry id={id} />
    : null

const stateOf = ({ held, status }: TaskRecord): string => held ? "held" : status

const COLUMNS: ReadonlyArray<Column<TaskRecord>> = [
  {
    key: "type",
    title: "Name",
    by: ({ type }) => type,
    cell: ({ id, instance_id: instance, type }) => (
      <Named
        note={
          <>
            task {id} · <a href={instanceHref(instance)}>instance {instance}</a>
          </>
        }
      >
        {words(type)}
      </Named>
    )
  },
  {
    key: "status",
    title: "Status",
    by: stateOf,
    cell: (task) => (
      <>
        <Status value={stateOf(task)} />
        {task.status === "running" && <span class="muted second">{task.progress} %</span>}
        {task.attempts > 1 && <span class="muted second">{task.attempts} attempts</span>}
      </>
    )
  },
  { key: "error", title: "Error", cell: ({ error }) => error === null ? "–" : <span class="bad">{error}</span> },
  { key: "actor", title: "By", by: ({ actor }) => actor, cell: ({ actor }) => words(actor) },
  { key: "created", title: "Created", by: (one) => one.created_at, cell: (one) => <When at={one.created_at} /> },
  actionsOf(actionsFor)
]

const Abandon = ({ task: { id } }: { readonly task: UnreconciledRecord }) => {
  const abandon = async ({ required }: Values) => {
    await execute("tasks.abandon", { id, reason: required.text("reason") })
    return "The task is closed."
  }
  return (
    <FormDialog action="Abandon" kind="quiet" heading={`Abandon task ${id}?`} onSubmit={abandon}>
      <Notice tone="warn">Do this after you have cleaned up by hand. The service will not check it again.</Notice>
      <Reason label="What you did" hint="Only operators see it, in the audit log." />
    </FormDialog>
  )
}

const LEFT: ReadonlyArray<Column<UnreconciledRecord>> = [
  {
    key: "machine",
    title: "Name",
    cell: ({ id, machine, type }) => <Named note={`${words(type)}, task ${id}`}>{machine}</Named>
  },
  { key: "left", title: "May be left", cell: ({ left }) => left },
  { key: "error", title: "Error", cell: ({ error }) => <span class="bad">{error}</span> },
  { key: "at", title: "Failed", cell: (one) => <When at={one.finished_at} /> },
  actionsOf((task) => (
    <>
      <Retry id={task.id} />
      <Abandon task={task} />
    </>
  ))
]

export const Unreconciled = () => {
  const { data = [] } = useCommand("tasks.unreconciled", { limit: PAGE + 1 })
  const { next, shown } = pageOf(data, ({ id }) => id)
  if (shown.length === 0) return null
  return (
    <Section title="Needs an operator" note="These failed in a way after which the host may differ from the records.">
      <Table
        label="Tasks that need an operator"
        columns={LEFT}
        rows={shown}
        idOf={({ id }) =>
          id}
      />
      {next !== undefined && <p class="muted">There are more. They appear when some of these are done.</p>}
    </Section>
  )
}

const STATES = {
  queued: "Waiting",
  running: "Running",
  failed: "Failed",
  succeeded: "Succeeded",
  cancelled: "Cancelled"
} as const

const idOf = ({ id }: TaskRecord): number => id

const useOne = (id: number) => mapQuery(useCommand("tasks.show", { id }), (task) => [task])

export const Tasks = () => (
  <ListScreen
    kind="Task"
    list={{ href: "/panel/operator/tasks", name: "Tasks" }}
    columns={COLUMNS}
    {...{ idOf, useOne }}
  >
    <Unreconciled />
    <CommandList
      command="tasks.list"
      cursor="before"
      label="Tasks"
      placeholder="Search by number, type, or error"
      columns={COLUMNS}
      idOf={idOf}
      icon="tasks"
      empty="Operations on instances appear here."
      filter={{ field: "status", words: STATES }}
    />
  </ListScreen>
)
