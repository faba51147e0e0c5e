/** Snapshots: take, restore, and delete, up to the quota. */
import type { Snapshot } from "#contract/Snapshots"
import { useState } from "preact/hooks"
import { send, useRead } from "../../../api/calls.ts"
import { ShowCode } from "../../../code/ShowCode.tsx"
import { quoted } from "../../../code/Example.ts"
import { Form, TextField, type Values } from "../../../components/Form.tsx"
import { List } from "../../../components/List.tsx"
import { Section } from "../../../components/Page.tsx"
import { actionsOf, type Column } from "../../../components/Table.tsx"
import { When } from "../../../components/Values.tsx"
import { busyReason, INSTANCE, useInstance, useOperation } from "./Context.ts"
import { Delete, Restore, SIZE, STATUS } from "./Images.tsx"

const COLUMNS: ReadonlyArray<Column<Snapshot>> = [
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

const ADVICE = "Take one before an upgrade, to go back if it fails."

export const Snapshots = () => (
  <>
    <Take />
    <List
      title="Snapshots"
      query={useRead(`${INSTANCE}/snapshots`, { params: useInstance().params })}
      columns={COLUMNS}
      idOf={({ id }) => id}
      empty={{ icon: "copy", title: "No snapshots", advice: ADVICE }}
    />
  </>
)
