/** Power for many instances at once. Loaded with the first choice. */
import { useState } from "preact/hooks"
import { pathTo, send } from "../../api/calls.ts"
import { messageOf } from "../../api/client.ts"
import { type Instance, nameOf } from "../../api/instances.ts"
import { waitFor } from "../../api/outcomes.ts"
import { refresh } from "../../api/query.ts"
import { useAccountId } from "../../api/session.ts"
import { Button } from "../../components/Button.tsx"
import { Dialog } from "../../components/Dialog.tsx"
import type { IconName } from "../../components/Icon.tsx"

interface BulkAction {
  readonly name: string
  readonly icon: IconName
  /** The consequence, which is confirmed before. */
  readonly stops?: string
}

const ACTIONS = {
  start: { name: "Start", icon: "play" },
  restart: { name: "Restart", icon: "restart", stops: "Their programs end. Nothing on the disks changes." },
  stop: { name: "Stop", icon: "stop", stops: "Their programs end until you start them again. They cost the same." }
} as const satisfies Record<string, BulkAction>
type Action = keyof typeof ACTIONS

/** Few enough to leave the service room for others. */
const AT_ONCE = 4

type Params = { readonly account: number; readonly instance_id: number }
type Result = { readonly ok: boolean; readonly text: string }

const act = async (action: Action, params: Params): Promise<Result> => {
  try {
    const { task_id } = await send(`POST /accounts/:account/v1/instances/:instance_id/${action}`, { params })
    waitFor(task_id)
    return { ok: true, text: task_id === null ? "Nothing to do" : "Accepted" }
  } catch (error) {
    return { ok: false, text: messageOf(error) }
  }
}

const actOnAll = async (
  ids: ReadonlyArray<number>,
  one: (id: number) => Promise<Result>,
  report: (id: number, result: Result) => void
) => {
  const waiting = [...ids]
  const work = async () => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) report(id, await one(id))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}

interface BulkProps {
  readonly chosen: ReadonlyArray<Instance>
  readonly onClear: () => void
}

interface RunProps extends BulkProps {
  readonly action: Action
  readonly onClose: () => void
}

const Run = ({ action, chosen: first, onClear, onClose }: RunProps) => {
  const account = useAccountId()
  // The choice may shrink while the statuses change.
  const [chosen] = useState(first)
  const [results, setResults] = useState<ReadonlyMap<number, Result>>()
  const { name, stops }: BulkAction = ACTIONS[action]
  const done = results?.size === chosen.length
  const run = async () => {
    let all: ReadonlyMap<number, Result> = new Map()
    setResults(all)
    await actOnAll(chosen.map(({ id }) => id), (id) => act(action, { account, instance_id: id }), (id, result) => {
      all = new Map([...all, [id, result]])
      setResults(all)
    })
    refresh(pathTo("/accounts/:account/v1/instances", { account }))
  }
  const close = () => {
    onClose()
    if (done) onClear()
  }
  const count = `${chosen.length} instance${chosen.length === 1 ? "" : "s"}`
  return (
    <Dialog title={`${name} ${count}${results === undefined ? "?" : ""}`} onClose={close}>
      {results === undefined && stops !== undefined && <p>{stops}</p>}
      <ul class="results" aria-live="polite">
        {chosen.map((one) => {
          const result = results?.get(one.id)
          const tone = result === undefined ? "muted" : result.ok ? "good" : "bad"
          return (
            <li key={one.id}>
              <span>{nameOf(one)}</span>
              <span class={tone}>{result?.text ?? (results === undefined ? one.status : "Waiting…")}</span>
            </li>
          )
        })}
      </ul>
      <footer>
        <Button onClick={close}>{done ? "Close" : "Cancel"}</Button>
        {!done && <Button kind="primary" busy={results !== undefined} onClick={() => void run()}>{name} {count}
        </Button>}
      </footer>
    </Dialog>
  )
}

/** Start, stop, or restart the chosen instances; each gets its own result. */
export const BulkPower = (props: BulkProps) => {
  const [action, setAction] = useState<Action>()
  return (
    <div class="bulk" role="group" aria-label="Chosen instances">
      <strong>{props.chosen.length} selected</strong>
      {Object.entries(ACTIONS).map(([key, { icon, name }]) => (
        <Button
          key={key}
          icon={icon}
          onClick={() => setAction(key as Action)}
        >
          {name}
        </Button>
      ))}
      <Button kind="quiet" onClick={props.onClear}>Clear</Button>
      {action !== undefined && <Run {...props} action={action} onClose={() => setAction(undefined)} />}
    </div>
  )
}
