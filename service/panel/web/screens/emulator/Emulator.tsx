/** The emulator: its clock, deployments, faults, and saved states; and below, each request of a program. */
import { type BodyOf, type ResponseOf, send, useRead } from "../../api/calls.ts"
import { exactTime, money } from "../../api/format.ts"
import { mapQuery } from "../../api/query.ts"
import { ActionButton } from "../../components/ActionButton.tsx"
import { present, SelectField, TextField, type Values } from "../../components/Form.tsx"
import { FormDialog } from "../../components/FormDialog.tsx"
import { List } from "../../components/List.tsx"
import { Page, Section } from "../../components/Page.tsx"
import { Loaded } from "../../components/State.tsx"
import { actionsOf, type Column } from "../../components/Table.tsx"
import { When } from "../../components/Values.tsx"
import { changing } from "./controls.ts"
import { Faults } from "./Faults.tsx"
import { Requests } from "./Requests.tsx"

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
