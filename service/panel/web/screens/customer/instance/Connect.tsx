/** The command that logs in to the instance; until it is deployed, the progress of that. */
import { detailsOf, pauseOf } from "../../../api/instances.ts"
import { LinkButton } from "../../../components/Button.tsx"
import { Section } from "../../../components/Page.tsx"
import { Copyable, Progress } from "../../../components/Values.tsx"
import { useSession } from "../../../api/session.ts"
import { useInstance } from "./Context.ts"

const Deploying = () => {
  const { live: { data } } = useInstance()
  const task = data?.task
  const percent = task?.status === "running" ? task.progress : 0
  return (
    <Section title="Your instance is being deployed" note="It takes a minute or two. You can leave this page.">
      <div class="stack">
        <Progress label="Progress of the deployment" percent={percent} />
        <p class="muted">
          {task?.status === "queued" ? "It waits for its turn." : `${percent} %.`}{" "}
          The command to connect appears here as soon as it has its address.
        </p>
      </div>
    </Section>
  )
}

const Waiting = () => (
  <Section title="Your order waits for the host" note="The host approves it, or rejects it and refunds the charge.">
    <p class="muted">You get a mail if it is rejected. You can leave this page.</p>
  </Section>
)

/** Of images whose users log in by Remote Desktop. */
const WINDOWS = /^windows/

/** For states in which it cannot be reached over the network: what can be done instead. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  stopped: "It is off. Start it above; then it can be reached at this address.",
  rescue: "It runs the rescue system, which is reached through the console only.",
  suspended: "It is suspended and off, so it cannot be reached. Its data stays.",
  expired: "It has expired and is off. It starts again as soon as it is paid."
}

const Elsewhere = ({ status }: { readonly status: string }) => (
  <div class="stack">
    <p>{ELSEWHERE[status] ?? `It is ${status} now. The command to connect appears here when it runs.`}</p>
    {status === "expired" && (
      <div class="actions">
        <LinkButton kind="primary" icon="wallet" href="/panel/wallet#pay">How to pay</LinkButton>
      </div>
    )}
  </div>
)

const Command = ({ ipv4 }: { readonly ipv4: string }) => {
  const { instance } = useInstance()
  const isWindows = WINDOWS.test(detailsOf(instance).os ?? "")
  return (
    <div class="command">
      <Copyable text={isWindows ? ipv4 : `ssh root@${ipv4}`} what={isWindows ? "the address" : "the command"} />
      <a href={`/panel/instances/${instance.id}/settings`}>Lost the password?</a>
    </div>
  )
}

/** States with a screen to see. */
const WITH_SCREEN = new Set(["running", "rescue"])

export const Connect = () => {
  const { instance, live } = useInstance()
  const { console } = useSession().capabilities
  const { ipv4, order, status } = instance
  const task = live.data?.task
  if (status === "pending" && !order.service.auto_deploy && task?.status === "queued") return <Waiting />
  if (["pending", "provisioning"].includes(status)) return <Deploying />
  if (ipv4 === null || ipv4 === undefined) return null
  const isUp = status === "running" && pauseOf(live.data) === undefined
  return (
    <Section
      title="Connect"
      {...(isUp ? { note: "With the SSH key or the root password that you chose." } : {})}
      actions={console && WITH_SCREEN.has(status) && (
        <LinkButton icon="console" href={`/panel/instances/${instance.id}/console`}>
          Console
        </LinkButton>
      )}
    >
      {isUp ? <Command ipv4={ipv4} /> : <Elsewhere status={status === "running" ? "paused" : status} />}
    </Section>
  )
}
