/** The instance that the tabs of its screen show. */
import type { LiveStatus } from "@pulumi-vps/contract/Monitoring"
import { createContext } from "preact"
import { useContext } from "preact/hooks"
import { pathTo } from "../../../api/calls.ts"
import type { Instance } from "../../../api/instances.ts"
import { taskName, waitFor } from "../../../api/outcomes.ts"
import { type Query, refresh } from "../../../api/query.ts"

export interface InstanceView {
  readonly instance: Instance
  readonly live: Query<LiveStatus>
  readonly account: number
  /** Of its calls in the API. */
  readonly params: { readonly account: number; readonly instance_id: number | string }
}

/** The path of an instance in the API. */
export const INSTANCE = "/accounts/:account/v1/instances/:instance_id"

export const InstanceContext = createContext<InstanceView | undefined>(undefined)

export const useInstance = (): InstanceView => {
  const shown = useContext(InstanceContext)
  if (shown === undefined) throw new Error("No instance")
  return shown
}

/** The response to these has their result. */
const AT_ONCE = new Set(["set_hostname", "set_rdns", "reset_password", "rescue_enter", "rescue_exit"])

interface Operated {
  readonly action?: string
  readonly task_id?: number | null
}

/**
 * A function that calls an operation of the instance, and then loads again what it changes. The end of its task is
 * reported.
 */
export const useOperation = () => {
  const { account, params } = useInstance()
  return async <A extends object>(operation: (params: InstanceView["params"]) => Promise<A>): Promise<A> => {
    const result = await operation(params)
    const { action = "", task_id: task = null } = result as Operated
    if (!AT_ONCE.has(action)) waitFor(task)
    refresh(
      pathTo("/accounts/:account/v1/instances", { account }),
      pathTo("/accounts/:account/instances", { account })
    )
    return result
  }
}

/** The reason why operations cannot start; undefined if they can. */
export const busyReason = ({ live: { data }, instance: { status } }: Pick<InstanceView, "live" | "instance">) => {
  const task = data?.task
  if (task !== null && task !== undefined) return `Busy: ${taskName(task.type)}`
  return ["pending", "provisioning"].includes(status) ? "Still being deployed" : undefined
}
