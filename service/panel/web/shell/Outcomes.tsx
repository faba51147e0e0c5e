/** The ends of tasks: reported in this tab if it waits for them, and counted until they are dismissed. */
import { useEffect } from "preact/hooks"
import type { AccountTask } from "../../contract/TaskCalls.ts"
import { pathTo, useRead } from "../api/calls.ts"
import { FAILURES } from "../api/failures.ts"
import { causeOf, failureOf, instanceHref, stopWaiting, successOf, waiting } from "../api/outcomes.ts"
import { refresh } from "../api/query.ts"
import { useAccount } from "../api/session.ts"
import { useStore } from "../api/store.ts"
import { notify } from "../api/toasts.ts"

const TASKS = "/accounts/:account/tasks"

const report = (task: AccountTask): void => {
  if (task.status === "succeeded") notify("good", successOf(task))
  if (task.status !== "failed") return
  const href = instanceHref(task.instance_id)
  notify("bad", `${failureOf(task)} ${causeOf(task)}`, { href, name: "See what to do" })
}

/** Reports the tasks that have ended. Events of their instances read them again. */
export const TaskReports = () => {
  const account = useAccount()?.id
  const ids = useStore(waiting)
  const path = account === undefined || ids.length === 0 ? undefined : TASKS
  const { data } = useRead(path, { params: { account: account ?? 0 }, query: { ids: ids.join(",") } })
  useEffect(() => {
    if (data === undefined) return
    const ended = data.filter(({ finished_at: at }) => at !== null)
    for (const task of ended) report(task)
    // A task of another account, or one that was deleted, never ends here.
    const unknown = ids.filter((id) => data.every((task) => task.id !== id))
    if (ended.length + unknown.length === 0) return
    stopWaiting([...ended.map(({ id }) => id), ...unknown])
    refresh(pathTo(FAILURES, { account: account ?? 0 }))
  }, [data])
  return null
}
