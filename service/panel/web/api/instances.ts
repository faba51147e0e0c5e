/** Instances that have changed, and facts about an instance that the API has in texts. */
import type { Instance } from "@pulumi-vps/contract/Instance"
import type { LiveStatus } from "@pulumi-vps/contract/Monitoring"
import { change, pathTo, send } from "./calls.ts"
import { isObserved, refreshWhere } from "./query.ts"

export type { Instance }

interface ProviderData {
  readonly hostname?: string
  readonly os?: string
  readonly node?: string
  readonly ipv6?: string
}

/** A text of the service that contains JSON. */
const parse = <T extends object>(text: string | null | undefined): Partial<T> => {
  try {
    return JSON.parse(text ?? "{}") as Partial<T>
  } catch {
    return {}
  }
}

export const detailsOf = (instance: Instance): ProviderData => parse<ProviderData>(instance.provider_data)

interface Ordered {
  readonly hostname: string | null
  readonly os: string | null
  readonly ssh_key_fingerprint: string | null
  readonly coupon_code: string | null
}

/** The order, without its secrets. */
export const orderedOf = ({ order }: Instance): Partial<Ordered> => parse<Ordered>(order.config)

/** The ordered configuration has the hostname before the instance is deployed. */
export const nameOf = (instance: Instance): string =>
  detailsOf(instance).hostname ?? orderedOf(instance).hostname ?? `Instance ${instance.id}`

/** The state of an instance that its host has paused; undefined for one that runs or is off. */
export const pauseOf = (live: Pick<LiveStatus, "paused"> | undefined): string | undefined => {
  if (live?.paused === null || live?.paused === undefined) return undefined
  return live.paused === "storage_full" ? "paused: storage is full" : "paused"
}

/** Everything that a person may search an instance by, in lower case. */
export const searchText = (instance: Instance): string =>
  [nameOf(instance), instance.ipv4, detailsOf(instance).ipv6, instance.order.service.name, instance.status, instance.id]
    .join(" ").toLowerCase()

/** The price of the next period for this customer. */
export const priceOf = ({ order: { service } }: Instance): number => service.pricing?.charge_amount ?? service.price

/** More changes at once than this make the whole list the smaller response; the service accepts no more ids. */
const CHANGED_MAX = 50

const LIST = "/accounts/:account/v1/instances"
const ONE = "/accounts/:account/v1/instances/:instance_id"

/** Reads the instances that changed, and puts them into the list and on their own pages. */
export const readChanged = async (account: number, ids: ReadonlyArray<string>): Promise<void> => {
  const pathOf = (id: string | number) => pathTo(ONE, { account, instance_id: id })
  const paths = [pathTo(LIST, { account }), ...ids.map(pathOf)]
  const outdated = () => refreshWhere((path) => paths.includes(path))
  if (!isObserved(...paths) || ids.length > CHANGED_MAX) return outdated()
  try {
    const found = await send("GET /accounts/:account/instances", { params: { account }, query: { ids: ids.join(",") } })
    const byId = (a: Instance, b: Instance) => a.id - b.id
    change(
      LIST,
      { account },
      (all) => [...all.filter(({ id }) => !ids.includes(String(id))), ...found].toSorted(byId)
    )
    for (const one of found) change(ONE, { account, instance_id: one.id }, () => one)
    const gone = ids.filter((id) => found.every((one) => String(one.id) !== id))
    refreshWhere((path) => gone.some((id) => path === pathOf(id)))
  } catch { // The whole list, or its own failure, which says what to do.
    outdated()
  }
}
