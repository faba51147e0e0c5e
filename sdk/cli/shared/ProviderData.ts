/** Facts about an instance that it has as JSON text, which a service may omit or fill differently. */
import type { Instance } from "#contract/Instance"

export interface ProviderData {
  readonly hostname?: string
  readonly os?: string
  readonly node?: string
  readonly ipv6?: string
}

const NAMES = ["hostname", "os", "node", "ipv6"] as const

const parse = (text: string | null | undefined): ProviderData => {
  if (text === null || text === undefined) return {}
  try {
    const data: unknown = JSON.parse(text)
    if (typeof data !== "object" || data === null) return {}
    const fields = data as Readonly<Record<string, unknown>>
    const found = NAMES.flatMap((name) => typeof fields[name] === "string" ? [[name, fields[name]]] : [])
    return Object.fromEntries(found) as ProviderData
  } catch {
    return {}
  }
}

/** The facts that the service reports, and until it does, those that were ordered. */
export const parseProviderData = ({ order, provider_data }: Instance): ProviderData => ({
  ...parse(order?.config),
  ...parse(provider_data)
})

/** The IPv4 address, or the IPv6 address without one. */
export const addressOf = (instance: Instance): string | undefined =>
  instance.ipv4 || parseProviderData(instance).ipv6 || undefined
