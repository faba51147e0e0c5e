/** The emulator: its clock, deployments, faults, and saved states; and below, each request of a program. */
import { mapQuery, refreshAll } from "../../api/query.ts"
import { type BodyOf, type ResponseOf, send, useRead } from "../../api/calls.ts"
import { useEffect } from "preact/hooks"
import { ActionButton } from "../../components/ActionButton.tsx"
import { actionsOf, type Column, List } from "../../components/Table.tsx"
import { present, SelectField, TextField, type Values } from "../../components/Form.tsx"
import { FormDialog } from "../../components/FormDialog.tsx"
import { exactTime, money } from "../../api/format.ts"
import { Loaded, Page, Section } from "../../components/Page.tsx"
import { When } from "../../components/Values.tsx"

/** A function that executes a control. It may change everything that a screen shows, so all is read again. */
export const changing = (control: () => Promise<unknown>, text?: string) => async (): Promise<string | void> => {
  await control()
  refreshAll()
  return text
}

type LoggedRequest = ResponseOf<"GET /emulator/requests">[number]

interface Numbered extends LoggedRequest {
  readonly number: number
}

const REQUEST_COLUMNS: ReadonlyArray<Column<Numbered>> = [
  { key: "number", title: "Number", numeric: true, cell: ({ number }) => number },
  {
    key: "request",
    title: "Request",
    cell: ({ method, path, query }) => <code>{method} {path}{query === "" ? "" : `?${query}`}</code>
  },
  {
    key: "status",
    title: "Status",
    numeric: true,
    cell: ({ status }) => <span class={status < 400 ? "number good" : "number bad"}>{status}</span>
  },
  {
    key: "key",
    title: "Idempotency key",
    cell: ({ idempotency_key_sha256: key, replayed }) =>
      key === null ? "–" : (
        <>
          <code title="SHA-256">{key.slice(0, 12)}</code>
          {replayed && <strong class="second good">replayed: nothing was bought again</strong>}
        </>
      )
  }
]

/** Requests do not raise events, so they are read every second while this is shown. */
const POLL_MILLIS = 1_000

export const Requests = () => {
  const query = useRead("/emulator/requests")
  useEffect(() => {
    const timer = window.setInterval(() => document.hidden || query.reload(), POLL_MILLIS)
    return () => window.clearInterval(timer)
  }, [])
  const numbered = (requests: ReadonlyArray<LoggedRequest>): ReadonlyArray<Numbered> =>
    requests.map((request, index) => ({ ...request, number: index + 1 })).toReversed()
  return (
    <List
      title="Requests"
      note="The calls of your program to the API, newest first."
      actions={<ActionButton kind="quiet" run={changing(() => send("DELETE /emulator/requests"))}>Clear</ActionButton>}
      query={mapQuery(query, numbered)}
      lines={4}
      columns={REQUEST_COLUMNS}
      idOf={({ number }) => number}
      empty={{
        icon: "code",
        title: "No requests yet",
        advice: "Run a test or `pulumi up` against this emulator."
      }}
    />
  )
}

type Rule = ResponseOf<"GET /emulator/faults">[number]

const effectOf = ({ driver, drop_connection: drop, latency_ms: latency, status }: Rule): string =>
  [
    status === undefined ? undefined : `status ${status}`,
    latency === undefined ? undefined : `${latency} ms later`,
    drop === undefined ? undefined : `connection lost ${drop.replace("_", " ")}`,
    driver === undefined ? undefined : driver.replace("_", " ")
  ].filter((one) => one !== undefined).join(", ")

const FAULT_COLUMNS: ReadonlyArray<Column<Rule>> = [
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
      columns={FAULT_COLUMNS}
      idOf={({ id }) => id}
      empty={{ icon: "warning", title: "No faults", advice: "Add one to see what your program does then." }}
    />
  )
}

const HOUR = 3_600_000
const STEPS = { "1 hour": HOUR, "1 day": 24 * HOUR, "7 days": 168 * HOUR, "31 days": 744 * HOUR } as const

