/** Acts of operators on an instance: in the lists, and on its own page. */
import { act, execute, type RowOf } from "../../api/calls.ts"
import { ActionButton } from "../../components/ActionButton.tsx"
import { FormDialog } from "../../components/FormDialog.tsx"
import { CheckField, present, type Values } from "../../components/Form.tsx"
import { Notice } from "../../components/Page.tsx"
import { Reason } from "./CommandList.tsx"

export type InstanceRecord = RowOf<"instances.list">

export const nameOf = ({ hostname, id }: InstanceRecord): string => hostname ?? `Instance ${id}`

const Suspend = ({ instance }: { readonly instance: InstanceRecord }) => {
  const suspend = async ({ checked, required, text }: Values) => {
    const charged = checked("charged")
    const input = { id: instance.id, reason: required.text("reason"), note: text("note"), charged }
    await execute("instances.suspend", present(input))
    return `${nameOf(instance)} is suspended.`
  }
  return (
    <FormDialog
      action="Suspend"
      kind="quiet"
      heading={`Suspend ${nameOf(instance)}?`}
      off={["running", "stopped"].includes(instance.status) ? undefined : `The instance is ${instance.status}.`}
      onSubmit={suspend}
    >
      <Notice tone="warn">It is powered off, and its owner can only view it.</Notice>
      <Reason hint="The customer sees it." />
      <Reason name="note" label="Private note" required={false} hint="Only operators see it." />
      <CheckField
        name="charged"
        label="It is charged meanwhile"
        hint="Otherwise its paid period pauses, and ends later by the time of the suspension."
      />
    </FormDialog>
  )
}

const Terminate = ({ instance }: { readonly instance: InstanceRecord }) => {
  const name = nameOf(instance)
  const terminate = async ({ required }: Values) => {
    await execute("instances.terminate", { id: instance.id, reason: required.text("reason") })
    return `${name} is being deleted.`
  }
  return (
    <FormDialog
      action="Terminate"
      kind="danger"
      heading={`Terminate ${name}?`}
      name={name}
      off={["deleted", "failed"].includes(instance.status) ? `The instance is ${instance.status}.` : undefined}
      onSubmit={terminate}
    >
      <p>The instance is deleted with its disk, snapshots, and backups. Nothing is refunded by this.</p>
      <Reason hint="Only operators see it, in the audit log." />
    </FormDialog>
  )
}

export const InstanceActions = ({ instance }: { readonly instance: InstanceRecord }) => {
  const { id, suspended_reason: suspended } = instance
  const unsuspend = act("instances.unsuspend", { id }, `${nameOf(instance)} is open to its owner again.`)
  return (
    <>
      {suspended === null
        ? <Suspend instance={instance} />
        : <ActionButton kind="quiet" run={unsuspend}>Unsuspend</ActionButton>}
      <Terminate instance={instance} />
    </>
  )
}
