/** Start, restart, and stop. Those that cannot work now are disabled, with the reason. */
import { send } from "../../../api/calls.ts"
import { words } from "../../../api/format.ts"
import type { IconName } from "../../../components/Icon.tsx"
import { ActionButton } from "../../../components/ActionButton.tsx"
import { busyReason, INSTANCE, useInstance, useOperation } from "./Context.ts"

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
