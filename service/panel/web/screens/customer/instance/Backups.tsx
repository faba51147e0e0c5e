/** Backups, which the host makes on a schedule; the customer restores them. */
import type { Backup } from "#contract/Backups"
import { send, useRead } from "../../../api/calls.ts"
import { time } from "../../../api/format.ts"
import { ShowCode } from "../../../code/ShowCode.tsx"
import { List } from "../../../components/List.tsx"
import { actionsOf, type Column } from "../../../components/Table.tsx"
import { When } from "../../../components/Values.tsx"
import { INSTANCE, useInstance } from "./Context.ts"
import { Restore, SIZE, STATUS } from "./Images.tsx"

const COLUMNS: ReadonlyArray<Column<Backup>> = [
  { key: "created", title: "Made", by: (one) => one.created_at, cell: (one) => <When at={one.created_at} /> },
  STATUS,
  SIZE,
  { key: "expires", title: "Deleted", by: (one) => one.expires_at, cell: (one) => <When at={one.expires_at} /> },
  actionsOf((backup) => (
    <Restore
      image={backup}
      called={`the backup of ${time(backup.created_at)}`}
      run={(params) =>
        send(`POST ${INSTANCE}/backups/:backup_id/restore`, { params: { ...params, backup_id: backup.id } })}
    />
  ))
]

export const Backups = () => {
  const { instance: { id }, params } = useInstance()
  const example = {
    method: "GET",
    path: `/instances/${id}/backups`,
    sdk: `vps.backups.list(${id})`,
    vps: `vps backup list ${id}`
  } as const
  return (
    <List
      title="Backups"
      note="Your host makes them on a schedule and deletes them after a while."
      actions={<ShowCode title="List the backups" example={example} />}
      query={useRead(`${INSTANCE}/backups`, { params })}
      columns={COLUMNS}
      idOf={({ id }) => id}
      empty={{
        icon: "copy",
        title: "No backups yet",
        advice: "The first one is made with the next run of the schedule."
      }}
    />
  )
}
