/** The instance that the tabs of its screen show. */
import type { ActionResult } from "#contract/Instance"
import type { LiveStatus } from "#contract/Monitoring"
import { createContext } from "preact"
import { useContext } from "preact/hooks"
import { call, type CallOptions } from "../../../api/client.ts"
import { words } from "../../../api/format.ts"
import type { Instance } from "../../../api/instances.ts"
import { type Query, refresh } from "../../../api/query.ts"

interface Shown {
  readonly instance: Instance
  readonly live: Query<LiveStatus>
  /** Of its calls. */
  readonly path: string
  /** Of the account's calls. */
  readonly accountPath: string
}

export const InstanceContext = createContext<Shown | undefined>(undefined)

export const useInstance = (): Shown => {
  const shown = useContext(InstanceContext)
  if (shown === undefined) throw new Error("No instance")
  return shown
}

/** A function that calls an operation of the instance, and then loads again what it changes. */
export const useOperation = () => {
  const { accountPath, path } = useInstance()
  return async <T = ActionResult>(
    method: "POST" | "PATCH" | "PUT" | "DELETE",
    operation: string,
    body?: CallOptions["body"],
    headers?: CallOptions["headers"]
  ): Promise<T> => {
    const options = { ...(body === undefined ? {} : { body }), ...(headers === undefined ? {} : { headers }) }
    const result = await call<T>(method, path + operation, options)
    refresh(path, `${accountPath}/v1/instances`, `${accountPath}/instances`)
    return result
  }
}

/** The reason why operations cannot start; undefined if they can. */
export const busyReason = ({ live: { data }, instance: { status } }: Pick<Shown, "live" | "instance">) => {
  const task = data?.task
  if (task !== null && task !== undefined) return `Busy with ${words(task.type).toLowerCase()}`
  return ["pending", "provisioning"].includes(status) ? "Still being deployed" : undefined
}
