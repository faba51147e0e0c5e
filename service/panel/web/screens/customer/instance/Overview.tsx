/** The instance at a glance: usage now, what it is, and what it costs. */
import type { Instance } from "#contract/Instance"
import { pathTo, send } from "../../../api/calls.ts"
import { bytes, duration, money, percent } from "../../../api/format.ts"
import { detailsOf, priceOf } from "../../../api/instances.ts"
import { refresh } from "../../../api/query.ts"
import { useCurrency } from "../../../api/session.ts"
import { ShowCode } from "../../../components/ShowCode.tsx"
import { ActionButton } from "../../../components/ActionButton.tsx"
import { Facts, Notice, Section, Skeleton } from "../../../components/Page.tsx"
import { Copyable, Status, When } from "../../../components/Values.tsx"
import { Bar } from "../Usage.tsx"
import { useInstance } from "./Context.ts"

const Now = () => {
  const { instance: { status }, live: { data, error } } = useInstance()
  if (error !== undefined && data === undefined) return <Notice tone="warn">{error.message}</Notice>
  if (data === undefined) return <Skeleton lines={3} />
  const { power, sample, uptime_seconds: uptime } = data
  if (power === "off") return <p class="muted">The instance is off, so it uses nothing. It is {status}.</p>
  if (sample === null) return <p class="muted">The first measurement arrives within a minute.</p>
  const disk = sample.disk_read_bytes_per_second + sample.disk_write_bytes_per_second
  return (
    <div class="stack wide-bars">
      <Bar name="CPU" share={sample.cpu_percent} text={percent(sample.cpu_percent)} />
      <Bar
        name="Memory"
        share={100 * sample.memory_bytes / sample.memory_total_bytes}
        text={`${bytes(sample.memory_bytes)} of ${bytes(sample.memory_total_bytes)}`}
      />
      <Facts
        rows={[
          ["Disk", `${bytes(disk)}/s`],
          [
            "Network",
            `${bytes(sample.network_rx_bytes_per_second)}/s in, ${bytes(sample.network_tx_bytes_per_second)}/s out`
          ],
          ["Running for", duration(uptime)]
        ]}
      />
    </div>
  )
}

/** JSON of the plan, as customers read it. */
const specsOf = (instance: Instance): string => {
  const specs = JSON.parse(instance.order.service.specs ?? "{}") as Readonly<Record<string, unknown>>
  const { ram, storage, traffic, vcpu } = specs
  return [vcpu === undefined ? undefined : `${String(vcpu)} vCPU`, ram, storage, traffic]
    .filter((one) => one !== undefined && one !== null).join(", ")
}

const Renewal = ({ instance }: { readonly instance: Instance }) => {
  const { account } = useInstance()
  const currency = useCurrency()
  const renews = instance.auto_renew !== false
  const change = async () => {
    await send("PUT /accounts/:account/instances/:id/auto-renew", {
      params: { account, id: instance.id },
      body: { auto_renew: !renews }
    })
    refresh(pathTo("/accounts/:account/v1/instances", { account }))
    return renews ? "It ends when its paid period does." : "It is renewed from the wallet."
  }
  const rows = [
    ["Price", `${money(priceOf(instance), currency)} ${instance.order.service.billing_cycle}`],
    [renews ? "Renewed" : "Ends", <When key="at" at={instance.expires_at} />],
    ["Auto-renew", renews ? "On" : "Off"]
  ] as const
  return (
    <Section
      title="Billing"
      actions={<ActionButton run={change}>{renews ? "Switch off auto-renew" : "Switch on auto-renew"}</ActionButton>}
    >
      <Facts rows={rows} />
      {instance.renewable_until !== null && instance.renewable_until !== undefined && (
        <Notice tone="warn" title="Expired, and still here">
          A top-up of the wallet before <When at={instance.renewable_until} /> renews it. Afterwards it is deleted.
        </Notice>
      )}
    </Section>
  )
}

export const Overview = () => {
  const { instance } = useInstance()
  const { ipv6, node, os } = detailsOf(instance)
  const address = (text: string | null | undefined, what: string) =>
    text === null || text === undefined
      ? <span class="muted">after deployment</span>
      : <Copyable text={text} what={what} />
  const rows = [
    ["Status", <Status key="status" value={instance.status} />],
    ["IPv4", address(instance.ipv4, "the IPv4 address")],
    ...(ipv6 === undefined ? [] : [["IPv6", address(ipv6, "the IPv6 address")] as const]),
    ["Plan", `${instance.order.service.name}: ${specsOf(instance)}`],
    ["Image", os ?? "–"],
    ...(node === undefined ? [] : [["Host", node] as const]),
    ["Bought", <When key="bought" at={instance.created_at} />],
    ["ID", `${instance.id} (order ${instance.order_id})`]
  ] as const
  const example = {
    method: "GET",
    path: `/instances/${instance.id}`,
    sdk: `vps.instances.get(${instance.id})`,
    vps: `vps instance get ${instance.id}`,
    pulumi: `new Instance("web", { serviceId: ${instance.order.service_id} }, { import: "${instance.id}" })`
  } as const
  return (
    <div class="grid overview">
      <Section title="Now">
        <Now />
      </Section>
      <Renewal instance={instance} />
      <Section title="Details" actions={<ShowCode title="Read this instance" example={example} />}>
        <Facts rows={rows} />
      </Section>
    </div>
  )
}
