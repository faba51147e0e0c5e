/** All components of the panel in all of their states, to look at and for tests. Only in an emulator. */
import { useState } from "preact/hooks"
import type { WalletRecord } from "../../../contract/AccountCalls.ts"
import { ApiError } from "../../api/client.ts"
import type { Query } from "../../api/query.ts"
import { notify } from "../../api/toasts.ts"
import { ActionButton } from "../../components/ActionButton.tsx"
import { BalanceChart } from "../../components/BalanceChart.tsx"
import { Button, IconButton, LinkButton } from "../../components/Button.tsx"
import { Dialog, SecretDialog } from "../../components/Dialog.tsx"
import { Confirm, FormDialog } from "../../components/FormDialog.tsx"
import { AreaField, CheckField, Form, SelectField, TextField } from "../../components/Form.tsx"
import { HowToPay, PayButton } from "../../components/HowToPay.tsx"
import { Icon } from "../../components/Icon.tsx"
import { Menu } from "../../components/Menu.tsx"
import { Empty, Facts, later, Loaded, Loading, Notice, Page, Section, Segments, Tabs } from "../../components/Page.tsx"
import { ShowCode } from "../../components/ShowCode.tsx"
import { Sparkline } from "../../components/Sparkline.tsx"
import { actionsOf, type Column, List, Pager, Table } from "../../components/Table.tsx"
import { Copyable, Money, Named, Progress, Status, When } from "../../components/Values.tsx"

const NOW = "2026-11-28T12:00:00Z"

const nothing = () => Promise.resolve()

const Buttons = () => (
  <Section title="Buttons" note="One primary button on a screen. Danger is for what destroys data.">
    <div class="actions">
      <Button kind="primary" icon="plus">Primary</Button>
      <Button>Plain</Button>
      <Button kind="quiet">Quiet</Button>
      <Button kind="danger">Danger</Button>
      <Button off="The reason, for everyone.">Off</Button>
      <Button busy>Busy</Button>
      <LinkButton href="#buttons" icon="external">Link</LinkButton>
      <IconButton icon="copy" label="Copy this example" />
      <ActionButton run={() => Promise.resolve("It was done.")}>Reports success</ActionButton>
      <ActionButton run={() => Promise.reject(new Error("It failed. Try again later."))}>Reports failure</ActionButton>
      <Button onClick={() => notify("bad", "web-1 could not be reinstalled.", { href: "#banners", name: "See why" })}>
        Report with a link
      </Button>
      <ShowCode
        title="An example"
        example={{ method: "GET", path: "/instances", sdk: "vps.instances.list()", vps: "vps instance list" }}
      />
    </div>
  </Section>
)

const Banners = () => (
  <Section title="Banners" note="A failure says what is wrong, then what to do.">
    <div class="stack example" id="banners">
      <Notice tone="info">Something to know.</Notice>
      <Notice tone="good" title="It is done">Nothing to do.</Notice>
      <Notice tone="warn" title="The wallet is low" action={<LinkButton href="/panel/wallet">Wallet</LinkButton>}>
        It does not cover the next charge.
      </Notice>
      <Notice tone="bad" title="web-1 could not be reinstalled." action={<Button>Try again</Button>}>
        The image is missing on the host. Its disk may be erased already.
      </Notice>
    </div>
  </Section>
)

interface Row {
  readonly id: number
  readonly name: string
  readonly status: string
  readonly price: number
}

const ROWS: ReadonlyArray<Row> = [
  { id: 1, name: "web-1.example.com", status: "running", price: 9.99 },
  { id: 2, name: "a-name-that-is-too-long-for-a-narrow-screen.example.com", status: "stopped", price: 19.99 },
  { id: 3, name: "db-1.example.com", status: "resizing", price: 4.99 },
  { id: 4, name: "cache.example.com", status: "failed", price: 4.99 }
]

