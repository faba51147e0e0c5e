/** The wallet of the account: its balance, and every cent that went in or out. */
import type { ComponentChildren } from "preact"
import type { StatementRecord } from "../../../../contract/Statement.ts"
import type { ForecastRecord, WalletRecord } from "../../../contract/AccountCalls.ts"
import { money } from "../../api/format.ts"
import { actionsOf, type Column, Pager, Rows, Table, usePages } from "../../components/Table.tsx"
import { When } from "../../components/Values.tsx"
import { pathTo, useRead } from "../../api/calls.ts"
import { useAccountId } from "../../api/session.ts"
import { Loaded, Notice, Page, Section } from "../../components/Page.tsx"
import { BalanceChart } from "../../components/BalanceChart.tsx"
import { HowToPay } from "../../components/HowToPay.tsx"

export type StatementLine = StatementRecord

const detailsOf = ({ currency, discount, order_id, vat_amount, vat_rate }: StatementLine): string =>
  [
    order_id === null ? undefined : `order ${order_id}`,
    discount === null || discount === 0 ? undefined : `discount ${money(discount, currency)}`,
    vat_amount === null || vat_amount === 0
      ? undefined
      : `includes ${money(Math.abs(vat_amount), currency)} VAT${vat_rate === null ? "" : ` (${vat_rate} %)`}`
  ].filter((one) => one !== undefined).join(" · ")

interface StatementProps {
  readonly lines: ReadonlyArray<StatementLine>
  readonly hrefOf: (instanceId: number) => string
  /** While there are no lines: the next step. */
  readonly advice: string
  /** For operators: what can be done with a line. */
  readonly actions?: (line: StatementLine) => ComponentChildren
}

const What = ({ hrefOf, line }: Pick<StatementProps, "hrefOf"> & { readonly line: StatementLine }) => (
  <>
    {line.description}
    <span class="muted second">
      {detailsOf(line)}
      {line.instance_id !== null && (
        <>
          {detailsOf(line) === "" ? "" : " · "}
          <a href={hrefOf(line.instance_id)}>{line.hostname ?? `instance ${line.instance_id}`}</a>
        </>
      )}
    </span>
  </>
)

/** A wallet's statement: each line says what its amount was for. Shared by customers and operators. */
export const Statement = ({ actions, advice, hrefOf, lines }: StatementProps) => {
  const columns: ReadonlyArray<Column<StatementLine>> = [
    { key: "at", title: "When", narrow: "second", cell: ({ at }) => <When at={at} day /> },
    { key: "what", title: "What for", narrow: "title", cell: (line) => <What line={line} hrefOf={hrefOf} /> },
    {
      key: "amount",
      title: "Amount",
      narrow: "first",
      numeric: true,
      cell: ({ amount, currency }) => (
        <strong class={amount > 0 ? "number good" : "number"}>{amount > 0 && "+"}{money(amount, currency)}</strong>
      )
    },
    {
      key: "balance",
      title: "Balance",
      numeric: true,
      cell: ({ balance, currency }) => <span class="number">{money(balance, currency)}</span>
    },
    ...(actions === undefined ? [] : [actionsOf(actions)])
  ]
  const empty = { icon: "wallet", title: "Nothing was booked yet", advice } as const
  return <Rows label="Statement" columns={columns} rows={lines} idOf={({ id }) => id} empty={empty} />
}

const Lines = ({ account }: { readonly account: number }) => {
  const { before, pagesOf } = usePages()
  const query = useRead("/accounts/:account/wallet/statement", {
    params: { account },
    query: before === undefined ? {} : { after: before }
  })
  return (
    <Loaded query={query} lines={6}>
      {({ items, next }) => (
        <>
          <Statement
            lines={items}
            hrefOf={(id) => `/panel/instances/${id}`}
            advice="Your host books your first payment here."
          />
          <Pager {...pagesOf(next)} />
        </>
      )}
    </Loaded>
  )
}

