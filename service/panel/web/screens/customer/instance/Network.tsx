/** The addresses of the instance, each with the name that reverse DNS gives it. */
import { useState } from "preact/hooks"
import { send, useRead } from "../../../api/calls.ts"
import { detailsOf } from "../../../api/instances.ts"
import { quoted, ShowCode } from "../../../components/ShowCode.tsx"
import { Form, TextField, type Values } from "../../../components/Form.tsx"
import { Empty, Notice, Section } from "../../../components/Page.tsx"
import { Copyable } from "../../../components/Values.tsx"
import { INSTANCE, useInstance, useOperation } from "./Context.ts"

interface AddressProps {
  readonly ip: string
  /** Its name now; undefined while that is unknown. */
  readonly current: string | null | undefined
}

const Current = ({ current }: Pick<AddressProps, "current">) =>
  current === undefined
    ? null
    : current === null
    ? <p class="muted">It has no name yet.</p>
    : (
      <p>
        Its name is <Copyable text={current} what="the name" />
      </p>
    )

const Address = ({ current, ip }: AddressProps) => {
  const { instance: { id } } = useInstance()
  const operate = useOperation()
  const [ptr, setPtr] = useState<string>()
  const save = async ({ required }: Values) => {
    const body = { ip, ptr: required.text("ptr") }
    await operate((params) => send(`POST ${INSTANCE}/rdns`, { params, body }))
    return `${ip} points to ${body.ptr}.`
  }
  const name = ptr ?? current ?? "web.example.com"
  const example = {
    method: "POST",
    path: `/instances/${id}/rdns`,
    body: { ip, ptr: name },
    sdk: `vps.instances.rdns(${id}, { ip: ${JSON.stringify(ip)}, ptr: ${JSON.stringify(name)} })`,
    vps: `vps rdns set ${id} --ip ${ip} --ptr ${quoted(name)}`,
    pulumi: `new ReverseDns("web", { instanceId: ${id}, ip: ${JSON.stringify(ip)}, ptr: ${JSON.stringify(name)} })`
  } as const
  return (
    <Section
      title={ip.includes(":") ? "IPv6" : "IPv4"}
      note={<Copyable text={ip} what="the address" />}
      actions={<ShowCode title={`Set the name of ${ip}`} example={example} />}
    >
      <div class="stack">
        <Current current={current} />
        <Form submit="Set the name" onSubmit={save} onInput={({ text }) => setPtr(text("ptr"))}>
          <TextField
            name="ptr"
            label="Reverse DNS (PTR)"
            key={current}
            required
            maxLength={253}
            placeholder="web.example.com"
            defaultValue={current ?? undefined}
            hint="Mail servers expect that this name also leads back to the address: set it in your own DNS, too."
          />
        </Form>
      </div>
    </Section>
  )
}

export const Network = () => {
  const { account, instance } = useInstance()
  const { data = [], error } = useRead("/accounts/:account/instances/:id/ptr-records", {
    params: { account, id: instance.id }
  })
  const addresses = [instance.ipv4, detailsOf(instance).ipv6].filter((one) => typeof one === "string")
  if (addresses.length === 0) {
    return <Empty icon="instances" title="No address yet">The instance gets its address when it is deployed.</Empty>
  }
  return (
    <>
      {error !== undefined && <Notice tone="warn" title="The names are not known">{error.message}</Notice>}
      {addresses.map((ip) => <Address key={ip} ip={ip} current={data.find((one) => one.ip === ip)?.ptr} />)}
    </>
  )
}
