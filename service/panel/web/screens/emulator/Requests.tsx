/** The requests of programs as they happen, newest first; repeated purchases are marked. */
import { type ResponseOf, send, useRead } from "../../api/calls.ts"
import { useEffect } from "preact/hooks"
import { mapQuery } from "../../api/query.ts"
import { ActionButton } from "../../components/ActionButton.tsx"
import { List } from "../../components/List.tsx"
import type { Column } from "../../components/Table.tsx"
import { changing } from "./controls.ts"

type LoggedRequest = ResponseOf<"GET /emulator/requests">[number]

interface Numbered extends LoggedRequest {
  readonly number: number
}

const COLUMNS: ReadonlyArray<Column<Numbered>> = [
  { key: "number", title: "Number", numeric: true, cell: ({ number }) => number },
  {
    key: "request",
    title: "Request",
    cell: ({ method, path, query }) => <code>{method} {path}{query === "" ? "" : `?${query}`}</code>
  },
  {
    key: "status",
    title: "Status",
    numeric: true,
    cell: ({ status }) => <span class={status < 400 ? "number good" : "number bad"}>{status}</span>
  },
  {
    key: "key",
    title: "Idempotency key",
    cell: ({ idempotency_key_sha256: key, replayed }) =>
      key === null ? "–" : (
        <>
          <code title="SHA-256">{key.slice(0, 12)}</code>
          {replayed && <strong class="second good">replayed: nothing was bought again</strong>}
        </>
      )
  }
]

/** Requests do not raise events, so they are read every second while this is shown. */
const POLL_MILLIS = 1_000

export const Requests = () => {
  const query = useRead("/emulator/requests")
  useEffect(() => {
    const timer = window.setInterval(() => document.hidden || query.reload(), POLL_MILLIS)
    return () => window.clearInterval(timer)
  }, [])
  const numbered = (requests: ReadonlyArray<LoggedRequest>): ReadonlyArray<Numbered> =>
    requests.map((request, index) => ({ ...request, number: index + 1 })).toReversed()
  return (
    <List
      title="Requests"
      note="The calls of your program to the API, newest first."
      actions={<ActionButton kind="quiet" run={changing(() => send("DELETE /emulator/requests"))}>Clear</ActionButton>}
      query={mapQuery(query, numbered)}
      lines={4}
      columns={COLUMNS}
      idOf={({ number }) => number}
      empty={{
        icon: "code",
        title: "No requests yet",
        advice: "Run a test or `pulumi up` against this emulator."
      }}
    />
  )
}
