/** The state of the host: tasks that need an operator, money, capacity, contracts that end, and the books. */
import type { ComponentChildren } from "preact"
import { type ResponseOf, useRead } from "../../api/calls.ts"
import { bytes, money, words } from "../../api/format.ts"
import { LinkButton } from "../../components/Button.tsx"
import { Facts, later, Loaded, Notice, Page, Section } from "../../components/Page.tsx"
import { Status, When } from "../../components/Values.tsx"
import { Bar } from "../customer/Usage.tsx"
import { Endings } from "./Endings.tsx"
import { HeldOrders } from "./HeldOrders.tsx"
import { listHref } from "./Links.ts"
import { Unreconciled } from "./Tasks.tsx"

/** Only a new installation needs it. */
const Setup = later(async () => (await import("./Setup.tsx")).Setup)

type TodayRecord = ResponseOf<"GET /operator/today">
type MoneyRecord = TodayRecord["money"][number]

const MIB = 1_048_576
const GIB = 1_073_741_824

interface FigureProps {
  readonly name: string
  readonly value: ComponentChildren
  /** The list that the number counts. */
  readonly href?: string
  /** True if an operator should act. */
  readonly alarming?: boolean
}

const Figure = ({ alarming = false, href, name, value }: FigureProps) => (
  <div class={alarming ? "figure alarming" : "figure"}>
    <dt>{name}</dt>
    <dd>{href === undefined ? value : <a href={href}>{value}</a>}</dd>
  </div>
)

const DAY_MILLIS = 86_400_000

/** The beginning of the 24 hours that numbers are about. */
const dayBefore = (at: string): string => new Date(Date.parse(at) - DAY_MILLIS).toISOString()

const Tasks = ({ at, tasks }: Pick<TodayRecord, "at" | "tasks">) => {
  const { due_since: due, failed, held, unreconciled, queued, running } = tasks
  const ofStatus = (status: string) => listHref("tasks", { status })
  return (
    <Section
      title="Tasks"
      {...(due === null ? {} : {
        note: (
          <>
            The oldest waits since <When at={due} />.
          </>
        )
      })}
      actions={<LinkButton href={listHref("tasks")}>Show all</LinkButton>}
    >
      <dl class="figures">
        <Figure
          name="Failed today"
          value={failed}
          href={listHref("tasks", { status: "failed", since: dayBefore(at) })}
          alarming={failed > 0}
        />
        <Figure name="Need an operator" value={unreconciled} href={listHref("tasks")} alarming={unreconciled > 0} />
        <Figure name="Wait for approval" value={held} href={ofStatus("held")} alarming={held > 0} />
        <Figure name="Waiting" value={queued} href={ofStatus("queued")} />
        <Figure name="Running" value={running} href={ofStatus("running")} />
      </dl>
    </Section>
  )
}

const Accounts = ({ accounts: { failures, low_balance: low } }: Pick<TodayRecord, "accounts">) => (
  <Section title="Accounts" actions={<LinkButton href={listHref("accounts")}>Show all</LinkButton>}>
    <dl class="figures">
      <Figure
        name="Wallet too low for 7 days"
        value={low}
        href={listHref("accounts", { need: "low_balance" })}
        alarming={low > 0}
      />
      <Figure
        name="Tasks failed in 7 days"
        value={failures}
        href={listHref("accounts", { need: "failures" })}
        alarming={failures > 0}
      />
    </dl>
  </Section>
)

interface MoneyProps {
  readonly at: string
  readonly record: MoneyRecord
}

const MoneyOf = ({ at, record: { charges, currency, payouts, refunds, top_ups } }: MoneyProps) => {
  const of = (kind: string) => listHref("bookings", { kind, from: dayBefore(at) })
  return (
    <dl class="figures">
      <Figure name={`Paid in, ${currency}`} value={money(top_ups, currency)} href={of("top_up")} />
      <Figure name="Charged" value={money(charges, currency)} href={of("charge")} />
      <Figure name="Refunded" value={money(refunds, currency)} href={of("refund")} />
      <Figure name="Paid out" value={money(payouts, currency)} href={of("payout")} />
    </dl>
  )
}

const Books = ({ books: { balanced, checked_at: at } }: Pick<TodayRecord, "books">) => (
  <div>
    <span class={balanced ? "status good" : "status bad"}>
      {balanced ? "The books balance" : "The books do not balance"}
    </span>
    <span class="muted second">
      checked <When at={at} />
    </span>
  </div>
)

const Hosts = ({ hosts }: Pick<TodayRecord, "hosts">) => (
  <Section title="Capacity" actions={<LinkButton href="/panel/operator/hosts">Hosts</LinkButton>}>
    {hosts.length === 0 && <p class="muted">None yet. Simulated instances need none.</p>}
    {hosts.map(({ cpus, disk_gib, memory_mib, name, state }) => (
      <div key={name} class="stack wide-bars host">
        <p>
          <strong>{name}</strong> <Status value={state} />
        </p>
        <Bar name="CPU" share={100 * cpus.used / cpus.total} text={`${cpus.used} of ${cpus.total}`} />
        <Bar
          name="Memory"
          share={100 * memory_mib.used / memory_mib.total}
          text={`${bytes(memory_mib.used * MIB)} of ${bytes(memory_mib.total * MIB)}`}
        />
        <Bar
          name="Disk"
          share={100 * disk_gib.used / disk_gib.total}
          text={`${bytes(disk_gib.used * GIB)} of ${bytes(disk_gib.total * GIB)}`}
        />
      </div>
    ))}
  </Section>
)

const Shown = ({ today }: { readonly today: TodayRecord }) => {
  const { endings, hosts, instances, setup, tasks } = today
  const counts = Object.entries(instances).map(([status, count]) =>
    [words(status), <a key={status} href={listHref("instances", { status })}>{count}</a>] as const
  )
  return (
    <>
      {!today.clock_trusted && (
        <Notice tone="warn" title="The clock is in doubt">
          Renewals have stopped. Run: vps-service admin clock show
        </Notice>
      )}
      {!today.books.balanced && (
        <Notice tone="bad" title="The books do not balance">
          A wallet differs from its journals. Find out which: vps-service admin ledger verify
        </Notice>
      )}
      {setup !== null && <Setup setup={setup} />}
      <Unreconciled />
      <HeldOrders />
      <Tasks at={today.at} tasks={tasks} />
      <Accounts accounts={today.accounts} />
      <Endings endings={endings} />
      <Section title="Money in the last 24 hours" actions={<Books books={today.books} />}>
        {today.money.length === 0 && <p class="muted">Nothing was booked.</p>}
        {today.money.map((record) => <MoneyOf key={record.currency} at={today.at} record={record} />)}
      </Section>
      <div class="grid">
        <Section title="Instances" actions={<LinkButton href={listHref("instances")}>Show all</LinkButton>}>
          {counts.length === 0 ? <p class="muted">There are none.</p> : <Facts rows={counts} />}
        </Section>
        <Hosts hosts={hosts} />
      </div>
    </>
  )
}

export const Today = () => {
  const query = useRead("/operator/today")
  return (
    <Page title="Today">
      <Loaded query={query} lines={8}>{(today) => <Shown today={today} />}</Loaded>
    </Page>
  )
}
