/** The state after a run or a kill: in the stack, and at the service. */
import type { Environment } from "./Environment.ts"

/** Outputs that must be the same, however often it was killed. */
const OUTPUTS =
  "serviceId hostname os status powerState bootMode isoId passwordRotation pendingSshKey reinstallTriggers name ptr"
    .split(" ")

export interface EndState {
  readonly mutations: ReadonlyArray<string>
  readonly outcome: unknown
}

interface Task {
  readonly id: number
  readonly type: string
  readonly status: string
}

/** Without what depends on the order in which servers were bought: node and address. */
const installed = (data: string | null | undefined): unknown => {
  const { hostname, os } = JSON.parse(data ?? "{}") as { hostname?: string; os?: string }
  return { hostname, os }
}

/** The service's data of the account, without times; the order of ids is random when several are bought at once. */
const content = async (env: Environment): Promise<unknown> => {
  const instances = await env.instances()
  const all = await Promise.all(instances.map(async ({ id, order, provider_data: data, status }) => ({
    status,
    plan: order.service_id,
    installed: installed(data),
    live: await env.ask<{ boot_mode: string; iso_id: number | null }>("GET", `/instances/${id}/status`)
      .then(({ boot_mode: boot, iso_id: iso }) => ({ boot, iso })),
    snapshots: (await env.ask<ReadonlyArray<{ name: string; status: string }>>("GET", `/instances/${id}/snapshots`))
      .map((one) => `${one.name} ${one.status}`)
  })))
  return all.toSorted((one, other) => JSON.stringify(one) < JSON.stringify(other) ? -1 : 1)
}

const tasks = async (env: Environment): Promise<unknown> =>
  (await env.control("GET", "tasks") as unknown as ReadonlyArray<Task>).map(({ status, type }) => `${type} ${status}`)

const outputs = async (env: Environment): Promise<unknown> =>
  (await env.resources())
    .toSorted((one, other) => one.urn < other.urn ? -1 : 1)
    .map((one) => Object.fromEntries(OUTPUTS.map((name) => [name, one.outputs[name]])))

/** The state after a run, and all mutations since the `from`-th. */
export const endStateOf = async (env: Environment, from: number): Promise<EndState> => ({
  mutations: env.proxy.mutations().slice(from).toSorted(),
  outcome: { content: await content(env), outputs: await outputs(env) }
})

/** Without what differs from one time to the next. */
const steady = (value: unknown): string =>
  JSON.stringify(value).replaceAll(/"ciphertext":"[^"]*"/g, "").replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "")

/** All that a kill -9 leaves: what is stored, and what the service holds. */
export const snapshotOf = async (env: Environment): Promise<string> =>
  steady([await env.stack.exportState(), await content(env), await tasks(env)])

/** The stored resources. */
export const storedState = async (env: Environment): Promise<string> =>
  steady((await env.stack.exportState()).resources)
