/** Maintenance windows and news: planned, changed, and canceled. Each is mailed to the customers concerned. */
import { useState } from "preact/hooks"
import { act, execute, type InputOf, type RowOf, useCommand } from "../../api/calls.ts"
import { time } from "../../api/format.ts"
import { Confirm, FormDialog } from "../../components/FormDialog.tsx"
import { AreaField, SelectField, TextField, type Values } from "../../components/Form.tsx"
import { Notice, Page, Segments } from "../../components/Page.tsx"
import { actionsOf, type Column, List } from "../../components/Table.tsx"
import { Named, Status, When } from "../../components/Values.tsx"
import { PAGE } from "./CommandList.tsx"

type Record = RowOf<"announcements.list">
type Kind = InputOf<"announcements.add">["kind"]

const KINDS: Readonly<{ [K in Kind]: string }> = { maintenance: "Maintenance", announcement: "News" }

const TITLE_MAX = 100
const TEXT_MAX = 4_000
const HOUR_MILLIS = 3_600_000

/** A moment in the form of the browser's field, which is in the person's time zone. */
const localOf = (at: number): string => {
  const shifted = new Date(at - new Date(at).getTimezoneOffset() * 60_000)
  return shifted.toISOString().slice(0, "2027-01-31T22:00".length)
}

const momentIn = ({ required }: Values, name: string): string => new Date(required.text(name)).toISOString()

/** The next full hour, a day from now. */
const tomorrow = (): number => (Math.ceil(Date.now() / HOUR_MILLIS) + 24) * HOUR_MILLIS

const Fields = ({ one }: { readonly one?: Record }) => {
  const start = one === undefined ? tomorrow() : Date.parse(one.starts_at)
  const end = one === undefined ? start + HOUR_MILLIS : Date.parse(one.ends_at)
  return (
    <>
      <div class="fields">
        <TextField name="starts_at" label="Begins" type="datetime-local" required defaultValue={localOf(start)} />
        <TextField
          name="ends_at"
          label="Ends"
          type="datetime-local"
          required
          defaultValue={localOf(end)}
          hint="In your time zone. It is shown until then."
        />
      </div>
      <TextField
        name="title"
        label="Title"
        required
        maxLength={TITLE_MAX}
        placeholder="A network switch is replaced"
        defaultValue={one?.title}
      />
      <AreaField
        name="text"
        label="Text"
        required
        maxLength={TEXT_MAX}
        defaultValue={one?.text}
        hint="What happens, and what customers should do."
      />
    </>
  )
}

const textsIn = (values: Values) => ({
  title: values.required.text("title"),
  text: values.required.text("text"),
  starts_at: momentIn(values, "starts_at"),
  ends_at: momentIn(values, "ends_at")
})

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`

const mailed = ({ accounts, instances }: { readonly accounts: number; readonly instances: number }): string =>
  `A mail goes to ${counted(accounts, "account")}, about ${counted(instances, "instance")}.`

const Add = () => {
  const { data: hosts = [] } = useCommand("hosts.list")
  const add = async (values: Values) => {
    const host = values.text("host")
    const kind = values.text("kind") as Kind
    const input = { kind, ...textsIn(values), ...(host === undefined ? {} : { host }) }
    return mailed(await execute("announcements.add", input))
  }
  return (
    <FormDialog
      action="Announce"
      icon="plus"
      kind="primary"
      heading="Announce maintenance or news"
      submit="Announce and mail"
      onSubmit={add}
    >
      <div class="fields">
        <SelectField
          name="kind"
          label="Kind"
          hint="News interrupt nothing, and go to accounts without instances, too."
        >
          {Object.entries(KINDS).map(([value, name]) => <option key={value} value={value}>{name}</option>)}
        </SelectField>
        <SelectField name="host" label="Concerns" hint="The mail names the instances of each customer.">
          <option value="">All hosts</option>
          {hosts.map(({ name }) => <option key={name} value={name}>Host {name}</option>)}
        </SelectField>
      </div>
      <Fields />
    </FormDialog>
  )
}

const Change = ({ one }: { readonly one: Record }) => {
  const change = async (values: Values) =>
    mailed(await execute("announcements.change", { id: one.id, ...textsIn(values) }))
  return (
    <FormDialog
      action="Change"
      kind="quiet"
      heading={`Change “${one.title}”`}
      submit="Change and mail"
      onSubmit={change}
    >
      <Fields one={one} />
    </FormDialog>
  )
}

const CallOff = ({ one: { id, title } }: { readonly one: Record }) => (
  <Confirm
    action="Call off"
    kind="quiet"
    question={`Call off “${title}”?`}
    submit="Call it off and mail"
    run={act("announcements.cancel", { id }, "It is called off, and all who were informed get a mail.")}
  >
    <p>It is no longer shown. All who were informed get a mail.</p>
  </Confirm>
)

/** One that customers see. */
const isOpen = ({ state }: Record): boolean => state === "planned" || state === "running"

const COLUMNS: ReadonlyArray<Column<Record>> = [
  {
    key: "title",
    title: "Title",
    cell: ({ kind, text, title }) => (
      <>
        <Named note={KINDS[kind]}>{title}</Named>
        <details>
          <summary>Text</summary>
          <p class="lines">{text}</p>
        </details>
      </>
    )
  },
  { key: "state", title: "State", cell: ({ state }) => <Status value={state} /> },
  { key: "host", title: "Concerns", cell: ({ host }) => host === null ? "all hosts" : `host ${host}` },
  {
    key: "time",
    title: "Time",
    cell: ({ ends_at: end, starts_at: start }) => (
      <>
        <When at={start} />
        <span class="muted second number">until {time(end)}</span>
      </>
    )
  },
  {
    key: "author",
    title: "Announced",
    cell: ({ author, created_at: at }) => (
      <>
        <When at={at} />
        <span class="muted second">{author}</span>
      </>
    )
  },
  actionsOf((one) =>
    isOpen(one)
      ? (
        <>
          <Change one={one} />
          <CallOff one={one} />
        </>
      )
      : null
  )
]

const SHOWN = { open: "Planned and running", all: "All" } as const

export const Announcements = () => {
  const [shown, setShown] = useState<keyof typeof SHOWN>("open")
  const query = useCommand("announcements.list", { all: shown === "all", limit: PAGE })
  return (
    <Page title="Announcements" actions={<Add />}>
      <Notice tone="info">
        Customers see them in their panel and in <code>vps account</code>{" "}
        until they end, and get a mail now, after each change, and when one is canceled.
      </Notice>
      <List
        title="Announcements"
        note={query.data?.length === PAGE
          ? `The newest ${PAGE}. Others: vps-service admin announcements list`
          : undefined}
        actions={<Segments label="Show" names={SHOWN} current={shown} onChoose={setShown} />}
        query={query}
        lines={4}
        columns={COLUMNS}
        idOf={({ id }) => id}
        empty={{
          icon: "announce",
          title: shown === "open" ? "Nothing is planned" : "Nothing was announced",
          advice: "Announce maintenance in time, so that customers can move their work."
        }}
      />
    </Page>
  )
}
