/** Tasks of all instances: those that wait for an operator first. */
import { useState } from "preact/hooks"
import { words } from "../../api/format.ts"
import { ActionButton } from "../../components/ActionButton.tsx"
import { TextField, type Values } from "../../components/Form.tsx"
import { FormDialog } from "../../components/FormDialog.tsx"
import { Page, Section } from "../../components/Page.tsx"
import { SearchList } from "../../components/SearchList.tsx"
import { Loaded, Notice } from "../../components/State.tsx"
import { type Column, Table } from "../../components/Table.tsx"
import { Status, When } from "../../components/Values.tsx"
import { REASON_MAX } from "./AllInstances.tsx"
import { execute, ROWS, type TaskRecord, type UnreconciledRecord, useCommand } from "./commands.ts"

const Retry = ({ id }: { readonly id: number }) => (
  <ActionButton
    kind="quiet"
    icon="restart"
    run={async () => {
      await execute("tasks.retry", { id })
      return "The task runs again."
    }}
  >
    Retry
  </ActionButton>
)

const Actions = ({ task: { held, id, status } }: { readonly task: TaskRecord }) => (
  <div class="actions">
    {held && (
      <ActionButton
        kind="primary"
        run={async () => {
          await execute("tasks.approve", { id })
          return "The task starts."
        }}
      >
        Approve
      </ActionButton>
    )}
    {!held && ["failed", "queued"].includes(status) && <Retry id={id} />}
  </div>
)

const stateOf = ({ held, status }: TaskRecord): string => held ? "held" : status

const COLUMNS: ReadonlyArray<Column<TaskRecord>> = [
  {
    key: "type",
    title: "Name",
    by: ({ type }) => type,
    cell: ({ id, instance_id: instance, type }) => (
      <>
        <strong>{words(type)}</strong>
        <span class="muted second">task {id} · instance {instance}</span>
      </>
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
  { key: "actions", title: "", cell: (task) => <Actions task={task} /> }
]

const Abandon = ({ task: { id } }: { readonly task: UnreconciledRecord }) => {
  const abandon = async ({ text }: Values) => {
    await execute("tasks.abandon", { id, reason: text("reason") })
    return "The task is closed."
  }
  return (
    <FormDialog action="Abandon" kind="quiet" heading={`Abandon task ${id}?`} submit="Abandon" onSubmit={abandon}>
      <Notice tone="warn">Do this after you have cleaned up by hand. The service does not look at it again.</Notice>
      <TextField name="reason" label="What you did" required maxLength={REASON_MAX} />
    </FormDialog>
  )
}

const LEFT: ReadonlyArray<Column<UnreconciledRecord>> = [
  {
    key: "machine",
    title: "Name",
    cell: ({ id, machine, type }) => (
      <>
        <code>{machine}</code>
        <span class="muted second">{words(type)}, task {id}</span>
      </>
    )
  },
  { key: "left", title: "May be left", cell: ({ left }) => left },
  { key: "error", title: "Error", cell: ({ error }) => <span class="bad">{error}</span> },
  { key: "at", title: "Failed", cell: (one) => <When at={one.finished_at} /> },
  {
    key: "actions",
    title: "",
    cell: (task) => (
      <div class="actions">
        <Retry id={task.id} />
        <Abandon task={task} />
      </div>
    )
  }
]

export const Unreconciled = () => {
  const { data = [] } = useCommand<ReadonlyArray<UnreconciledRecord>>("tasks.leftovers", { limit: ROWS })
  if (data.length === 0) return null
  return (
    <Section title="Needs an operator" note="These failed in a way after which the host may differ from the records.">
      <Table
        label="Tasks that need an operator"
        columns={LEFT}
        rows={data}
        idOf={({ id }) =>
          id}
      />
    </Section>
  )
}

const STATES = { all: "All", queued: "Waiting", running: "Running", failed: "Failed", succeeded: "Succeeded" } as const

export const Tasks = () => {
  const [state, setState] = useState<string>("all")
  const filter = state === "all" ? {} : { status: state }
  const query = useCommand<ReadonlyArray<TaskRecord>>("tasks.list", { ...filter, limit: ROWS })
  const choice = (
    <select aria-label="Show" value={state} onChange={(event) => setState(event.currentTarget.value)}>
      {Object.entries(STATES).map(([value, text]) => <option key={value} value={value}>{text}</option>)}
    </select>
  )
  return (
    <Page title="Tasks">
      <Unreconciled />
      <Loaded query={query} lines={8}>
        {(tasks) => (
          <SearchList
            label="Tasks"
            placeholder="Search by type, instance, or error"
            columns={COLUMNS}
            rows={tasks}
            idOf={({ id }) => id}
            textOf={(one) =>
              `${words(one.type)} ${one.type} task ${one.id} instance ${one.instance_id} ${one.error ?? ""}`}
            icon="tasks"
            empty="Operations on instances appear here."
            filters={choice}
          />
        )}
      </Loaded>
    </Page>
  )
}
