/** Rescue mode and ISO images, each as two steps: choose what boots, then boot it. */
import type { Iso } from "@pulumi-vps/contract/Isos"
import { useState } from "preact/hooks"
import { send, useRead } from "../../../api/calls.ts"
import { bytes } from "../../../api/format.ts"
import { useSession } from "../../../api/session.ts"
import { ShowCode } from "../../../components/ShowCode.tsx"
import { nameOf } from "../../../api/instances.ts"
import { ActionButton } from "../../../components/ActionButton.tsx"
import { Button } from "../../../components/Button.tsx"
import { Confirm } from "../../../components/FormDialog.tsx"
import { Form, SelectField } from "../../../components/Form.tsx"
import { Empty, later, Loaded, Notice, Section } from "../../../components/Page.tsx"
import { useCanChange } from "../../../components/ReadOnly.tsx"
import { busyReason, INSTANCE, useInstance, useOperation } from "./Context.ts"
import { AskHost } from "../../../components/Brand.tsx"

/** A boot mode is set, and the reboot that applies it was refused or is still to come. */
const Reboot = ({ children }: { readonly children: string }) => {
  const { instance } = useInstance()
  const operate = useOperation()
  const reboot = async () => {
    await operate((params) => send(`POST ${INSTANCE}/restart`, { params }))
    return "The instance reboots."
  }
  return (
    <Notice
      tone="warn"
      title="Not applied yet"
      action={
        <Confirm action="Reboot" icon="restart" question={`Reboot ${nameOf(instance)}?`} run={reboot}>
          <p>Its programs end, and it cannot be reached for a minute or so.</p>
        </Confirm>
      }
    >
      {children}
    </Notice>
  )
}

const REFUSED = "The boot mode is set, but the reboot was refused, as another task was running. Reboot to apply it."

interface SwitchProps {
  /** True in rescue mode. */
  readonly set: boolean
  readonly run: () => Promise<string | undefined>
}

const Switch = ({ run, set }: SwitchProps) => {
  const shown = useInstance()
  const busy = busyReason(shown)
  return (
    <Confirm
      action={set ? "Boot from the disk again" : "Enter rescue mode"}
      kind={set ? "plain" : "primary"}
      off={busy}
      question={`${set ? "Take" : "Put"} ${nameOf(shown.instance)} ${set ? "out of" : "into"} rescue mode?`}
      run={run}
    >
      <p>It restarts now. Its programs end, and nothing on the disk changes.</p>
    </Confirm>
  )
}

/** Loaded when it is opened: it is larger than all of this page. */
const Console = later(async () => (await import("./Console.tsx")).Console)

const ConsoleButton = ({ onOpen, open }: ConsoleProps) =>
  useSession().capabilities.console
    ? (
      <Button icon="console" aria-expanded={open} onClick={onOpen}>
        {open ? "Close the console" : "Open the console"}
      </Button>
    )
    : (
      <p class="muted">
        This host has no console in the panel: <AskHost>ask your host</AskHost> how to reach the rescue system.
      </p>
    )

interface ConsoleProps {
  readonly open: boolean
  readonly onOpen: () => void
}

