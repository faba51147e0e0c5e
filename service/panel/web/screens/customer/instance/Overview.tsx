/** The instance at a glance: how to connect, usage now, what it is, what it costs, and what happened last. */
import { useMemo } from "preact/hooks"
import type { Metrics, MetricsSample } from "@pulumi-vps/contract/Monitoring"
import { wordsOf } from "@pulumi-vps/contract/PlanSpecs"
import { useRead } from "../../../api/calls.ts"
import { bytes, duration, percent } from "../../../api/format.ts"
import { detailsOf, orderedOf, pauseOf } from "../../../api/instances.ts"
import { taskName } from "../../../api/outcomes.ts"
import { LinkButton } from "../../../components/Button.tsx"
import { Empty, Facts, Loaded, Notice, Section, Skeleton } from "../../../components/Page.tsx"
import { Sparkline } from "../../../components/Sparkline.tsx"
import { Copyable, Status, When } from "../../../components/Values.tsx"
import { useImageName, useLocationLabel } from "../Image.ts"
import { Billing } from "./Billing.tsx"
import { Connect } from "./Connect.tsx"
import { INSTANCE, useInstance } from "./Context.ts"

interface Reading {
  readonly name: string
  readonly of: (sample: MetricsSample) => number
  readonly max?: (sample: MetricsSample) => number
  readonly text: (sample: MetricsSample) => string
}

const READINGS: ReadonlyArray<Reading> = [
  { name: "CPU", of: (one) => one.cpu_percent, max: () => 100, text: (one) => percent(one.cpu_percent) },
  {
    name: "Memory",
    of: (one) => one.memory_bytes,
    max: (one) => one.memory_total_bytes,
    text: (one) => `${bytes(one.memory_bytes)} of ${bytes(one.memory_total_bytes)}`
  },
  {
    name: "Network",
    of: (one) => one.network_rx_bytes_per_second + one.network_tx_bytes_per_second,
    text: (one) => `${bytes(one.network_rx_bytes_per_second)}/s in, ${bytes(one.network_tx_bytes_per_second)}/s out`
  },
  {
    name: "Disk",
    of: (one) => one.disk_read_bytes_per_second + one.disk_write_bytes_per_second,
    text: (one) => `${bytes(one.disk_read_bytes_per_second + one.disk_write_bytes_per_second)}/s`
  }
]

const Readings = ({ now, samples }: { readonly now: MetricsSample; readonly samples: Metrics["samples"] }) => (
  <dl class="readings">
    {READINGS.map(({ max, name, of, text }) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>
          <span class="number">{text(now)}</span>
          <Sparkline label={`${name} in the last hour`} values={samples.map(of)} max={max?.(now)} />
        </dd>
      </div>
    ))}
  </dl>
)

const Usage = () => {
  const { instance: { status }, live: { data, error }, params } = useInstance()
  const isOn = data?.power === "on"
  const { data: hour } = useRead(isOn ? `${INSTANCE}/metrics` : undefined, { params, query: { range: "1h" } })
  const samples = useMemo(() => hour?.samples ?? [], [hour])
  if (error !== undefined && data === undefined) return <Notice tone="warn">{error.message}</Notice>
  if (data === undefined) return <Skeleton lines={4} />
  const { sample, uptime_seconds: uptime } = data
  if (!isOn) return <p class="muted">The instance is off, so it uses nothing. It is {status}.</p>
  if (pauseOf(data) !== undefined) return <p class="muted">The instance is paused, so it uses nothing.</p>
  if (sample === null) return <p class="muted">The first measurement arrives within a minute.</p>
  return (
    <>
      <Readings now={sample} samples={samples} />
      <p class="muted">Running for {duration(uptime)}</p>
    </>
  )
}

/** The resources of the plan, with their units as they were sold. */
const resourcesOf = (specs: string | null): string =>
  wordsOf(JSON.parse(specs ?? "{}")).map((words) => words.join(" ")).join(" · ")

const Details = () => {
  const { instance } = useInstance()
  const { service } = instance.order
  const { ipv6, node, os } = detailsOf(instance)
  const image = useImageName(service.id, os ?? orderedOf(instance).os)
  const place = useLocationLabel(service.id)
  const address = (text: string | null | undefined, what: string) =>
    text === null || text === undefined
      ? <span class="muted">after the deployment</span>
      : <Copyable text={text} what={what} />
  const rows = [
    ["IPv4", address(instance.ipv4, "the IPv4 address")],
    ...(ipv6 === undefined ? [] : [["IPv6", address(ipv6, "the IPv6 address")] as const]),
    ["Location", [place, node].filter((one) => one !== undefined && one !== "").join(", ") || "–"],
    ["Image", image],
    [
      "Plan",
      <span key="plan">
        {service.name} <span class="muted second">{resourcesOf(service.specs)}</span>
      </span>
    ],
    ["Ordered", <When key="ordered" at={instance.created_at} day />],
    ["ID", `${instance.id}, order ${instance.order_id}`]
  ] as const
  return (
    <Section title="Details">
      <Facts rows={rows} />
    </Section>
  )
}

const TASKS_SHOWN = 5

const LastTasks = () => {
  const { account, instance: { id } } = useInstance()
  const query = useRead("/accounts/:account/instances/:id/activity", {
    params: { account, id },
    query: { limit: TASKS_SHOWN }
  })
  return (
    <Section
      title="Last tasks"
      actions={<LinkButton kind="quiet" href={`/panel/instances/${id}/activity`}>Show all</LinkButton>}
    >
      <Loaded query={query} lines={TASKS_SHOWN}>
        {({ items }) =>
          items.length === 0 ? <Empty icon="tasks" title="Nothing has happened yet" /> : (
            <ul class="results">
              {items.map(({ by, created_at, id, kind, status, type }) => (
                <li key={`${kind}${id}`}>
                  <span>
                    {taskName(type)}
                    <span class="muted second">
                      <When at={created_at} />
                      {by !== null && ` · ${by}`}
                    </span>
                  </span>
                  <Status task value={status} />
                </li>
              ))}
            </ul>
          )}
      </Loaded>
    </Section>
  )
}

export const Overview = () => (
  <>
    <Connect />
    <div class="columns">
      <div>
        <Section title="Usage in the last hour">
          <Usage />
        </Section>
        <LastTasks />
      </div>
      <div>
        <Details />
        <Billing />
      </div>
    </div>
  </>
)
