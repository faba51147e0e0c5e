/** Snapshots and backups are both images of the disk, which can be restored. */
import type { Backup } from "@pulumi-vps/contract/Backups"
import type { Snapshot } from "@pulumi-vps/contract/Snapshots"
import { bytes, time } from "../../../api/format.ts"
import { nameOf } from "../../../api/instances.ts"
import { Confirm } from "../../../components/FormDialog.tsx"
import { actionsOf, type Column, List } from "../../../components/Table.tsx"
import { Status, When } from "../../../components/Values.tsx"
import { busyReason, INSTANCE, useInstance, useOperation } from "./Context.ts"
import { send, useRead } from "../../../api/calls.ts"
import { quoted, ShowCode } from "../../../components/ShowCode.tsx"
import { useState } from "preact/hooks"
import { Form, TextField, type Values } from "../../../components/Form.tsx"
import { Section } from "../../../components/Page.tsx"

type Image = Backup | Snapshot

export const STATUS: Column<Image> = {
  key: "status",
  title: "Status",
  by: ({ status }) => status,
  cell: ({ status }) => <Status value={status} />
}

export const SIZE: Column<Image> = {
  key: "size",
  title: "Size",
  numeric: true,
  by: ({ size_bytes }) => size_bytes ?? 0,
  cell: ({ size_bytes }) => size_bytes === null ? "–" : bytes(size_bytes)
}

interface ImageProps {
  readonly image: Image
  /** Such as "the snapshot before-upgrade". */
  readonly called: string
  readonly run: Parameters<ReturnType<typeof useOperation>>[0]
}

/** The reason why an image cannot be restored or deleted; undefined if it can. */
const useBusy = ({ status }: Image) =>
  busyReason(useInstance()) ?? (status === "available" ? undefined : `It is ${status}`)

export const Restore = ({ called, image, run }: ImageProps) => {
  const operate = useOperation()
  const name = nameOf(useInstance().instance)
  const busy = useBusy(image)
  return (
    <Confirm
      action="Restore"
      kind="danger"
      off={busy}
      question={`Restore ${called}?`}
      name={name}
      run={async () => void await operate(run)}
    >
      <p>The disk of {name} becomes what it was then. Everything written since is lost.</p>
    </Confirm>
  )
}

export const Delete = ({ called, image, run }: ImageProps) => {
  const operate = useOperation()
  const busy = useBusy(image)
  return (
    <Confirm
      action="Delete"
      kind="quiet"
      destroys
      off={busy}
      question={`Delete ${called}?`}
      run={async () => void await operate(run)}
    >
      <p>It cannot be restored afterwards. The instance itself does not change.</p>
    </Confirm>
  )
}

const BACKUP_COLUMNS: ReadonlyArray<Column<Backup>> = [
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
      columns={BACKUP_COLUMNS}
      idOf={({ id }) => id}
      empty={{
        icon: "copy",
        title: "No backups yet",
        advice: "The first one is made with the next run of the schedule."
      }}
    />
  )
}

const SNAPSHOT_COLUMNS: ReadonlyArray<Column<Snapshot>> = [
  { key: "name", title: "Name", by: ({ name }) => name, cell: ({ name }) => name },
  STATUS,
  SIZE,
  { key: "created", title: "Taken", by: (one) => one.created_at, cell: (one) => <When at={one.created_at} /> },
  actionsOf((snapshot) => {
    const image = { image: snapshot, called: `the snapshot ${snapshot.name}` }
    const own = { snap_id: snapshot.id }
    return (
      <>
        <Restore
          {...image}
          run={(params) => send(`POST ${INSTANCE}/snapshots/:snap_id/restore`, { params: { ...params, ...own } })}
        />
        <Delete
          {...image}
          run={(params) => send(`DELETE ${INSTANCE}/snapshots/:snap_id`, { params: { ...params, ...own } })}
        />
      </>
    )
  })
]

const Take = () => {
  const shown = useInstance()
  const operate = useOperation()
  const [name, setName] = useState("")
  const { snapshots } = shown.live.data ?? {}
  const full = snapshots !== null && snapshots !== undefined && snapshots.used >= snapshots.quota
  const busy = busyReason(shown)
  const take = async ({ required }: Values) => {
    const body = { name: required.text("name") }
    await operate((params) => send(`POST ${INSTANCE}/snapshots`, { params, body }))
  }
  const { id } = shown.instance
  const label = name === "" ? "before-upgrade" : name
  const example = {
    method: "POST",
    path: `/instances/${id}/snapshots`,
    body: { name: label },
    sdk: `vps.snapshots.create(${id}, { name: ${JSON.stringify(label)} })`,
    vps: `vps snapshot create ${id} --name ${quoted(label)} --wait`,
    pulumi: `new Snapshot("web", { instanceId: ${id}, name: ${JSON.stringify(label)} })`
  } as const
  const quota = snapshots === null || snapshots === undefined
    ? ""
    : ` ${snapshots.used} of ${snapshots.quota} are used.`
  return (
    <Section
      title="Take a snapshot"
      note={`The disk as it is now, to go back to.${quota}`}
      actions={<ShowCode title="Take a snapshot" example={example} />}
    >
      <Form
        submit={full ? "The quota is used up" : busy ?? "Take a snapshot"}
        off={full ? "Delete a snapshot to take another one." : busy}
        onSubmit={take}
        onInput={({ text }) => setName(text("name") ?? "")}
      >
        <TextField
          name="name"
          label="Name"
          required
          maxLength={64}
          placeholder="before-upgrade"
          hint={full ? "Delete a snapshot to take another one." : undefined}
        />
      </Form>
    </Section>
  )
}

const ADVICE = "Take one before an upgrade, to go back if it fails."

export const Snapshots = () => (
  <>
    <Take />
    <List
      title="Snapshots"
      query={useRead(`${INSTANCE}/snapshots`, { params: useInstance().params })}
      columns={SNAPSHOT_COLUMNS}
      idOf={({ id }) => id}
      empty={{ icon: "copy", title: "No snapshots", advice: ADVICE }}
    />
  </>
)
