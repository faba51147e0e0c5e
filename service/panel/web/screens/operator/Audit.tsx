/** The audit log: every act of an operator, and every sign-in, each entry hashed with the one before it. */
import { useState } from "preact/hooks"
import { execute, type InputOf, type ResultOf, type RowOf } from "../../api/calls.ts"
import { download } from "../../api/format.ts"
import { ActionButton } from "../../components/ActionButton.tsx"
import { Notice, Page, Section } from "../../components/Page.tsx"
import type { Column } from "../../components/Table.tsx"
import { Status, When } from "../../components/Values.tsx"
import { CommandList, linked } from "./CommandList.tsx"
import type { Filter } from "./Filters.tsx"
import { accountHref, instanceHref, listHref } from "./Links.ts"

/** Entries in one request of an export: the most that a command returns. */
const EXPORT_PAGE = 1000

const Details = ({ entry: { account_id, details, instance_id } }: { readonly entry: RowOf<"audit.list"> }) => {
  const facts = Object.entries(details).map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join(", ")
  return (
    <span class="details">
      {account_id !== null && <a href={accountHref(account_id)}>account {account_id}</a>}
      {account_id !== null && instance_id !== null && ", "}
      {instance_id !== null && <a href={instanceHref(instance_id)}>instance {instance_id}</a>}
      {facts !== "" && <code class="second muted">{facts}</code>}
    </span>
  )
}

const COLUMNS: ReadonlyArray<Column<RowOf<"audit.list">>> = [
  {
    key: "at",
    title: "When",
    narrow: "second",
    cell: ({ at, seq }) => (
      <>
        <When at={at} />
        <span class="muted second">#{seq}</span>
      </>
    )
  },
  {
    key: "who",
    title: "Who",
    cell: ({ actor, actor_kind, from }) => (
      <>
        <a href={listHref("audit", { person: actor })}>{actor}</a>
        <span class="muted second">{actor_kind}{from === null ? "" : `, ${from}`}</span>
      </>
    )
  },
  {
    key: "action",
    title: "What",
    narrow: "title",
    cell: ({ action }) => (
      <a href={listHref("audit", { action })}>
        <code>{action}</code>
      </a>
    )
  },
  { key: "details", title: "Of what", cell: (entry) => <Details entry={entry} /> },
  {
    key: "outcome",
    title: "Result",
    narrow: "first",
    cell: ({ error, outcome }) => (
      <>
        <Status value={outcome} />
        {error !== null && <span class="bad second">{error}</span>}
      </>
    )
  }
]

/** The first words of actions; a whole one, like instances.suspend, can be typed. */
const GROUPS = [
  "accounts",
  "addresses",
  "catalogue",
  "clock",
  "coupons",
  "hosts",
  "images",
  "instances",
  "invitations",
  "keys",
  "machines",
  "notes",
  "passkeys",
  "people",
  "plans",
  "sessions",
  "sign_in",
  "sign_out",
  "ssh_keys",
  "tasks",
  "wallet"
]

const FILTERS: ReadonlyArray<Filter<InputOf<"audit.list">>> = [
  { kind: "text", name: "person", label: "Person", inputOf: (actor) => ({ actor }) },
  { kind: "text", name: "action", label: "Action", suggestions: GROUPS, inputOf: (action) => ({ action }) },
  { kind: "time", name: "from", label: "From", inputOf: (since) => ({ since }) },
  { kind: "time", name: "until", label: "Until", inputOf: (until) => ({ until }) },
  linked("account"),
  linked("instance")
]

const Verify = () => {
  const [verdict, setVerdict] = useState<ResultOf<"audit.verify">>()
  return (
    <>
      <ActionButton run={async () => setVerdict(await execute("audit.verify"))}>Verify the chain</ActionButton>
      {verdict !== undefined && (
        <Notice
          tone={verdict.intact ? "good" : "bad"}
          title={verdict.intact ? "The chain is intact" : "It was changed"}
        >
          {verdict.entries} entries. {verdict.problems.join(" ")} {verdict.head !== null && (
            <>
              Newest: <code>{verdict.head}</code>
            </>
          )}
        </Notice>
      )}
    </>
  )
}

const exportAll = async (): Promise<string> => {
  const lines: Array<string> = []
  let after = 0
  for (;;) {
    const entries = await execute("audit.export", { after, limit: EXPORT_PAGE })
    lines.push(...entries.map((entry) => `${JSON.stringify(entry)}\n`))
    if (entries.length < EXPORT_PAGE) break
    after = entries.at(-1)!.seq
  }
  download("audit.jsonl", lines)
  return `${lines.length} entries are exported.`
}

export const Audit = () => (
  <Page title="Audit" actions={<ActionButton run={exportAll}>Export</ActionButton>}>
    <Section title="Integrity" note="Each entry contains a hash of the one before it, so a change breaks the chain.">
      <div class="stack">
        <Verify />
      </div>
    </Section>
    <CommandList
      command="audit.list"
      cursor="before"
      label="Entries"
      placeholder="Search by person, action, number, or reason"
      columns={COLUMNS}
      idOf={({ seq }) => seq}
      icon="audit"
      filters={FILTERS}
      inAddress
      empty="Acts of operators and sign-ins appear here."
    />
  </Page>
)
