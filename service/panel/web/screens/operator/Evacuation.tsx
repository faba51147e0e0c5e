/** Emptying a host, with what becomes of each instance first; and the instances of a host that is lost. */
import { useEffect, useState } from "preact/hooks"
import { execute, type RowOf, send } from "../../api/calls.ts"
import { messageOf } from "../../api/client.ts"
import { CheckField, type Values } from "../../components/Form.tsx"
import { FormDialog } from "../../components/FormDialog.tsx"
import { Loading, Notice, Section } from "../../components/Page.tsx"
import { type Column, Rows } from "../../components/Table.tsx"
import { instanceHref } from "./Links.ts"

type Move = RowOf<"hosts.evacuate">

/** The outcome for the instances of a host. */
export interface Moved {
  readonly name: string
  readonly rows: ReadonlyArray<Move>
}

const COLUMNS: ReadonlyArray<Column<Move>> = [
  {
    key: "instance",
    title: "Name",
    cell: ({ instance_id: id }) => <a href={instanceHref(id)}>Instance {id}</a>
  },
  {
    key: "target",
    title: "Goes to",
    cell: ({ target }) => target ?? <span class="bad">stays</span>
  },
  { key: "detail", title: "Downtime, or why it stays", cell: ({ detail }) => detail }
]

const MoveRows = ({ label, rows }: { readonly label: string; readonly rows: ReadonlyArray<Move> }) => (
  <Rows
    label={label}
    columns={COLUMNS}
    rows={rows}
    idOf={({ instance_id: id }) => id}
    empty={{ icon: "instances", title: "No instances", advice: "Nothing has to move." }}
  />
)

export const Moves = ({ name, rows }: Moved) => (
  <Section title={`Instances of ${name}`} note="The outcome of the last command. The page Tasks shows the moves.">
    <MoveRows label="Moves" rows={rows} />
  </Section>
)

/** The plan, read each time that the dialog opens: it depends on the capacity of other hosts. */
const Plan = ({ command, input }: { readonly command: string; readonly input: object }) => {
  const [rows, setRows] = useState<ReadonlyArray<Move>>()
  const [failure, setFailure] = useState<string>()
  const key = JSON.stringify(input)
  useEffect(() => {
    let isCurrent = true
    const read = async () => {
      const body = { ...input, dry_run: true }
      const found = await send("POST /operator/commands/:name", { params: { name: command }, body })
      if (isCurrent) setRows(found as ReadonlyArray<Move>)
    }
    read().catch((error: unknown) => isCurrent && setFailure(messageOf(error)))
    return () => void (isCurrent = false)
  }, [key])
  if (failure !== undefined) return <Notice tone="bad" live>{failure}</Notice>
  return rows === undefined ? <Loading lines={3} /> : <MoveRows label="Plan" rows={rows} />
}

/** True for a host whose instances may only be taken away from it as it is off. */
export const isLost = (host: RowOf<"hosts.list">): boolean =>
  host.unreachable_since !== null || host.state === "offline"

interface EmptyingProps {
  readonly name: string
  readonly onMoved: (moved: Moved) => void
}

const summary = (rows: ReadonlyArray<Move>): string => {
  const moving = rows.filter(({ target }) => target !== null).length
  return `${moving} of ${rows.length} instances go to other hosts.`
}

export const Evacuate = ({ name, onMoved }: EmptyingProps) => {
  const evacuate = async () => {
    const rows = await execute("hosts.evacuate", { name, dry_run: false })
    onMoved({ name, rows })
    return summary(rows)
  }
  return (
    <FormDialog action="Evacuate" kind="quiet" heading={`Evacuate ${name}?`} onSubmit={evacuate}>
      <p>It gets no new instances, and those on it move to other hosts as follows.</p>
      <Plan command="hosts.evacuate" input={{ name }} />
    </FormDialog>
  )
}

const FencePlan = ({ name }: { readonly name: string }) => {
  const [fromBackups, setFromBackups] = useState(false)
  return (
    <>
      <CheckField
        name="from_backups"
        label="Restore from backups where the disk is lost"
        hint="All that an instance has written since its backup is lost, as the plan says."
        checked={fromBackups}
        onChange={() => setFromBackups(!fromBackups)}
      />
      <Plan command="hosts.fence" input={{ name, confirmed_off: false, from_backups: fromBackups }} />
    </>
  )
}

/** Dangerous: an instance that runs on two hosts destroys its disk. */
export const Fence = ({ name, onMoved }: EmptyingProps) => {
  const fence = async ({ checked }: Values) => {
    const input = { name, confirmed_off: checked("confirmed_off"), from_backups: checked("from_backups") }
    const rows = await execute("hosts.fence", input)
    onMoved({ name, rows })
    return summary(rows)
  }
  return (
    <FormDialog
      action="Fence"
      kind="danger"
      heading={`Bring the instances of ${name} up on other hosts?`}
      submit="Fence"
      name={name}
      onSubmit={fence}
    >
      <Notice tone="bad" title="The host has to be off">
        An instance that runs on two hosts destroys its disk. Power {name} off, and make sure that it stays off.
      </Notice>
      <FencePlan name={name} />
      <CheckField name="confirmed_off" label={`${name} is off, and stays off`} required />
    </FormDialog>
  )
}