const columnsOf = (currency: string): ReadonlyArray<Column<ForecastRecord>> => [
  { key: "at", title: "When", narrow: "second", cell: ({ at }) => <When at={at} day /> },
  {
    key: "instance",
    title: "Instance",
    narrow: "title",
    cell: ({ hostname, instance_id: id }) => (
      <a class="row-link" href={`/panel/instances/${id}`}>{hostname ?? `instance ${id}`}</a>
    )
  },
  {
    key: "charge",
    title: "Charge",
    narrow: "first",
    numeric: true,
    cell: ({ charge }) => <span class="number">{money(charge, currency)}</span>
  },
  {
    key: "balance",
    title: "Balance after",
    narrow: "line",
    numeric: true,
    cell: ({ balance }) => <span class={balance < 0 ? "number bad" : "number"}>{money(balance, currency)}</span>
  }
]

/** In a sentence: whether the wallet lasts, and until when. */
const Outlook = (
  { charges, currency, from }: { charges: ReadonlyArray<ForecastRecord>; currency: string; from: string }
) => {
  const first = charges.find(({ balance }) => balance < 0)
  if (charges.length === 0) return <p>Nothing is due in the next 60 days.</p>
  if (first === undefined) return <p>The wallet pays for everything that is due in the next 60 days.</p>
  return (
    <p>
      {first.at <= from
        ? "The wallet does not pay for what is due now. "
        : (
          <>
            The wallet lasts until <When at={first.at} day />.
          </>
        )}
      For the next 60 days, <strong>{money(-charges.at(-1)!.balance, currency)}</strong> are missing.
    </p>
  )
}

/** The charges of the next days, against the wallet. */
const Outgoing = ({ balance, currency }: Pick<WalletRecord, "balance" | "currency">) => {
  const account = useAccountId()
  const query = useRead("/accounts/:account/wallet/forecast", { params: { account } })
  return (
    <Loaded query={query} lines={4}>
      {({ charges, from, until }) => (
        <div class="stack">
          <Outlook {...{ charges, currency, from }} />
          {charges.length > 0 && <BalanceChart {...{ balance, currency, from, until }} steps={charges} />}
          {charges.length > 0 && (
            <details>
              <summary>{charges.length === 1 ? "The charge" : `All ${charges.length} charges`}</summary>
              <Table
                label="Charges to come"
                columns={columnsOf(currency)}
                rows={charges}
                idOf={({ at, instance_id: id }) => `${id} ${at}`}
              />
            </details>
          )}
        </div>
      )}
    </Loaded>
  )
}

const Balance = ({ balance, currency }: Pick<WalletRecord, "balance" | "currency">) => (
  <>
    <p class="amount number">{money(balance, currency)}</p>
    {balance < 0 && (
      <Notice tone="warn" title={`${money(-balance, currency)} are owed`}>
        A payment was taken back after it was spent. Until that is paid, nothing can be bought, and instances are not
        renewed.
      </Notice>
    )}
  </>
)

export const Wallet = () => {
  const account = useAccountId()
  const query = useRead("/accounts/:account/wallet", { params: { account } })
  const csv = pathTo("/accounts/:account/wallet/statement.csv", { account })
  return (
    <Page title="Wallet">
      <div class="columns">
        <Section title="Balance" note="Instances are paid from it.">
          <Loaded query={query} lines={6}>
            {({ balance, currency }) => (
              <>
                <Balance {...{ balance, currency }} />
                <Outgoing {...{ balance, currency }} />
              </>
            )}
          </Loaded>
        </Section>
        <Section id="pay" title="Add money" note="Your host books the payment here.">
          <Loaded query={query} lines={3}>{({ missing }) => <HowToPay missing={missing} />}</Loaded>
        </Section>
      </div>
      <Section
        title="Statement"
        note="Newest first. Charges with their tax, refunds, and payments."
        actions={<a class="button plain" href={`/panel/api${csv}`} download>Download as CSV</a>}
      >
        <Lines account={account} />
      </Section>
    </Page>
  )
}
