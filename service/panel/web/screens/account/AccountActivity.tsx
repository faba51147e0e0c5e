/** All that happened in the account: sign-ins, keys, people, money, and instances. */
import { useState } from "preact/hooks"
import { type ResponseOf, useRead } from "../../api/calls.ts"
import { causeOf, taskName } from "../../api/outcomes.ts"
import { useAccountId } from "../../api/session.ts"
import { present } from "../../components/Form.tsx"
import { Loaded, Page, Section } from "../../components/Page.tsx"
import { type Column, Pager, Rows } from "../../components/Table.tsx"
import { Status, When } from "../../components/Values.tsx"

const ACTIVITY = "/accounts/:account/activity"
type Item = ResponseOf<`GET ${typeof ACTIVITY}`>["items"][number]

/** Acts on the account itself. Those on instances have the names of tasks. */
const ACTIONS: Readonly<Record<string, string>> = {
  "sign_in.link": "Signed in by a link",
  "sign_in.passkey": "Signed in with a passkey",
  "keys.create": "Made an API key",
  "keys.rotate": "Rotated an API key",
  "keys.revoke": "Revoked an API key",
  "ssh_keys.add": "Added an SSH key",
  "ssh_keys.remove": "Removed an SSH key",
  "invitations.send": "Invited a person",
  "invitations.withdraw": "Withdrew an invitation",
  "invitations.accept": "Accepted an invitation",
  "invitations.decline": "Declined an invitation",
  "people.invite": "Invited a person",
  "people.withdraw": "Withdrew an invitation",
  "people.permission": "Changed the access of a person",
  "people.remove": "Removed a person",
  "people.leave": "Left the account",
  "accounts.create": "Created the account",
  "accounts.edit": "Changed the account",
  "accounts.rename": "Renamed the account",
  "accounts.close": "Closed the account",
  "accounts.reopen": "Opened the account again",
  "accounts.freeze": "Froze the account",
  "accounts.unfreeze": "Ended the freeze of the account",
  "wallet.top_up": "Booked a payment",
  "wallet.move_payment": "Moved a payment here that was booked elsewhere",
  "wallet.debit": "Booked a debit",
  "wallet.refund": "Booked a refund",
  "instances.labels": "Changed the labels",
  "console.start": "Opened the console",
  provision: "Bought an instance",
  renew: "Renewed the instance"
}

const What = ({ item: { action, by, error, instance, subject } }: { readonly item: Item }) => (
  <>
    {ACTIONS[action] ?? taskName(action)}
    {subject !== null && subject !== by.name && <span class="muted second">{subject}</span>}
    {instance !== null && (
      <span class="second">
        {instance.is_deleted
          ? <span class="muted">{instance.name ?? `#${instance.id}`}, deleted</span>
          : <a href={`/panel/instances/${instance.id}`}>{instance.name ?? `#${instance.id}`}</a>}
      </span>
    )}
    {error !== null && <span class="bad second">{causeOf({ error })}</span>}
  </>
)

const KINDS_OF_AUTHORS = {
  person: "a person",
  api_key: "API key",
  host: "the host",
  service: "the service"
} as const satisfies Record<Item["by"]["kind"], string>

const Who = ({ by: { kind, name } }: Pick<Item, "by">) => (
  <>
    {kind === "api_key" ? `API key ${name ?? ""}` : name ?? KINDS_OF_AUTHORS[kind]}
  </>
)

const COLUMNS: ReadonlyArray<Column<Item>> = [
  { key: "when", title: "When", narrow: "second", cell: ({ at }) => <When at={at} /> },
  { key: "who", title: "Who", cell: ({ by }) => <Who by={by} /> },
  { key: "what", title: "What", narrow: "title", cell: (item) => <What item={item} /> },
  { key: "status", title: "Result", cell: ({ status }) => <Status task value={status} /> },
  { key: "request", title: "Request", cell: (one) => one.request_id === null ? "–" : <code>{one.request_id}</code> }
]

type Kind = "account" | "instances"

const KINDS = { "": "All", account: "The account", instances: "Instances" } as const

interface Filter {
  readonly kind: Kind | undefined
  readonly person: number | undefined
}

const KIND_NAMES: Readonly<Record<string, Kind>> = { account: "account", instances: "instances" }

const Filters = ({ account, filter, onChoose }: {
  readonly account: number
  readonly filter: Filter
  readonly onChoose: (filter: Filter) => void
}) => {
  const { data: people = [] } = useRead("/accounts/:account/people", { params: { account } })
  return (
    <div class="toolbar">
      <select
        aria-label="Show"
        value={filter.kind ?? ""}
        onChange={({ currentTarget: { value } }) => onChoose({ ...filter, kind: KIND_NAMES[value] })}
      >
        {Object.entries(KINDS).map(([key, name]) => <option key={key} value={key}>{name}</option>)}
      </select>
      <select
        aria-label="Person"
        value={filter.person ?? ""}
        onChange={({ currentTarget: { value } }) => onChoose({ ...filter, person: Number(value) || undefined })}
      >
        <option value="">Everyone</option>
        {people.map(({ email, id }) => <option key={id} value={id}>{email}</option>)}
      </select>
    </div>
  )
}

const ALL: Filter = { kind: undefined, person: undefined }

const List = ({ account }: { readonly account: number }) => {
  const [filter, setFilter] = useState(ALL)
  const [places, setPlaces] = useState<ReadonlyArray<string>>([])
  const query = useRead(ACTIVITY, { params: { account }, query: present({ ...filter, after: places.at(-1) }) })
  const choose = (chosen: Filter) => {
    setFilter(chosen)
    setPlaces([])
  }
  return (
    <>
      <Filters account={account} filter={filter} onChoose={choose} />
      <Loaded query={query} lines={8}>
        {({ items, next }) => (
          <>
            <Rows
              label="Activity"
              columns={COLUMNS}
              rows={items}
              idOf={({ id }) => id}
              empty={{ icon: "today", title: "Nothing has happened yet" }}
            />
            <Pager
              onNewer={places.length === 0 ? undefined : () => setPlaces(places.slice(0, -1))}
              onOlder={next === null ? undefined : () => setPlaces([...places, next])}
            />
          </>
        )}
      </Loaded>
    </>
  )
}

export const AccountActivity = () => {
  const account = useAccountId()
  return (
    <Page title="Activity">
      <Section
        title="All activity"
        note="Newest first: sign-ins, keys, people, money, and instances. Without nightly backups."
      >
        <List key={account} account={account} />
      </Section>
    </Page>
  )
}