const Clock = () => {
  const query = useRead("/emulator/clock")
  return (
    <Section title="Clock" note="Advancing the clock runs everything that becomes due: renewals, expiry, backups.">
      <Loaded query={query} lines={2}>
        {({ frozen, now }) => (
          <div class="stack">
            <p class="amount number">{exactTime(now)}{frozen && <span class="muted">frozen</span>}</p>
            <div class="actions">
              {Object.entries(STEPS).map(([name, millis]) => (
                <ActionButton
                  key={name}
                  run={changing(() => send("POST /emulator/clock", { body: { advance_ms: millis } }))}
                >
                  + {name}
                </ActionButton>
              ))}
              <ActionButton
                kind="quiet"
                run={changing(() => send("POST /emulator/clock", { body: { freeze: !frozen } }))}
              >
                {frozen ? "Let it run" : "Freeze it"}
              </ActionButton>
            </div>
          </div>
        )}
      </Loaded>
    </Section>
  )
}

type Mode = BodyOf<"PUT /emulator/deploy">["mode"]

const DEPLOYS: Readonly<Record<Mode, string>> = {
  instant: "at once",
  after_ms: "after some milliseconds",
  after_polls: "after some reads of the instance"
}

const Deploy = () => {
  const save = async ({ number, required }: Values) => {
    const body = present({ mode: required.text("mode") as Mode, value: number("value") })
    return changing(() => send("PUT /emulator/deploy", { body }), "New instances are deployed like this.")()
  }
  return (
    <FormDialog action="Deployments" heading="Deployments" submit="Save" onSubmit={save}>
      <SelectField name="mode" label="New instances are deployed">
        {Object.entries(DEPLOYS).map(([mode, text]) => <option key={mode} value={mode}>{text}</option>)}
      </SelectField>
      <TextField name="value" label="Number" type="number" min={0} hint="Milliseconds, or the number of reads" />
    </FormDialog>
  )
}

const STATE_COLUMNS: ReadonlyArray<Column<ResponseOf<"GET /emulator/states">[number]>> = [
  { key: "name", title: "Name", cell: ({ name }) => <strong>{name}</strong> },
  { key: "at", title: "Saved", cell: (one) => <When at={one.saved_at} /> },
  actionsOf(({ name }) => (
    <ActionButton
      kind="quiet"
      run={changing(
        () => send("POST /emulator/states/:name/restore", { params: { name } }),
        `The state ${name} is restored.`
      )}
    >
      Restore
    </ActionButton>
  ))
]

const States = () => {
  const save = async ({ required }: Values) =>
    changing(() => send("POST /emulator/states/:name", { params: { name: required.text("name") } }))()
  const actions = (
    <>
      <FormDialog action="Save" heading="Save the state" submit="Save" onSubmit={save}>
        <TextField name="name" label="Name" required maxLength={64} pattern="[\w.\-]+" placeholder="before-renewal" />
      </FormDialog>
      <ActionButton
        kind="danger"
        run={changing(() => send("POST /emulator/reset"), "Everything is as at the start.")}
      >
        Reset
      </ActionButton>
    </>
  )
  return (
    <List
      title="States"
      note="Copies of the whole emulator, including its clock, to restore later."
      actions={actions}
      query={useRead("/emulator/states")}
      lines={2}
      columns={STATE_COLUMNS}
      idOf={({ name }) => name}
      empty={{ icon: "copy", title: "No saved states", advice: "Save one before a test that changes much." }}
    />
  )
}

type Journal = ResponseOf<"GET /emulator/ledger">["journals"][number]

/** Cents in a unit of the currency. */
const CENTS = 100

const JOURNAL_COLUMNS: ReadonlyArray<Column<Journal>> = [
  { key: "id", title: "Name", cell: ({ id, kind }) => <strong>{id}: {kind.replaceAll("_", " ")}</strong> },
  { key: "reference", title: "Reference", cell: ({ reference }) => <code>{reference}</code> },
  {
    key: "entries",
    title: "Entries",
    cell: ({ entries }) =>
      entries.map(({ account, amount }) => (
        <span class="second" key={account}>
          <code>{account}</code> <span class="number">{money(amount / CENTS, "EUR")}</span>
        </span>
      ))
  }
]

const Journals = () => {
  const query = useRead("/emulator/ledger")
  return (
    <List
      title="Ledger"
      note={query.data?.balanced === false ? "It does NOT balance." : "Double entry: each journal sums to zero."}
      query={mapQuery(query, ({ journals }) => journals.toReversed())}
      lines={4}
      columns={JOURNAL_COLUMNS}
      idOf={({ id }) => id}
      empty={{ icon: "wallet", title: "No journals" }}
    />
  )
}

export const Emulator = () => (
  <Page title="Emulator" actions={<Deploy />}>
    <Clock />
    <Requests />
    <Faults />
    <States />
    <Journals />
  </Page>
)
