/** The requests of programs as they happen, newest first; repeated purchases are marked. */
import { useEffect } from "preact/hooks"
import { useQuery } from "../../api/query.ts"
import { ActionButton } from "../../components/ActionButton.tsx"
import { Section } from "../../components/Page.tsx"
import { Empty, Loaded } from "../../components/State.tsx"
import { type Column, Table } from "../../components/Table.tsx"
import { control, CONTROLS } from "./controls.ts"

interface LoggedRequest {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly status: number
  readonly idempotency_key_sha256: string | null
  readonly replayed: boolean
}

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
  const query = useQuery<ReadonlyArray<LoggedRequest>>(`${CONTROLS}/requests`)
  useEffect(() => {
    const timer = window.setInterval(() => document.hidden || query.reload(), POLL_MILLIS)
    return () => window.clearInterval(timer)
  }, [])
  const rows = (requests: ReadonlyArray<LoggedRequest>): ReadonlyArray<Numbered> =>
    requests.map((request, index) => ({ ...request, number: index + 1 })).toReversed()
  return (
    <Section
      title="Requests"
      note="The calls of your program to the API, newest first."
      actions={<ActionButton kind="quiet" run={async () => control("DELETE", "/requests")}>Clear</ActionButton>}
    >
      <Loaded query={query} lines={4}>
        {(requests) =>
          requests.length === 0
            ? <Empty icon="code" title="No requests yet">Run a test or `pulumi up` against this emulator.</Empty>
            : <Table label="Requests" columns={COLUMNS} rows={rows(requests)} idOf={({ number }) => number} />}
      </Loaded>
    </Section>
  )
}
