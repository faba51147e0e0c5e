/** Backups, which the host makes on a schedule; the customer restores them. */
import type { Backup } from "#contract/Backups"
import { bytes, time } from "../../../api/format.ts"
import { nameOf } from "../../../api/instances.ts"
import { useQuery } from "../../../api/query.ts"
import { ShowCode } from "../../../code/ShowCode.tsx"
import { Confirm } from "../../../components/Confirm.tsx"
import { Section } from "../../../components/Page.tsx"
import { Empty, Loaded } from "../../../components/State.tsx"
import { type Column, Table } from "../../../components/Table.tsx"
import { Status, When } from "../../../components/Values.tsx"
import { busyReason, useInstance, useOperation } from "./Context.ts"

const Restore = ({ backup: { created_at, id, status } }: { readonly backup: Backup }) => {
  const shown = useInstance()
  const operate = useOperation()
  const name = nameOf(shown.instance)
  const busy = busyReason(shown) ?? (status === "available" ? undefined : `The backup is ${status}`)
  return (
    <div class="actions">
      <Confirm
        action="Restore"
        kind="danger"
        disabled={busy !== undefined}
        title={busy}
        question={`Restore the backup of ${time(created_at)}?`}
        name={name}
        run={async () => void await operate("POST", `/backups/${id}/restore`)}
      >
        <p>The disk of {name} becomes what it was then. Everything written since is lost.</p>
      </Confirm>
    </div>
  )
}

const COLUMNS: ReadonlyArray<Column<Backup>> = [
  { key: "created", title: "Made", by: (one) => one.created_at, cell: (one) => <When at={one.created_at} /> },
  { key: "status", title: "Status", by: ({ status }) => status, cell: ({ status }) => <Status value={status} /> },
  {
    key: "size",
    title: "Size",
    numeric: true,
    by: ({ size_bytes }) => size_bytes ?? 0,
    cell: ({ size_bytes }) => size_bytes === null ? "–" : bytes(size_bytes)
  },
  { key: "expires", title: "Deleted", by: (one) => one.expires_at, cell: (one) => <When at={one.expires_at} /> },
  { key: "actions", title: "", cell: (backup) => <Restore backup={backup} /> }
]

export const Backups = () => {
  const { instance: { id }, path } = useInstance()
  const query = useQuery<ReadonlyArray<Backup>>(`${path}/backups`)
  const example = {
    method: "GET",
    path: `/instances/${id}/backups`,
    sdk: `vps.backups.list(${id})`,
    vps: `vps backup list ${id}`
  } as const
  return (
    <Section
      title="Backups"
      note="Your host makes them on a schedule and deletes them after a while."
      actions={<ShowCode title="List the backups" example={example} />}
    >
      <Loaded query={query}>
        {(backups) =>
          backups.length === 0
            ? <Empty icon="copy" title="No backups yet">The first one is made with the next run of the schedule.</Empty>
            : <Table label="Backups" columns={COLUMNS} rows={backups} idOf={({ id }) => id} />}
      </Loaded>
    </Section>
  )
}
