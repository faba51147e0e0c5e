/** An instance: its head with power and the open task, and a tab for each topic. */
import { words } from "../../../api/format.ts"
import { busyReason, INSTANCE, InstanceContext, type InstanceView, useInstance, useOperation } from "./Context.ts"
import { send, useRead } from "../../../api/calls.ts"
import type { IconName } from "../../../components/Icon.tsx"
import { ActionButton } from "../../../components/ActionButton.tsx"
import { LinkButton } from "../../../components/Button.tsx"
import type { ComponentType } from "preact"
import { useRoute } from "preact-iso/router"
import { detailsOf, type Instance, nameOf } from "../../../api/instances.ts"
import { useAccountId, useSession } from "../../../api/session.ts"
import { Empty, later, Loading, Notice, Page, Tabs } from "../../../components/Page.tsx"
import { useCanChange } from "../../../components/ReadOnly.tsx"
import { Copyable, Status } from "../../../components/Values.tsx"
import { Overview } from "./Overview.tsx"

export const OpenTask = () => {
  const task = useInstance().live.data?.task
  if (task === null || task === undefined) return null
  return (
    <div class="task" role="status">
      <div>
        <strong>{words(task.type)}</strong>
        <span class="muted">
          {task.status === "queued" ? "Waiting for its turn" : `${task.progress} %`}
        </span>
      </div>
      <progress max={100} value={task.progress} aria-label={`${words(task.type)}: progress`} />
    </div>
  )
}

type Action = "start" | "restart" | "stop"

const ACTIONS: ReadonlyArray<readonly [name: Action, icon: IconName, from: ReadonlyArray<string>]> = [
  ["start", "play", ["stopped"]],
  ["restart", "restart", ["running", "rescue"]],
  ["stop", "stop", ["running", "rescue"]]
]

export const Power = () => {
  const shown = useInstance()
  const operate = useOperation()
  const { status } = shown.instance
  const busy = busyReason(shown)
  return (
    <>
      {ACTIONS.map(([name, icon, from]) => {
        const reason = busy ?? (from.includes(status) ? undefined : `The instance is ${status}`)
        return (
          <ActionButton
            key={name}
            icon={icon}
            disabled={reason !== undefined}
            title={reason}
            run={async () => void await operate((params) => send(`POST ${INSTANCE}/${name}`, { params }))}
          >
            {words(name)}
          </ActionButton>
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

const Beside = ({ instance }: { readonly instance: Instance }) => (
  <div class="beside">
    <Status value={instance.status} />
    {instance.ipv4 !== null && instance.ipv4 !== undefined && <Copyable text={instance.ipv4} what="the IPv4 address" />}
    <span class="muted">{instance.order.service.name} · {detailsOf(instance).os ?? "image unknown"}</span>
  </div>
)

interface ShownProps extends InstanceView {
  readonly current: string
}

const Shown = ({ current, ...shown }: ShownProps) => {
  const { console } = useSession().capabilities
  const canChange = useCanChange()
  const { instance } = shown
  const tabs = TABS.filter(({ key }) => key !== "console" || console && canChange)
  const { content: Content, name } = tabs.find(({ key }) => key === current) ?? tabs[0]!
  const links = tabs.map(({ key, name }) => ({ key, name, href: `/panel/instances/${instance.id}/${key}` }))
  return (
    <InstanceContext.Provider value={shown}>
      <Page title={nameOf(instance)} parent={LIST} beside={<Beside instance={instance} />} actions={<Power />}>
        {instance.suspended_reason !== null && instance.suspended_reason !== undefined && (
          <Notice tone="bad" title="This instance is suspended">
            {instance.suspended_reason} Contact your host to have it released.
          </Notice>
        )}
        <OpenTask />
        <Tabs label="Topics" current={current} tabs={links} />
        <h2 class="hidden">{name}</h2>
        <Content key={instance.id} />
      </Page>
    </InstanceContext.Provider>
  )
}

const Missing = () => (
  <Page title="Instance not found" parent={LIST}>
    <Empty icon="search" title="There is no such instance in this account">
      <p>It may belong to another of your accounts, or was deleted.</p>
      <LinkButton href="/panel/instances">Show all instances</LinkButton>
    </Empty>
  </Page>
)

export const InstanceScreen = () => {
  const { id = "", tab = "overview" } = useRoute().params
  const account = useAccountId()
  const params = { account, instance_id: id }
  const { data: instance, error } = useRead(INSTANCE, { params })
  const live = useRead(instance === undefined ? undefined : `${INSTANCE}/status`, { params })
  if (instance !== undefined) return <Shown current={tab} {...{ account, instance, live, params }} />
  if (error === undefined) return <Loading lines={8} />
  return error.status === 404 || error.status === 422 ? <Missing /> : <Notice tone="bad">{error.message}</Notice>
}
