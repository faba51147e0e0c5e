/** One instance, for operators: its facts, what its customer sees, its tasks, its charges, and its graphs. */
import type { ComponentChildren } from "preact"
import { useRoute } from "preact-iso/router"
import { act, type ResultOf, ROWS, useCommand, useRead } from "../../api/calls.ts"
import { money, words } from "../../api/format.ts"
import { ActionButton } from "../../components/ActionButton.tsx"
import { LinkButton } from "../../components/Button.tsx"
import { Confirm } from "../../components/FormDialog.tsx"
import { Facts, later, Loaded, Notice, Page, Section } from "../../components/Page.tsx"
import { RecordPage } from "../../components/RecordPage.tsx"
import { Copyable, Status, When } from "../../components/Values.tsx"
import { Statement } from "../account/Wallet.tsx"
import { Held, Ordered } from "./HeldOrders.tsx"
import { InstanceActions, nameOf } from "./InstanceActions.tsx"
import { accountHref, instanceHref, listHref } from "./Links.ts"
import { Notes } from "./Notes.tsx"
import { correctionOf } from "./Corrections.tsx"
import { TasksOf } from "./Tasks.tsx"

interface InstanceProps {
  readonly instance: ResultOf<"instances.show">
}

/** With the library of charts, which other pages do not need. */
const Graphs = later<{ readonly id: number }>(async () => (await import("./InstanceGraphs.tsx")).InstanceGraphs)

const address = (text: string | null, what: string): ComponentChildren =>
  text === null ? <span class="muted">after deployment</span> : <Copyable text={text} what={what} />

const Renewal = ({ instance }: InstanceProps) => {
  const { auto_renew: renews, expires_at: end, id } = instance
  const text = renews ? "It ends when its paid period does." : "It is renewed from the wallet."
  const run = act("instances.auto_renew", { id, auto_renew: !renews }, text)
  if (!renews) return <ActionButton run={run}>Switch on auto-renew</ActionButton>
  const question = `Switch off auto-renew for ${nameOf(instance)}?`
  return (
    <Confirm action="Switch off auto-renew" question={question} submit="Switch off" run={run}>
      <p>
        It is powered off on <When at={end} day />, and its data is deleted after the grace period.
      </p>
    </Confirm>
  )
}

const Details = ({ instance }: InstanceProps) => (
  <Section title="Details">
    <Facts
      rows={[
        ["Status", <Status key="status" value={instance.status} />],
        ["Account", <a key="account" href={accountHref(instance.account_id)}>{instance.account_email}</a>],
        ["Plan", `${instance.plan_name} (${instance.plan})`],
        ["IPv4", address(instance.ipv4, "the IPv4 address")],
        ["IPv6", address(instance.ipv6, "the IPv6 address")],
        ["Host", instance.host ?? <span class="muted">none</span>],
        ["Data center", instance.data_center],
        ["Bought", <When key="bought" at={instance.created_at} />]
      ]}
    />
  </Section>
)

const Contract = ({ instance }: InstanceProps) => (
  <Section title="Contract" actions={instance.status !== "deleted" && <Renewal instance={instance} />}>
    <Facts
      rows={[
        ["Price", `${money(instance.price, instance.currency)} a period, before tax rules`],
        [instance.auto_renew ? "Next charge" : "Ends", <When key="at" at={instance.expires_at} />],
        ["Auto-renew", instance.auto_renew ? "On" : "Off"],
        ...(instance.deleted_at === null
          ? []
          : [["Deleted", <When key="deleted" at={instance.deleted_at} />] as const])
      ]}
    />
  </Section>
)

/** The last task that failed, with the error that the customer reads in the activity of the instance. */
const LastFailure = ({ id }: { readonly id: number }) => {
  const { data = [] } = useCommand("tasks.list", { instance_id: id, status: "failed", limit: 1 })
  const [task] = data
  if (task === undefined) return <p class="muted">No task of this instance has failed.</p>
  return (
    <Notice tone="bad" title={`${words(task.type)} failed`}>
      {task.error ?? "No reason was recorded."}
      <span class="muted">
        <When at={task.finished_at} /> · <a href={`/panel/operator/tasks?id=${task.id}`}>task {task.id}</a>
      </span>
    </Notice>
  )
}

