/** The open task of the instance with its progress. */
import { words } from "../../../api/format.ts"
import { useInstance } from "./Context.ts"

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
