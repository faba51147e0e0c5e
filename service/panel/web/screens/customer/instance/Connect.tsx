/** The command that logs in to the instance; until it is deployed, the progress of that. */
import { detailsOf } from "../../../api/instances.ts"
import { LinkButton } from "../../../components/Button.tsx"
import { Section } from "../../../components/Page.tsx"
import { Copyable } from "../../../components/Values.tsx"
import { useSession } from "../../../api/session.ts"
import { useInstance } from "./Context.ts"

const Deploying = () => {
  const { live: { data } } = useInstance()
  const progress = data?.task?.progress ?? 0
  return (
    <Section title="Your instance is being deployed" note="It takes a minute or two. You can leave this page.">
      <div class="stack" role="status">
        <progress max={100} value={progress} aria-label="Progress of the deployment" />
        <p class="muted">{progress} %. The command to connect appears here as soon as it has its address.</p>
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

export const Connect = () => {
  const { instance, live } = useInstance()
  const { console } = useSession().capabilities
  const { ipv4, order, status } = instance
  const task = live.data?.task
  if (status === "pending" && !order.service.auto_deploy && task?.status === "queued") return <Waiting />
  if (["pending", "provisioning"].includes(status)) return <Deploying />
  if (ipv4 === null || ipv4 === undefined) return null
  const isWindows = WINDOWS.test(detailsOf(instance).os ?? "")
  const settings = `/panel/instances/${instance.id}/settings`
  return (
    <Section
      title="Connect"
      note={status === "running" ? "With the SSH key or the root password that you chose." : `It is ${status} now.`}
      actions={console && (
        <LinkButton icon="console" href={`/panel/instances/${instance.id}/console`}>
          Console
        </LinkButton>
      )}
    >
      <div class="command">
        <Copyable text={isWindows ? ipv4 : `ssh root@${ipv4}`} what={isWindows ? "the address" : "the command"} />
        <a href={settings}>Lost the password?</a>
      </div>
    </Section>
  )
}