const COLUMNS: ReadonlyArray<Column<Row>> = [
  {
    key: "name",
    title: "Name",
    by: ({ name }) => name,
    cell: ({ name }) => <Named note="VPS M · Debian 13">{name}</Named>
  },
  {
    key: "status",
    title: "Status",
    cell: ({ status }) => (
      <>
        <Status value={status} />
        {status === "failed" && (
          <span class="second">
            <span class="badge bad">Reinstall failed</span>
          </span>
        )}
      </>
    )
  },
  { key: "at", title: "Created", cell: () => <When at={NOW} /> },
  {
    key: "price",
    title: "Price",
    narrow: "second",
    numeric: true,
    cell: ({ price }) => <Money amount={price} currency="EUR" />
  }
]

const Tables = () => {
  const [chosen, setChosen] = useState<ReadonlySet<number | string>>(new Set([1]))
  const choice = {
    has: (id: number | string) => chosen.has(id),
    toggle: (id: number | string) => setChosen(chosen.has(id) ? new Set() : new Set([id])),
    all: false,
    toggleAll: () => setChosen(new Set()),
    nameOf: (id: number | string) => `row ${id}`
  }
  return (
    <>
      <Section title="Table" note="Sorts by its headings. Two lines for each row on a phone.">
        <Table label="A table" columns={COLUMNS} rows={ROWS} idOf={({ id }) => id} choice={choice} />
      </Section>
      <List
        title="List with actions"
        query={known(ROWS.slice(0, 2))}
        columns={[...COLUMNS.slice(0, 2), actionsOf(() => <Button kind="quiet">Edit</Button>)]}
        idOf={({ id }) => id}
        empty={{ icon: "instances", title: "None" }}
      >
        <Pager onNewer={undefined} onOlder={() => undefined} />
      </List>
    </>
  )
}

const Forms = () => (
  <Section title="Form" note="A problem is one sentence at its field.">
    <Form
      submit="Send"
      onSubmit={nothing}
      problems={new Map([["email", "Enter an email address, like name@example.com."]])}
    >
      <TextField name="name" label="Text" required hint="A hint says what is expected." placeholder="web.example.com" />
      <TextField name="email" label="With a problem" type="email" defaultValue="ada@" />
      <SelectField name="image" label="Choice">
        <option>Debian 13</option>
        <option>Ubuntu 24.04</option>
      </SelectField>
      <AreaField name="key" label="Long text" />
      <fieldset>
        <legend>One of several</legend>
        <CheckField type="radio" name="access" value="key" label="SSH key" defaultChecked />
        <CheckField type="radio" name="access" value="password" label="Root password" hint="Shown once." />
      </fieldset>
      <CheckField name="agree" label="On or off" />
    </Form>
  </Section>
)

const Dialogs = () => {
  const [shown, setShown] = useState<"plain" | "secret">()
  const close = () => setShown(undefined)
  return (
    <Section title="Dialogs" note="What stops something is confirmed. What loses data needs a name.">
      <div class="actions">
        <Button aria-haspopup="dialog" onClick={() => setShown("plain")}>Dialog</Button>
        <Button aria-haspopup="dialog" onClick={() => setShown("secret")}>Secret</Button>
        <Confirm action="Confirm" question="Stop web-1?" run={nothing}>
          <p>Its programs end.</p>
        </Confirm>
        <Confirm action="Confirm a loss" kind="danger" name="web-1" question="Reinstall web-1?" run={nothing}>
          <p>All data on the disk is lost.</p>
        </Confirm>
        <FormDialog action="Form in a dialog" heading="Edit the name" onSubmit={nothing}>
          <TextField name="name" label="Name" required />
        </FormDialog>
      </div>
      {shown === "plain" && <Dialog title="A dialog" onClose={close}>Any content.</Dialog>}
      {shown === "secret" && <SecretDialog title="The password" secret="correct horse" what="it" onClose={close} />}
    </Section>
  )
}

