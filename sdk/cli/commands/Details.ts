/** What an instance's `provider_data` tells: JSON text that a host may leave out, or fill in its own way. */
import type { Instance } from "#contract/Instance"

export interface Details {
  readonly hostname?: string
  readonly os?: string
  readonly node?: string
  readonly ipv6?: string
}

const NAMES = ["hostname", "os", "node", "ipv6"] as const

export const detailsOf = ({ provider_data: text }: Instance): Details => {
  if (text === null || text === undefined) return {}
  try {
    const data: unknown = JSON.parse(text)
    if (typeof data !== "object" || data === null) return {}
    const known = data as Readonly<Record<string, unknown>>
    const found = NAMES.flatMap((name) => typeof known[name] === "string" ? [[name, known[name]]] : [])
    return Object.fromEntries(found) as Details
  } catch {
    return {}
  }
}

/** Where it is reached: IPv4, or IPv6 when it has no IPv4. */
export const addressOf = (instance: Instance): string | undefined =>
  instance.ipv4 || detailsOf(instance).ipv6 || undefined