const Missing = () => (
  <p class="muted">
    The customer does not see this instance any more: the API and the panel say that it is not found.
  </p>
)

/** The same record and the same texts that the customer's own panel and API have. */
const Seen = ({ instance: { id } }: InstanceProps) => {
  const query = useRead("/operator/instances/:id", { params: { id } })
  const isMissing = query.error?.status === 404
  return (
    <Section title="What the customer sees" note="In the panel, and as the API returns it.">
      {isMissing ? <Missing /> : (
        <Loaded query={query}>
          {(seen) => (
            <div class="stack">
              <p>
                Status: <Status value={seen.status} />
              </p>
              {seen.suspended_reason !== null && seen.suspended_reason !== undefined && (
                <Notice tone="bad" title="This instance is suspended">{seen.suspended_reason}</Notice>
              )}
              <LastFailure id={id} />
              <details>
                <summary>The record of the API</summary>
                <pre tabIndex={0}>{JSON.stringify(seen, null, 2)}</pre>
              </details>
            </div>
          )}
        </Loaded>
      )}
    </Section>
  )
}

const Charges = ({ instance: { account_id: account, id } }: InstanceProps) => {
  const query = useCommand("wallet.statement", { account_id: account, instance_id: id, limit: ROWS })
  return (
    <Section
      title="Statement"
      note="Charges and refunds of this instance. The balance is the wallet's."
      actions={<LinkButton href={accountHref(account)}>The whole wallet</LinkButton>}
    >
      <Loaded query={query} lines={3}>
        {(lines) => (
          <Statement
            lines={lines}
            hrefOf={instanceHref}
            advice="The first charge appears with the order."
            actions={correctionOf}
          />
        )}
      </Loaded>
    </Section>
  )
}

/** The order of the instance, while it waits for an approval. */
const HeldOrder = ({ id }: { readonly id: number }) => {
  const { data = [] } = useCommand("tasks.list", { instance_id: id, status: "held", limit: 1 })
  const [task] = data
  if (task === undefined) return null
  return (
    <Notice tone="warn" title="This order waits for your approval" action={<Held id={task.id} />}>
      <Ordered task={task} />
    </Notice>
  )
}

const LIST = { href: listHref("instances"), name: "All instances" }

const Shown = ({ instance }: InstanceProps) => {
  const { id, status, suspended_note: note, suspended_reason: reason } = instance
  const beside = (
    <div class="beside">
      <Status value={status} />
      <span class="muted">instance {id}</span>
      <a href={listHref("audit", { instance: String(id) })}>Audit</a>
    </div>
  )
  return (
    <Page
      title={nameOf(instance)}
      parent={LIST}
      beside={beside}
      actions={status === "deleted" ? undefined : <InstanceActions instance={instance} />}
    >
      {reason !== null && (
        <Notice tone="warn" title="Suspended">
          {reason}
          {note !== null && <span class="muted">Note: {note}</span>}
        </Notice>
      )}
      <HeldOrder id={id} />
      <div class="grid overview">
        <Details instance={instance} />
        <Contract instance={instance} />
        <Notes of={{ instance_id: id }} />
      </div>
      <Seen instance={instance} />
      <h2 class="group">Tasks</h2>
      <TasksOf instanceId={id} />
      <h2 class="group">Money</h2>
      <Charges instance={instance} />
      <h2 class="group">Graphs</h2>
      {status === "deleted" ? <p class="muted">A deleted instance has none.</p> : <Graphs id={id} />}
    </Page>
  )
}

export const Instance = () => {
  const { id = "" } = useRoute().params
  const query = useCommand("instances.show", { id: Number(id) })
  return (
    <RecordPage query={query} title={`Instance ${id}`} list={LIST}>
      {(instance) => <Shown key={instance.id} instance={instance} />}
    </RecordPage>
  )
}