/** A response that has arrived, or failed. */
function known<T>(data: T | undefined, error?: ApiError): Query<T> {
  return { data, error, reload: () => undefined }
}

const FAILED = new ApiError("The database cannot be reached. Retry shortly.", 503, { requestId: "req-1" })

const States = () => (
  <Section title="Empty, loading, and failed">
    <div class="stack example">
      <Empty icon="instances" title="No instances yet">
        <p>Order the first one.</p>
        <LinkButton kind="primary" href="/panel/order">Order an instance</LinkButton>
      </Empty>
      <Loading lines={3} />
      <Loaded query={known<string>(undefined, FAILED)}>{(text) => text}</Loaded>
    </div>
  </Section>
)

const VALUES = [12, 18, 15, 22, 40, 38, 30, 33, 28, 25, 31, 29]

const Chart = later(async () => (await import("../../components/Chart.tsx")).Chart)

const percent = (value: number): string => `${Math.round(value)} %`

const SERIES = [{ name: "CPU", values: VALUES }]
const TIMES = VALUES.map((_, index) => Date.parse(NOW) / 1000 + index * 60)

const Charts = () => (
  <Section title="Charts">
    <div class="stack">
      <Sparkline label="CPU in the last hour" values={VALUES} max={100} />
      <Chart label="CPU over time" series={SERIES} times={TIMES} format={percent} max={100} />
    </div>
  </Section>
)

const WALLET: WalletRecord = {
  balance: 12,
  currency: "EUR",
  at_risk: null,
  missing: 8,
  payment: { bank: null, reference: "VPS-1", page: "https://pay.example.com/?account=1&amount={amount}" }
}

/** Days after the time of the page. */
const day = (days: number): string => new Date(Date.parse(NOW) + days * 86_400_000).toISOString()

const STEPS = [{ at: day(10), balance: 7 }, { at: day(22), balance: 2 }, { at: day(41), balance: -8 }]

const Payments = () => (
  <Section title="Payments" note="The wallet in the next days, and the ways to pay.">
    <div class="stack">
      <Progress label="Nothing done" percent={0} />
      <Progress label="A third done" percent={33} />
      <BalanceChart balance={12} currency="EUR" from={day(0)} until={day(60)} steps={STEPS} />
      <HowToPay missing={0} />
      <div class="actions">
        <PayButton wallet={WALLET} amount={8} />
      </div>
    </div>
  </Section>
)

const RANGES = { hour: "1 hour", day: "1 day" } as const

const Values = () => {
  const [range, setRange] = useState<keyof typeof RANGES>("hour")
  return (
    <Section title="Values and navigation">
      <div class="stack">
        <Facts
          rows={[
            ["Amount", <Money key="amount" amount={-4.99} currency="EUR" />],
            ["Time", <When key="time" at={NOW} />],
            ["Day", <When key="day" at={NOW} day />],
            ["To copy", <Copyable key="copy" text="ssh root@198.18.0.1" what="the command" />],
            ["State", <Status key="state" value="rescue" />],
            ["Icon", <Icon key="icon" name="key" />]
          ]}
        />
        <Segments label="Range" names={RANGES} current={range} onChoose={setRange} />
        <Tabs
          label="Example of tabs"
          current="one"
          tabs={[{ key: "one", name: "One", href: "#one" }, { key: "two", name: "Two", href: "#two" }]}
        />
        <Menu label="Menu" button="An example">
          <a class="menu-item" href="#menu">
            <Icon name="wallet" />Wallet
          </a>
        </Menu>
      </div>
    </Section>
  )
}

export const Components = () => (
  <Page title="Components" parents={[{ href: "/panel/emulator", name: "Emulator" }]}>
    <Buttons />
    <Banners />
    <Tables />
    <Forms />
    <Dialogs />
    <States />
    <Charts />
    <Payments />
    <Values />
  </Page>
)
