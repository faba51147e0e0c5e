/** The mails that the emulator has sent, or would have sent without a mail server, newest first. */
import { useEffect } from "preact/hooks"
import { mapQuery } from "../../api/query.ts"
import { type ResponseOf, send, useRead } from "../../api/calls.ts"
import { ActionButton } from "../../components/ActionButton.tsx"
import { Page } from "../../components/Page.tsx"
import { type Column, List } from "../../components/Table.tsx"
import { When } from "../../components/Values.tsx"
import { changing } from "./Emulator.tsx"

type Sent = ResponseOf<"GET /emulator/mails">[number]

interface Numbered extends Sent {
  readonly number: number
}

const COLUMNS: ReadonlyArray<Column<Numbered>> = [
  {
    key: "mail",
    title: "Mail",
    cell: ({ subject, text }) => (
      <details>
        <summary>{subject}</summary>
        <pre class="mail">{text}</pre>
      </details>
    )
  },
  { key: "to", title: "To", narrow: "line", cell: ({ to }) => to },
  { key: "at", title: "Sent", narrow: "line", cell: ({ at }) => <When at={at} /> }
]

/** Mails do not raise events, so they are read every second while this is shown. */
const POLL_MILLIS = 1_000

const numbered = (mails: ReadonlyArray<Sent>): ReadonlyArray<Numbered> =>
  mails.map((mail, index) => ({ ...mail, number: index + 1 })).toReversed()

export const SentMails = () => {
  const query = useRead("/emulator/mails")
  useEffect(() => {
    const timer = window.setInterval(() => document.hidden || query.reload(), POLL_MILLIS)
    return () => window.clearInterval(timer)
  }, [])
  return (
    <Page title="Sent mails" parent={{ href: "/panel/emulator", name: "Emulator" }}>
      <List
        title="Mails"
        note="Without a mail server, what would have been sent. Also at /_emulator/mails, for programs."
        actions={<ActionButton kind="quiet" run={changing(() => send("DELETE /emulator/mails"))}>Clear</ActionButton>}
        query={mapQuery(query, numbered)}
        lines={4}
        columns={COLUMNS}
        idOf={({ number }) => number}
        empty={{ icon: "mail", title: "No mails yet", advice: "Order an instance, or move the clock." }}
      />
    </Page>
  )
}