const RescueMode = (props: ConsoleProps) => {
  const shown = useInstance()
  const { instance: { id }, live: { data } } = shown
  const operate = useOperation()
  const canChange = useCanChange()
  const [refused, setRefused] = useState(false)
  const set = data?.boot_mode === "rescue"
  const pending = data !== undefined && data.boot_mode !== data.booted && data.power === "on" && data.task === null
  const change = async () => {
    const { restarted } = await operate((params) => send(`${set ? "DELETE" : "POST"} ${INSTANCE}/rescue`, { params }))
    setRefused(!restarted)
    return restarted ? set ? "It boots from its disk." : "It boots the rescue system." : undefined
  }
  const verb = set ? "exit" : "enter"
  const example = {
    method: set ? "DELETE" : "POST",
    path: `/instances/${id}/rescue`,
    sdk: `vps.rescue.${verb}(${id})`,
    vps: `vps rescue ${verb} ${id} --wait`
  } as const
  return (
    <Section
      title="Rescue mode"
      note="A small system from the network, to repair one that does not boot. Your disk stays as it is."
      actions={<ShowCode title={set ? "Leave rescue mode" : "Enter rescue mode"} example={example} />}
    >
      <ol class="steps">
        <li>
          <strong>{set ? "The rescue system is set to boot." : "Boot the rescue system."}</strong>
          <p class="muted">The instance restarts. Its programs stop, and nothing on the disk changes.</p>
          <Switch set={set} run={change} />
        </li>
        <li>
          <strong>Work in it through the console.</strong>
          <p class="muted">It has no SSH. Mount your disk by hand, for example: mount /dev/vda1 /mnt</p>
          {canChange && <ConsoleButton {...props} />}
        </li>
      </ol>
      {(refused || pending) && <Reboot>{REFUSED}</Reboot>}
    </Section>
  )
}

const ISO_NOTE = "Boot an installer or a tool from a virtual drive: mount it, then reboot."

const Mounting = ({ isos }: { readonly isos: ReadonlyArray<Iso> }) => {
  const shown = useInstance()
  const operate = useOperation()
  const { instance: { id }, live } = shown
  const [chosen, setChosen] = useState(isos[0]!.id)
  const mounted = isos.find((one) => one.mounted || one.id === live.data?.iso_id)
  const busy = busyReason(shown)
  const eject = async () => {
    await operate((params) => send(`DELETE ${INSTANCE}/iso`, { params }))
    return "The drive is empty."
  }
  const mount = async () =>
    void await operate((params) => send(`POST ${INSTANCE}/iso`, { params, body: { iso_id: chosen } }))
  const example = {
    method: mounted === undefined ? "POST" : "DELETE",
    path: `/instances/${id}/iso`,
    ...(mounted === undefined ? { body: { iso_id: chosen } } : {}),
    sdk: mounted === undefined ? `vps.isos.mount(${id}, { iso_id: ${chosen} })` : `vps.isos.unmount(${id})`,
    vps: mounted === undefined ? `vps iso mount ${id} ${chosen}` : `vps iso unmount ${id}`
  } as const
  return (
    <Section title="ISO image" note={ISO_NOTE} actions={<ShowCode title="ISO image" example={example} />}>
      {mounted === undefined
        ? (
          <Form
            submit={busy ?? "Mount"}
            off={busy}
            onSubmit={mount}
            onInput={({ number }) => setChosen(number("iso_id") ?? 0)}
          >
            <SelectField name="iso_id" label="Image" required hint="The instance boots from it at the next reboot.">
              {isos.map(({ id, name, size_bytes }) => <option key={id} value={id}>{name} ({bytes(size_bytes)})
              </option>)}
            </SelectField>
          </Form>
        )
        : (
          <>
            <Reboot>{`${mounted.name} is in the drive. Reboot to boot from it, and use the console.`}</Reboot>
            <ActionButton run={eject} off={busy}>Unmount {mounted.name}</ActionButton>
          </>
        )}
    </Section>
  )
}

export const Rescue = () => {
  const query = useRead(`${INSTANCE}/isos`, { params: useInstance().params })
  const [open, setOpen] = useState(false)
  return (
    <>
      <div class={open ? "with-console" : undefined}>
        <RescueMode open={open} onOpen={() => setOpen(!open)} />
        {open && (
          <Section title="Console" note="It shows the rescue system, an installer, or the system on the disk.">
            <Console />
          </Section>
        )}
      </div>
      <Loaded query={query}>
        {(isos) =>
          isos.length === 0
            ? (
              <Empty icon="catalogue" title="No ISO images">
                <AskHost /> to add the image that you need.
              </Empty>
            )
            : <Mounting isos={isos} />}
      </Loaded>
    </>
  )
}
