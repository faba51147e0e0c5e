/** Snapshots: take, restore, and delete, up to the quota. */
import type { Snapshot } from "#contract/Snapshots"
import { useState } from "preact/hooks"
import { bytes } from "../../../api/format.ts"
import { nameOf } from "../../../api/instances.ts"
import { useQuery } from "../../../api/query.ts"
import { ShowCode } from "../../../code/ShowCode.tsx"
import { quoted } from "../../../code/Example.ts"
import { Confirm } from "../../../components/Confirm.tsx"
import { Form, TextField, type Values } from "../../../components/Form.tsx"
import { Section } from "../../../components/Page.tsx"
import { Empty, Loaded } from "../../../components/State.tsx"
import { type Column, Table } from "../../../components/Table.tsx"
import { Status, When } from "../../../components/Values.tsx"
import { busyReason, useInstance, useOperation } from "./Context.ts"

const Actions = ({ snapshot: { id, name, status } }: { readonly snapshot: Snapshot }) => {
  const shown = useInstance()
  const operate = useOperation()
  const busy = busyReason(shown) ?? (status === "available" ? undefined : `The snapshot is ${status}`)
  const instance = nameOf(shown.instance)
  return (
    <div class="actions">
      <Confirm
        action="Restore"
        kind="danger"
        disabled={busy !== undefined}
        title={busy}
        question={`Restore the snapshot ${name}?`}
        name={instance}
        run={async () => void await operate("POST", `/snapshots/${id}/restore`)}
      >
        <p>The disk of {instance} becomes what it was then. Everything written since is lost.</p>
      </Confirm>
      <Confirm
        action="Delete"
        kind="quiet"
        disabled={busy !== undefined}
        title={busy}
        question={`Delete the snapshot ${name}?`}
        run={async () => void await operate("DELETE", `/snapshots/${id}`)}
      >
        <p>It cannot be restored afterwards. The instance itself does not change.</p>
      </Confirm>
    </div>
  )
}

const COLUMNS: ReadonlyArray<Column<Snapshot>> = [
  { key: "name", title: "Name", by: ({ name }) => name, cell: ({ name }) => name },
  { key: "status", title: "Status", by: ({ status }) => status, cell: ({ status }) => <Status value={status} /> },
  {
    key: "size",
    title: "Size",
    numeric: true,
    by: ({ size_bytes }) => size_bytes ?? 0,
    cell: ({ size_bytes }) => size_bytes === null ? "–" : bytes(size_bytes)
  },
  { key: "created", title: "Taken", by: (one) => one.created_at, cell: (one) => <When at={one.created_at} /> },
  { key: "actions", title: "", cell: (snapshot) => <Actions snapshot={snapshot} /> }
]

const Take = () => {
  const shown = useInstance()
  const operate = useOperation()
  const [name, setName] = useState("")
  const { snapshots } = shown.live.data ?? {}
  const full = snapshots !== null && snapshots !== undefined && snapshots.used >= snapshots.quota
  const busy = busyReason(shown)
  const take = async ({ text }: Values) => void await operate("POST", "/snapshots", { name: text("name") })
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
        disabled={full || busy !== undefined}
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

export const Snapshots = () => {
  const { path } = useInstance()
  const query = useQuery<ReadonlyArray<Snapshot>>(`${path}/snapshots`)
  return (
    <>
      <Take />
      <Loaded query={query}>
        {(snapshots) =>
          snapshots.length === 0
            ? <Empty icon="copy" title="No snapshots">Take one before an upgrade, to go back if it fails.</Empty>
            : <Table label="Snapshots" columns={COLUMNS} rows={snapshots} idOf={({ id }) => id} />}
      </Loaded>
    </>
  )
}
