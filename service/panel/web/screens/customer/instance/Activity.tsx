/** The activity feed: who did what, when, how it ended, and the request behind it. */
import { useState } from "preact/hooks"
import { type ResponseOf, useRead } from "../../../api/calls.ts"
import { money, words } from "../../../api/format.ts"
import { causeOf, taskName } from "../../../api/outcomes.ts"
import { ShowCode } from "../../../components/ShowCode.tsx"
import { type Column, Pager, Rows } from "../../../components/Table.tsx"
import { Loaded, Section } from "../../../components/Page.tsx"
import { Status, When } from "../../../components/Values.tsx"
import { useInstance } from "./Context.ts"

const PAGE = 20

const ACTIVITY = "/accounts/:account/instances/:id/activity"
type ActivityRecord = ResponseOf<`GET ${typeof ACTIVITY}`>["items"][number]

const What = ({ task }: { readonly task: ActivityRecord }) => (
  <>
    {taskName(task.type)}
    {task.charge_amount !== null && task.currency !== null && (
      <span class="muted second">{money(task.charge_amount, task.currency)}</span>
    )}
    {task.error !== null && <span class="bad second">{causeOf(task)}</span>}
  </>
)

const COLUMNS: ReadonlyArray<Column<ActivityRecord>> = [
  { key: "when", title: "When", narrow: "second", cell: ({ created_at }) => <When at={created_at} /> },
  { key: "what", title: "What", narrow: "title", cell: (task) => <What task={task} /> },
  { key: "status", title: "Result", cell: ({ status }) => <Status task value={status} /> },
  {
    key: "who",
    title: "Who",
    cell: ({ actor, by }) => (
      <>
        {by ?? words(actor)}
        {by !== null && <span class="muted second">{words(actor)}</span>}
      </>
    )
  },
  { key: "request", title: "Request", cell: (one) => one.request_id === null ? "–" : <code>{one.request_id}</code> }
]

export const Activity = () => {
  const { account, instance: { id } } = useInstance()
  const [offset, setOffset] = useState(0)
  const query = useRead(ACTIVITY, { params: { account, id }, query: { limit: PAGE, offset } })
  const example = {
    method: "GET",
    path: `/instances/${id}/tasks?limit=${PAGE}`,
    sdk: `vps.monitoring.tasks(${id}, { limit: ${PAGE} })`,
    vps: `vps instance tasks ${id}`
  } as const
  return (
    <Section title="Activity" actions={<ShowCode title="Read the activity" example={example} />}>
      <Loaded query={query} lines={6}>
        {({ items, total }) => (
          <>
            <Rows
              label="Activity"
              columns={COLUMNS}
              rows={items}
              idOf={(task) => `${task.kind}${task.id}`}
              empty={{ icon: "tasks", title: "Nothing has happened yet" }}
            />
            <Pager
              onNewer={offset === 0 ? undefined : () => setOffset(offset - PAGE)}
              onOlder={offset + PAGE >= total ? undefined : () => setOffset(offset + PAGE)}
            >
              <span class="muted">{offset + 1} to {Math.min(offset + PAGE, total)} of {total}</span>
            </Pager>
          </>
        )}
      </Loaded>
    </Section>
  )
}
