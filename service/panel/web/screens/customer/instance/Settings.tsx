/** Hostname, root password, and reinstalling. */
import { useState } from "preact/hooks"
import { send, useRead } from "../../../api/calls.ts"
import { nameOf } from "../../../api/instances.ts"
import { literal, quoted, ShowCode } from "../../../components/ShowCode.tsx"
import { CheckField, Form, present, SelectField, TextField, type Values } from "../../../components/Form.tsx"
import { FormDialog, SecretDialog } from "../../../components/Dialog.tsx"
import { Notice, Section } from "../../../components/Page.tsx"
import { Password, SshKeyField } from "../OrderChoices.tsx"
import { Labels } from "./Labels.tsx"
import { busyReason, INSTANCE, useInstance, useOperation } from "./Context.ts"

const Hostname = () => {
  const { instance } = useInstance()
  const operate = useOperation()
  const current = nameOf(instance)
  const [hostname, setHostname] = useState(current)
  const save = async ({ required }: Values) => {
    const body = { hostname: required.text("hostname") }
    await operate((params) => send(`PATCH ${INSTANCE}/hostname`, { params, body }))
    return "The hostname is changed."
  }
  const example = {
    method: "PATCH",
    path: `/instances/${instance.id}/hostname`,
    body: { hostname },
    sdk: `vps.instances.hostname(${instance.id}, ${literal({ hostname })})`,
    vps: `vps instance set-hostname ${instance.id} ${quoted(hostname)}`,
    pulumi: `new Instance("web", ${literal({ serviceId: instance.order.service_id, hostname })})`
  } as const
  return (
    <Section title="Hostname" actions={<ShowCode title="Set the hostname" example={example} />}>
      <Form submit="Save" onSubmit={save} onInput={({ text }) => setHostname(text("hostname") ?? current)}>
        <TextField key={current} name="hostname" label="Hostname" required maxLength={253} defaultValue={current} />
      </Form>
    </Section>
  )
}

interface Made {
  readonly password: string
  readonly mailed: boolean
}

const NewPassword = ({ mailed, onClose, password }: Made & { readonly onClose: () => void }) => (
  <SecretDialog title="The new root password" secret={password} what="the password" onClose={onClose}>
    <Notice tone="warn">It is shown only once, and is not stored. Copy it before you close this.</Notice>
    <p>{mailed ? "A copy is mailed to the owner of the account." : "It was not mailed."}</p>
  </SecretDialog>
)

const PasswordReset = () => {
  const shown = useInstance()
  const operate = useOperation()
  const [made, setMade] = useState<Made>()
  const busy = busyReason(shown)
  const { account, instance: { id } } = shown
  const reset = async ({ checked }: Values) => {
    const mail = checked("mail")
    const call = { params: { account, id }, body: { mail } }
    const result = await operate(() => send("POST /accounts/:account/instances/:id/reset-password", call))
    setMade({ password: result.password, mailed: mail })
  }
  const example = {
    method: "POST",
    path: `/instances/${id}/reset-password`,
    sdk: `vps.instances.resetPassword(${id})`,
    vps: `vps instance reset-password ${id}`
  } as const
  return (
    <Section
      title="Root password"
      note="A new one is generated, and shown once. The API also mails it to the owner of the account."
      actions={<ShowCode title="Reset the root password" example={example} />}
    >
      <FormDialog
        action="Reset the root password"
        disabled={busy !== undefined}
        title={busy}
        heading="Reset the root password?"
        onSubmit={reset}
      >
        <p>The current password stops working at once. SSH keys keep working.</p>
        <CheckField
          name="mail"
          label="Also mail it to the owner of the account"
          hint="A mail can be read on its way, and stays in the mailbox."
        />
      </FormDialog>
      {made !== undefined && <NewPassword {...made} onClose={() => setMade(undefined)} />}
    </Section>
  )
}

const Images = () => {
  const { account, instance: { order } } = useInstance()
  const { data } = useRead("/accounts/:account/v1/services/:service_id/os-options", {
    params: { account, service_id: order.service_id }
  })
  return (
    <SelectField name="os" label="Image" required>
      {data?.os_options?.map(({ label, slug, version }) => <option key={slug} value={slug}>{label} {version}</option>)}
    </SelectField>
  )
}

const Reinstall = () => {
  const shown = useInstance()
  const operate = useOperation()
  const busy = busyReason(shown)
  const { id } = shown.instance
  const name = nameOf(shown.instance)
  const run = async ({ required, text }: Values) => {
    const body = present({ os: required.text("os"), ssh_pubkey: text("ssh_pubkey"), password: text("password") })
    await operate((params) => send(`POST ${INSTANCE}/reinstall`, { params, body }))
  }
  const example = {
    method: "POST",
    path: `/instances/${id}/reinstall`,
    body: { os: "debian-13" },
    sdk: `vps.instances.reinstall(${id}, { os: "debian-13" })`,
    vps: `vps instance reinstall ${id} --os debian-13 --yes`,
    pulumi: `new Instance("web", { serviceId: 1, os: "debian-13", allowDataLoss: true })`
  } as const
  return (
    <Section
      danger
      title="Reinstall"
      note="A fresh system on the same instance, with the same addresses. All data on the disk is lost."
      actions={<ShowCode title="Reinstall" example={example} />}
    >
      <FormDialog
        action="Reinstall…"
        kind="danger"
        disabled={busy !== undefined}
        title={busy}
        heading={`Reinstall ${name}?`}
        submit="Erase and reinstall"
        name={name}
        onSubmit={run}
      >
        <Notice tone="bad">All data on the disk is lost. Snapshots and backups stay.</Notice>
        <Images />
        <SshKeyField />
        <Password name="password" maxLength={128} hint="Optional. SSH keys of the old system are not carried over." />
      </FormDialog>
    </Section>
  )
}

export const Settings = () => (
  <>
    <Hostname />
    <Labels />
    <PasswordReset />
    <Reinstall />
  </>
)
