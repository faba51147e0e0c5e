/** The instances that end soon: whose they are, when they end and why, and what the next period costs. */
import type { ResponseOf } from "../../api/calls.ts"
import { LinkButton } from "../../components/Button.tsx"
import { Section } from "../../components/Page.tsx"
import { type Column, Table } from "../../components/Table.tsx"
import { Money, When } from "../../components/Values.tsx"
import { accountHref, instanceHref, listHref } from "./Links.ts"

type Ending = ResponseOf<"GET /operator/today">["endings"]["shown"][number]

/** The event at that moment, and its reason. */
const WHY: Readonly<Record<Ending["why"], readonly [what: string, why: string]>> = {
  not_renewed: ["Is powered off", "its renewal is off"],
  unpaid: ["Is powered off", "the wallet is too low"],
  expired: ["Is deleted", "it has expired"]
}

const COLUMNS: ReadonlyArray<Column<Ending>> = [
  {
    key: "name",
    title: "Name",
    by: ({ hostname, instance_id: id }) => hostname ?? `Instance ${id}`,
    cell: ({ hostname, instance_id: id }) => (
      <>
        <a class="row-link" href={instanceHref(id)}>{hostname ?? `Instance ${id}`}</a>
        {hostname !== null && <span class="muted second">instance {id}</span>}
      </>
    )
  },
  {
    key: "account",
    title: "Account",
    by: ({ account }) => account,
    cell: ({ account, account_id: id }) => <a href={accountHref(id)}>{account}</a>
  },
  {
    key: "why",
    title: "Then",
    by: ({ why }) => why,
    cell: ({ why }) => (
      <>
        {WHY[why][0]}
        <span class="muted second">{WHY[why][1]}</span>
      </>
    )
  },
  { key: "at", title: "When", narrow: "first", by: ({ at }) => at, cell: ({ at }) => <When at={at} /> },
  {
    key: "charge",
    title: "Next period",
    narrow: "second",
    numeric: true,
    by: ({ charge }) => charge,
    cell: ({ charge, currency }) => <Money amount={charge} currency={currency} />
  }
]

export const Endings = (
  { endings: { count, shown } }: { readonly endings: ResponseOf<"GET /operator/today">["endings"] }
) => (
  <Section
    title="Ending within 7 days"
    note={count > shown.length
      ? `The ${shown.length} soonest of ${count}. Contact their customers in time.`
      : "Contact their customers in time."}
    actions={<LinkButton href={listHref("accounts", { need: "low_balance" })}>Accounts that have to pay</LinkButton>}
  >
    {shown.length === 0
      ? <p class="muted">None.</p>
      : <Table label="Ending within 7 days" columns={COLUMNS} rows={shown} idOf={(one) => one.instance_id} />}
  </Section>
)
