/** Facts about an instance that the API has in texts. */
import type { Instance } from "#contract/Instance"

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

/** The ordered configuration has the hostname before the instance is deployed. */
export const nameOf = (instance: Instance): string =>
  detailsOf(instance).hostname ?? parse<ProviderData>(instance.order.config).hostname ?? `Instance ${instance.id}`

/** Everything that a person may search an instance by, in lower case. */
export const searchText = (instance: Instance): string =>
  [nameOf(instance), instance.ipv4, detailsOf(instance).ipv6, instance.order.service.name, instance.status, instance.id]
    .join(" ").toLowerCase()

/** The price of the next period for this customer. */
export const priceOf = ({ order: { service } }: Instance): number => service.pricing?.charge_amount ?? service.price
