/** A banner for each failed task of the instance: the cause, its consequence, and the next step. */
import type { AccountTask } from "../../../../contract/TaskCalls.ts"
import { useDismiss, useFailures } from "../../../api/failures.ts"
import { afterOf, causeOf, failureOf, retryHref } from "../../../api/outcomes.ts"
import { ActionButton } from "../../../components/ActionButton.tsx"
import { LinkButton } from "../../../components/Button.tsx"
import { Notice } from "../../../components/Page.tsx"
import { When } from "../../../components/Values.tsx"
import { useInstance } from "./Context.ts"
import { AskHost } from "../../../components/Brand.tsx"

const Failure = ({ task }: { readonly task: AccountTask }) => {
  const dismiss = useDismiss()
  return (
    <Notice
      tone="bad"
      title={failureOf(task)}
      action={
        <div class="actions">
          <LinkButton href={retryHref(task)}>Try again</LinkButton>
          <ActionButton kind="quiet" run={() => dismiss(task.id)}>Dismiss</ActionButton>
        </div>
      }
    >
      <p>{causeOf(task)} {afterOf(task)}</p>
      <p class="muted">
        <When at={task.finished_at} />
        {task.request_id !== null && (
          <>
            {" "}· If it fails again, <AskHost>contact your host</AskHost> with the request{" "}
            <code>{task.request_id}</code>
          </>
        )}
      </p>
    </Notice>
  )
}

export const Failures = () => {
  const { instance: { id } } = useInstance()
  const own = useFailures()?.filter((task) => task.instance_id === id) ?? []
  return <>{own.map((task) => <Failure key={task.id} task={task} />)}</>
}
