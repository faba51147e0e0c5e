/** Faults: failures of the API and of the host that programs must handle. */
import { type BodyOf, type ResponseOf, send, useRead } from "../../api/calls.ts"
import { ActionButton } from "../../components/ActionButton.tsx"
import { present, SelectField, TextField, type Values } from "../../components/Form.tsx"
import { FormDialog } from "../../components/FormDialog.tsx"
import { List } from "../../components/List.tsx"
import type { Column } from "../../components/Table.tsx"
import { changing } from "./controls.ts"

type Rule = ResponseOf<"GET /emulator/faults">[number]

const effectOf = ({ driver, drop_connection: drop, latency_ms: latency, status }: Rule): string =>
  [
    status === undefined ? undefined : `status ${status}`,
    latency === undefined ? undefined : `${latency} ms later`,
    drop === undefined ? undefined : `connection lost ${drop.replace("_", " ")}`,
    driver === undefined ? undefined : driver.replace("_", " ")
  ].filter((one) => one !== undefined).join(", ")

const COLUMNS: ReadonlyArray<Column<Rule>> = [
  { key: "operation", title: "Operation", cell: ({ operation }) => <code>{operation}</code> },
  { key: "effect", title: "Effect", cell: effectOf },
  {
    key: "when",
    title: "When",
    cell: ({ count, probability }) =>
      `${probability === undefined ? "always" : `${probability * 100} %`}${
        count === undefined ? "" : `, ${count} times`
      }`
  },
  { key: "hits", title: "Happened", numeric: true, cell: ({ hits }) => hits }
]

/** The operations that most programs care about; any other can be typed. */
const OPERATIONS = [
  "instances.create",
  "instances.get",
  "instances.list",
  "power.start",
  "snapshots.create",
  "driver.create"
]

type Drop = BodyOf<"POST /emulator/faults">["drop_connection"]

const DROPS = { "": "no", before: "before it is executed", after: "after it is executed" } as const

const Add = () => {
  const add = async ({ number, required, text }: Values) => {
    const body = present({
      operation: required.text("operation"),
      status: number("status"),
      latency_ms: number("latency_ms"),
      drop_connection: text("drop_connection") as Drop,
      count: number("count")
    })
    return changing(() => send("POST /emulator/faults", { body }), "The fault is set.")()
  }
  return (
    <FormDialog action="Add a fault" icon="plus" heading="Add a fault" submit="Add" onSubmit={add}>
      <TextField name="operation" label="Operation" required list="operations" defaultValue="instances.create" />
      <datalist id="operations">{OPERATIONS.map((name) => <option key={name} value={name} />)}</datalist>
      <div class="fields">
        <TextField name="status" label="Status" type="number" min={400} max={599} placeholder="503" />
        <TextField name="latency_ms" label="Latency in milliseconds" type="number" min={0} />
        <SelectField name="drop_connection" label="Drop the connection">
          {Object.entries(DROPS).map(([value, text]) => <option key={value} value={value}>{text}</option>)}
        </SelectField>
        <TextField name="count" label="Times" type="number" min={1} hint="If it is empty, always" />
      </div>
    </FormDialog>
  )
}

export const Faults = () => {
  const query = useRead("/emulator/faults")
  const actions = (
    <>
      <ActionButton kind="quiet" run={changing(() => send("DELETE /emulator/faults"))}>Remove all</ActionButton>
      <Add />
    </>
  )
  return (
    <List
      title="Faults"
      note="Failures that your program must survive."
      actions={actions}
      query={query}
      lines={2}
      columns={COLUMNS}
      idOf={({ id }) => id}
      empty={{ icon: "warning", title: "No faults", advice: "Add one to see what your program does then." }}
    />
  )
}
