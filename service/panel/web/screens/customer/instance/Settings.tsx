/** Hostname, root password, and reinstalling. */
import { useState } from "preact/hooks"
import { send } from "../../../api/calls.ts"
import { detailsOf, type Instance, nameOf } from "../../../api/instances.ts"
import { type Example, literal, quoted, ShowCode } from "../../../components/ShowCode.tsx"
import { CheckField, Form, present, TextField, type Values } from "../../../components/Form.tsx"
import { SecretDialog } from "../../../components/Dialog.tsx"
import { FormDialog } from "../../../components/FormDialog.tsx"
import { Notice, Section } from "../../../components/Page.tsx"
import { type Access, AccessFields, accessOf, Images, newPassword, PasswordDialog } from "../OrderChoices.tsx"
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
        off={busy}
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

/** With a new password if that is the way to log in. */
const reinstallOf = ({ required, text }: Values) => {
  const password = accessOf({ text }) === "password" ? newPassword() : undefined
  const key = password === undefined ? text("ssh_pubkey") : undefined
  return present({ os: required.text("os"), ssh_pubkey: key, password })
}

const reinstallExample = ({ id, order }: Instance, os: string): Example => ({
  method: "POST",
  path: `/instances/${id}/reinstall`,
  body: { os },
  sdk: `vps.instances.reinstall(${id}, ${literal({ os })})`,
  vps: `vps instance reinstall ${id} --os ${os} --yes`,
  pulumi: `new Instance("web", ${literal({ serviceId: order.service_id, os, allowDataLoss: true })})`
})

const Reinstall = () => {
  const shown = useInstance()
  const operate = useOperation()
  const busy = busyReason(shown)
  const { order } = shown.instance
  const name = nameOf(shown.instance)
  const [access, setAccess] = useState<Access>("key")
  const [os, setOs] = useState(detailsOf(shown.instance).os)
  const [password, setPassword] = useState<string>()
  const run = async (values: Values) => {
    const body = reinstallOf(values)
    await operate((params) => send(`POST ${INSTANCE}/reinstall`, { params, body }))
    setPassword(body.password)
  }
  return (
    <Section
      danger
      title="Reinstall"
      note="A fresh system on the same instance, with the same addresses. All data on the disk is lost."
      actions={<ShowCode title="Reinstall" example={reinstallExample(shown.instance, os ?? "debian-13")} />}
    >
      <FormDialog
        action="Reinstall…"
        kind="danger"
        off={busy}
        heading={`Reinstall ${name}?`}
        submit="Erase and reinstall"
        name={name}
        onSubmit={run}
        onInput={({ text }) => {
          setAccess(accessOf({ text }))
          setOs(text("os"))
        }}
      >
        <Notice tone="bad">All data on the disk is lost. Snapshots and backups stay.</Notice>
        <Images plan={order.service_id} chosen={os} onChoose={setOs} />
        <AccessFields access={access} image={os} />
      </FormDialog>
      {password !== undefined && (
        <PasswordDialog
          name={name}
          password={password}
          onClose={() => setPassword(undefined)}
        />
      )}
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
