/** An instance: its head with power and the open task, and a tab for each topic. */
import { useContracts } from "../../../api/contracts.ts"
import { date, money, words } from "../../../api/format.ts"
import { taskName, waitFor } from "../../../api/outcomes.ts"
import { busyReason, INSTANCE, InstanceContext, type InstanceView, useInstance, useOperation } from "./Context.ts"
import { send, useRead } from "../../../api/calls.ts"
import type { IconName } from "../../../components/Icon.tsx"
import { ActionButton } from "../../../components/ActionButton.tsx"
import { Confirm } from "../../../components/FormDialog.tsx"
import type { ComponentType } from "preact"
import { useEffect } from "preact/hooks"
import { useRoute } from "preact-iso/router"
import { useImageName } from "../Image.ts"
import { detailsOf, type Instance, nameOf, orderedOf, pauseOf } from "../../../api/instances.ts"
import { useAccountId, useCurrency, useSession } from "../../../api/session.ts"
import { later, Notice, Page, Tabs } from "../../../components/Page.tsx"
import { RecordPage } from "../../../components/RecordPage.tsx"
import { useCanChange } from "../../../components/ReadOnly.tsx"
import { Copyable, Progress, Status } from "../../../components/Values.tsx"
import { ShowCode } from "../../../components/ShowCode.tsx"
import { FailedOrder } from "./FailedOrder.tsx"
import { Failures } from "./Failure.tsx"
import { Overview } from "./Overview.tsx"
import { AskHost } from "../../../components/Brand.tsx"

export const OpenTask = () => {
  const task = useInstance().live.data?.task
  if (task === null || task === undefined) return null
  return (
    <div class="task">
      <div>
        <strong>{taskName(task.type)}</strong>
        <span class="muted">
          {task.status === "queued" ? "Waiting for its turn" : `${task.progress} %`}
        </span>
      </div>
      <Progress label={`${taskName(task.type)}: progress`} percent={task.status === "queued" ? 0 : task.progress} />
    </div>
  )
}

type Action = "start" | "restart" | "stop"

interface PowerAction {
  readonly name: Action
  readonly icon: IconName
  readonly from: ReadonlyArray<string>
  /** The consequence, which is confirmed before; absent: nothing stops. */
  readonly stops?: string
}

const ACTIONS: ReadonlyArray<PowerAction> = [
  { name: "start", icon: "play", from: ["stopped"] },
  {
    name: "restart",
    icon: "restart",
    from: ["running", "rescue"],
    stops: "Its programs end, and it cannot be reached for a minute or so. Nothing on the disk changes."
  },
  {
    name: "stop",
    icon: "stop",
    from: ["running", "rescue"],
    stops: "Its programs end, and it cannot be reached until you start it again. It costs the same while it is off."
  }
]

export const Power = () => {
  const shown = useInstance()
  const operate = useOperation()
  const { status } = shown.instance
  const busy = busyReason(shown)
  return (
    <>
      {ACTIONS.map(({ from, icon, name, stops }) => {
        const reason = busy ?? (from.includes(status) ? undefined : `The instance is ${status}`)
        const run = async () => void await operate((params) => send(`POST ${INSTANCE}/${name}`, { params }))
        const button = { icon, off: reason }
        return stops === undefined
          ? <ActionButton key={name} {...button} run={run}>{words(name)}</ActionButton>
          : (
            <Confirm
              key={name}
              {...button}
              action={words(name)}
              question={`${words(name)} ${nameOf(shown.instance)}?`}
              run={run}
            >
              <p>{stops}</p>
            </Confirm>
          )
      })}
    </>
  )
}

interface Tab {
  readonly key: string
  readonly name: string
  readonly content: ComponentType
}

const TABS: ReadonlyArray<Tab> = [
  { key: "overview", name: "Overview", content: Overview },
  { key: "graphs", name: "Graphs", content: later(async () => (await import("./Graphs.tsx")).Graphs) },
  { key: "console", name: "Console", content: later(async () => (await import("./Console.tsx")).Console) },
  { key: "rescue", name: "Rescue and ISO", content: later(async () => (await import("./Rescue.tsx")).Rescue) },
  { key: "snapshots", name: "Snapshots", content: later(async () => (await import("./Images.tsx")).Snapshots) },
  { key: "backups", name: "Backups", content: later(async () => (await import("./Images.tsx")).Backups) },
  { key: "network", name: "Network", content: later(async () => (await import("./Network.tsx")).Network) },
  { key: "resize", name: "Resize", content: later(async () => (await import("./Resize.tsx")).Resize) },
  { key: "settings", name: "Settings", content: later(async () => (await import("./Settings.tsx")).Settings) },
  { key: "activity", name: "Activity", content: later(async () => (await import("./Activity.tsx")).Activity) }
]

const LIST = { href: "/panel/instances", name: "Instances" }

const ImageName = ({ instance }: { readonly instance: Instance }) => {
  const { order } = instance
  return <>{useImageName(order.service_id, detailsOf(instance).os ?? orderedOf(instance).os)}</>
}

