/** The transactions of all wallets: what the sums on the first page are made of. */
import type { InputOf, RowOf } from "../../api/calls.ts"
import { money, words } from "../../api/format.ts"
import { Page } from "../../components/Page.tsx"
import type { Column } from "../../components/Table.tsx"
import { Named, When } from "../../components/Values.tsx"
import { CommandList } from "./CommandList.tsx"
import type { Filter } from "./Filters.tsx"
import { accountHref, instanceHref } from "./Links.ts"

type Booking = RowOf<"wallet.bookings">

const COLUMNS: ReadonlyArray<Column<Booking>> = [
  {
    key: "what",
    title: "Name",
    cell: ({ description, id, instance_id: instance, kind }) => (
      <Named
        note={
          <>
            {words(kind)}, line {id}
            {instance !== null && (
              <>
                , <a href={instanceHref(instance)}>instance {instance}</a>
              </>
            )}
          </>
        }
      >
        {description}
      </Named>
    )
  },
  {
    key: "account",
    title: "Account",
    by: (one) => one.account_email,
    cell: ({ account_email: email, account_id: id }) => <a href={accountHref(id)}>{email}</a>
  },
  {
    key: "amount",
    title: "Amount",
    numeric: true,
    by: ({ amount }) => amount,
    cell: ({ amount, currency }) => <span class="number">{money(amount, currency)}</span>
  },
  { key: "at", title: "When", by: ({ at }) => at, cell: ({ at }) => <When at={at} /> }
]

const KINDS = { top_up: "Paid in", charge: "Charged", refund: "Refunded", payout: "Paid out" } as const

const FILTERS: ReadonlyArray<Filter<InputOf<"wallet.bookings">>> = [
  {
    kind: "choice",
    name: "kind",
    label: "Show",
    words: KINDS,
    inputOf: (kind) => ({ kind: kind as keyof typeof KINDS })
  },
  { kind: "time", name: "from", label: "From", inputOf: (since) => ({ since }) },
  { kind: "time", name: "until", label: "Until", inputOf: (until) => ({ until }) }
]

export const Bookings = () => (
  <Page title="Transactions" parent={{ href: "/panel/operator", name: "Today" }}>
    <CommandList
      command="wallet.bookings"
      cursor="before"
      label="Transactions"
      placeholder="Search by account, number, reference, or reason"
      columns={COLUMNS}
      idOf={({ id }) => id}
      icon="wallet"
      empty="The first one is a customer's payment, which you book on the account's page."
      filters={FILTERS}
      inAddress
    />
  </Page>
)
