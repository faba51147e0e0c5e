/** Faults: failures of the API and of the host that programs must handle. */
import { useQuery } from "../../api/query.ts"
import { ActionButton } from "../../components/ActionButton.tsx"
import { SelectField, TextField, type Values } from "../../components/Form.tsx"
import { FormDialog } from "../../components/FormDialog.tsx"
import { Section } from "../../components/Page.tsx"
import { Empty, Loaded } from "../../components/State.tsx"
import { type Column, Table } from "../../components/Table.tsx"
import { control, CONTROLS } from "./controls.ts"

interface Fault {
  readonly operation: string
  readonly status?: number
  readonly latency_ms?: number
  readonly drop_connection?: string
  readonly driver?: string
  readonly probability?: number
  readonly count?: number
  readonly hits: number
}

const effectOf = ({ driver, drop_connection: drop, latency_ms: latency, status }: Fault): string =>
  [
    status === undefined ? undefined : `status ${status}`,
    latency === undefined ? undefined : `${latency} ms later`,
    drop === undefined ? undefined : `connection lost ${drop.replace("_", " ")}`,
    driver === undefined ? undefined : driver.replace("_", " ")
  ].filter((one) => one !== undefined).join(", ")

const COLUMNS: ReadonlyArray<Column<Fault & { readonly number: number }>> = [
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

const DROPS = { "": "no", before: "before it is executed", after: "after it is executed" } as const

const Add = () => {
  const add = async ({ number, text }: Values) => {
    const fields = {
      status: number("status"),
      latency_ms: number("latency_ms"),
      drop_connection: text("drop_connection"),
      count: number("count")
    }
    const present = Object.entries(fields).filter(([, value]) => value !== undefined)
    await control("POST", "/faults", { operation: text("operation"), ...Object.fromEntries(present) })
    return "The fault is set."
  }
  return (
    <FormDialog action="Add a fault" icon="plus" heading="Add a fault" submit="Add" onSubmit={add}>
      <TextField name="operation" label="Operation" required list="operations" defaultValue="instances.create" />
      <datalist id="operations">{OPERATIONS.map((name) => <option key={name} value={name} />)}</datalist>
      <div class="fields">
        <TextField name="status" label="Status" type="number" min={400} max={599} placeholder="503" />
        <TextField name="latency_ms" label="Latency in milliseconds" type="number" min={0} />
        <SelectField name="drop_connection" label="Lose the connection">
          {Object.entries(DROPS).map(([value, text]) => <option key={value} value={value}>{text}</option>)}
        </SelectField>
        <TextField name="count" label="Times" type="number" min={1} hint="Always if it is empty" />
      </div>
    </FormDialog>
  )
}

export const Faults = () => {
  const query = useQuery<ReadonlyArray<Fault>>(`${CONTROLS}/faults`)
  const clear = <ActionButton kind="quiet" run={async () => control("DELETE", "/faults")}>Remove all</ActionButton>
  return (
    <Section
      title="Faults"
      note="Failures that your program must survive."
      actions={
        <>
          {clear}
          <Add />
        </>
      }
    >
      <Loaded query={query} lines={2}>
        {(faults) =>
          faults.length === 0
            ? <Empty icon="warning" title="No faults">Add one to see what your program does then.</Empty>
            : (
              <Table
                label="Faults"
                columns={COLUMNS}
                rows={faults.map((fault, number) => ({ ...fault, number }))}
                idOf={({ number }) => number}
              />
            )}
      </Loaded>
    </Section>
  )
}
