/** Tasks of all instances: those that wait for an operator first. */
import { act, execute, type InputOf, type RowOf, useCommand } from "../../api/calls.ts"
import { time, words } from "../../api/format.ts"
import { mapQuery } from "../../api/query.ts"
import { ActionButton } from "../../components/ActionButton.tsx"
import type { Values } from "../../components/Form.tsx"
import { FormDialog } from "../../components/FormDialog.tsx"
import { Notice, Section } from "../../components/Page.tsx"
import { actionsOf, type Column, Table } from "../../components/Table.tsx"
import { Named, Status, When } from "../../components/Values.tsx"
import { CommandList, linked, ListScreen, PAGE, pageOf, Reason } from "./CommandList.tsx"
import type { Filter } from "./Filters.tsx"
import { Held, Ordered } from "./HeldOrders.tsx"
import { accountHref, instanceHref } from "./Links.ts"

type TaskRecord = RowOf<"tasks.list">
type UnreconciledRecord = RowOf<"tasks.unreconciled">

const Retry = ({ id }: { readonly id: number }) => (
  <ActionButton kind="quiet" icon="restart" run={act("tasks.retry", { id }, "The task runs again.")}>
    Retry
  </ActionButton>
)

const actionsFor = ({ held, id, status }: TaskRecord) =>
  held
    ? <Held id={id} />
    : ["failed", "queued"].includes(status)
    ? <Retry id={id} />
    : null

const stateOf = ({ held, status }: TaskRecord): string => held ? "held" : status

const NAME: Column<TaskRecord> = {
  key: "type",
  title: "Name",
  by: ({ type }) => type,
  cell: ({ id, type }) => <Named note={`task ${id}`}>{words(type)}</Named>
}

const INSTANCE: Column<TaskRecord> = {
  key: "instance",
  title: "Instance",
  by: ({ hostname, instance_id: id }) => hostname ?? String(id),
  cell: ({ account_email: email, account_id: account, hostname, instance_id: id }) => (
    <>
      <a class="row-link" href={instanceHref(id)}>{hostname ?? `Instance ${id}`}</a>
      <span class="muted second">
        #{id} · <a href={accountHref(account)}>{email}</a>
      </span>
    </>
  )
}

const REST: ReadonlyArray<Column<TaskRecord>> = [
  {
    key: "status",
    title: "Status",
    by: stateOf,
    cell: (task) => (
      <>
        <Status task value={stateOf(task)} />
        {task.ordered !== null && (
          <span class="muted second">
            <Ordered task={task} />
          </span>
        )}
        {task.status === "running" && <span class="muted second">{task.progress} %</span>}
        {task.attempts > 1 && <span class="muted second">{task.attempts} attempts</span>}
      </>
    )
  },
  { key: "error", title: "Error", cell: ({ error }) => error === null ? null : <span class="bad error">{error}</span> },
  {
    key: "created",
    title: "Created",
    narrow: "second",
    by: (one) => one.created_at,
    cell: ({ actor, by, created_at }) => (
      <>
        <When at={created_at} />
        <span class="muted second">{by ?? words(actor)}</span>
      </>
    )
  },
  actionsOf(actionsFor)
]

const COLUMNS = [NAME, INSTANCE, ...REST]

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
  held: "Held for approval",
  running: "Running",
  failed: "Failed",
  succeeded: "Succeeded",
  cancelled: "Cancelled"
} as const

type State = keyof typeof STATES

type TaskFilter = Filter<InputOf<"tasks.list">>

const STATUS: TaskFilter = {
  kind: "choice",
  name: "status",
  label: "Show",
  words: STATES,
  inputOf: (status) => ({ status: status as State })
}

const FILTERS: ReadonlyArray<TaskFilter> = [
  STATUS,
  linked("account"),
  linked("instance"),
  {
    kind: "linked",
    name: "since",
    label: "Ended since",
    textOf: (since) => `those that ended since ${Number.isNaN(Date.parse(since)) ? since : time(since)}`,
    inputOf: (since) => ({ ended_since: since })
  }
]

const idOf = ({ id }: TaskRecord): number => id

/** Those of an instance, below its facts. */
export const TasksOf = ({ instanceId }: { readonly instanceId: number }) => (
  <CommandList
    command="tasks.list"
    cursor="before"
    input={{ instance_id: instanceId }}
    label="Tasks"
    placeholder="Search by number, type, or error"
    columns={[NAME, ...REST]}
    idOf={idOf}
    icon="tasks"
    empty="Operations on the instance appear here."
    filters={[STATUS]}
  />
)

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
      placeholder="Search by number, name, account, type, or error"
      columns={COLUMNS}
      idOf={idOf}
      icon="tasks"
      empty="Operations on instances appear here."
      filters={FILTERS}
      inAddress
    />
  </ListScreen>
)