const Beside = ({ instance, live }: Pick<InstanceView, "instance" | "live">) => (
  <div class="beside">
    <Status value={pauseOf(live.data) ?? instance.status} />
    {instance.ipv4 !== null && instance.ipv4 !== undefined && <Copyable text={instance.ipv4} what="the IPv4 address" />}
    <span class="muted">
      {instance.order.service.name} · <ImageName instance={instance} />
    </span>
  </div>
)

/** Of a deployment, which a page that was opened afterwards reports, too; not of what the service does by itself. */
const useReport = ({ live }: Pick<InstanceView, "live">) => {
  const task = live.data?.task
  useEffect(() => {
    if (task !== null && task !== undefined && task.actor !== "system") waitFor(task.id)
  }, [task?.id])
}

/** In a sentence; undefined while it is unknown. */
const suspensionCost = (charge: number | null | undefined, currency: string, next: string | null) => {
  if (charge === undefined) return undefined
  return charge === null
    ? "It costs nothing meanwhile: its paid period pauses."
    : `It costs the same meanwhile: ${money(charge, currency)}${next === null ? "" : `, next on ${date(next)}`}.`
}

const Suspended = ({ instance: { expires_at: next, id }, reason }: {
  readonly instance: Instance
  readonly reason: string
}) => {
  const currency = useCurrency()
  const suspension = useContracts()?.suspended.find(({ instance_id: one }) => one === id)
  return (
    <Notice tone="bad" title="This instance is suspended">
      {reason} {suspensionCost(suspension?.charge, currency, next)} <AskHost>Contact your host</AskHost>{" "}
      to have it released.
    </Notice>
  )
}

/** Words for a reason that this page does not know say at least that the instance is paused. */
const Paused = ({ reason }: { readonly reason: string }) => (
  <Notice tone="bad" title="This instance is paused">
    {reason === "storage_full"
      ? "It could not write to its disk, because the storage of its host is full. Nothing on the disk is lost. It "
        + "continues by itself once there is space, and its programs with it. "
      : "Its host has paused it. "}
    <AskHost>Contact your host</AskHost> if it stays so.
  </Notice>
)

const Topics = ({ current }: { readonly current: string }) => {
  const { console } = useSession().capabilities
  const canChange = useCanChange()
  const { instance } = useInstance()
  const tabs = TABS.filter(({ key }) => key !== "console" || console && canChange)
  const { content: Content, key: shown, name } = tabs.find(({ key }) => key === current) ?? tabs[0]!
  const links = tabs.map(({ key, name }) => ({ key, name, href: `/panel/instances/${instance.id}/${key}` }))
  return (
    <>
      <Tabs label="Topics" current={shown} tabs={links} />
      <h2 class="hidden">{name}</h2>
      <Content key={instance.id} />
    </>
  )
}

const crumbsOf = (instance: Instance, current: string) => {
  const tab = TABS.find(({ key }) => key === current)
  return tab === undefined || tab.key === "overview" ? { parents: [LIST], here: undefined } : {
    parents: [LIST, { href: `/panel/instances/${instance.id}`, name: nameOf(instance) }],
    here: tab.name
  }
}

interface ShownProps extends InstanceView {
  readonly current: string
}

const Shown = ({ current, ...shown }: ShownProps) => {
  const { instance } = shown
  const { id, status, suspended_reason: reason } = instance
  const paused = shown.live.data?.paused
  const isOverview = crumbsOf(instance, current).here === undefined
  useReport(shown)
  const example = {
    method: "GET",
    path: `/instances/${id}`,
    sdk: `vps.instances.get(${id})`,
    vps: `vps instance get ${id}`,
    pulumi: `new Instance("web", { serviceId: ${instance.order.service_id} }, { import: "${id}" })`
  } as const
  const actions = (
    <>
      {status !== "failed" && <Power />}
      {isOverview && <ShowCode title="Read this instance" example={example} />}
    </>
  )
  return (
    <InstanceContext.Provider value={shown}>
      <Page
        title={nameOf(instance)}
        {...crumbsOf(instance, current)}
        beside={<Beside instance={instance} live={shown.live} />}
        actions={actions}
      >
        {reason !== null && reason !== undefined && <Suspended instance={instance} reason={reason} />}
        {paused !== null && paused !== undefined && <Paused reason={paused} />}
        {status === "failed" ? <FailedOrder /> : (
          <>
            <Failures />
            <OpenTask />
            <Topics current={current} />
          </>
        )}
      </Page>
    </InstanceContext.Provider>
  )
}

export const InstanceScreen = () => {
  const { id = "", tab = "overview" } = useRoute().params
  const account = useAccountId()
  const params = { account, instance_id: id }
  const query = useRead(INSTANCE, { params })
  const live = useRead(query.data === undefined ? undefined : `${INSTANCE}/status`, { params })
  const missing = "It may belong to another of your accounts, or was deleted."
  return (
    <RecordPage query={query} title={`Instance ${id}`} list={LIST} missing={missing}>
      {(instance) => <Shown current={tab} {...{ account, instance, live, params }} />}
    </RecordPage>
  )
}
