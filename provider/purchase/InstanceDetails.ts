/** The details of an instance in its two JSON fields, `order.config` and `provider_data`, which may be empty. */
import { createHash } from "node:crypto"
import type { Instance } from "@pulumi-vps/sdk/client/Records"
import { minor } from "./Money.ts"

/** The order; a field that the service does not show is undefined. */
export interface OrderedDetails {
  readonly hostname: string | undefined
  readonly os: string | undefined
  readonly sshKeyFingerprint: string | undefined
  /** SHA-256 (hex) of the Idempotency-Key that bought it. */
  readonly keyDigest: string | undefined
  /** The plan that was bought. */
  readonly serviceId: number | undefined
  /** The coupon's discount, in units of the currency. */
  readonly discount: number | undefined
}

export const orderedDetails = (instance: Instance): OrderedDetails => {
  const config = parse(instance.order.config)
  return {
    hostname: textAt(config, "hostname"),
    os: textAt(config, "os"),
    sshKeyFingerprint: textAt(config, "ssh_key_fingerprint"),
    keyDigest: textAt(config, "idempotency_key_sha256"),
    serviceId: numberAt(config, "service_id"),
    discount: numberAt(config, "discount_amount")
  }
}

/** True when the order shows the digests of keys, though a purchase without a key has none. */
export const showsKeyDigest = ({ order }: Instance): boolean => "idempotency_key_sha256" in parse(order.config)

/**
 * The charge of the purchase according to its order: the customer's price less the coupon's discount. undefined when
 * the order does not show the discount, or when the instance was resized to another plan since.
 */
export const chargedFor = (instance: Instance): number | undefined => {
  const { service } = instance.order
  const { discount, serviceId } = orderedDetails(instance)
  if (discount === undefined || serviceId !== instance.order.service_id) return undefined
  return (minor(service.pricing?.charge_amount ?? service.price) - minor(discount)) / minor(1)
}

interface InstalledDetails {
  readonly hostname: string | undefined
  readonly os: string | undefined
  readonly ipv6: string | undefined
}

/** The installed system and the second address; undefined before the deployment, or when the service shows neither. */
export const installedDetails = (instance: Instance): InstalledDetails => {
  const data = parse(instance.provider_data)
  return { hostname: textAt(data, "hostname"), os: textAt(data, "os"), ipv6: textAt(data, "ipv6") }
}

/** Host names are case-insensitive; the state has the program's spelling, to avoid diffs. */
export const sameHostname = (left: string | undefined, right: string | undefined): boolean =>
  left?.toLowerCase() === right?.toLowerCase()

/** As `ssh-keygen -l` prints it; undefined when the text is not a public key. */
export const sshFingerprint = (publicKey: string): string | undefined => {
  const blob = publicKey.trim().split(/[ \t]+/)[1]
  if (blob === undefined) return undefined
  return `SHA256:${createHash("sha256").update(Buffer.from(blob, "base64")).digest("base64").replace("=", "")}`
}

const parse = (json: string | null | undefined): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(json ?? "{}")
    return value !== null && typeof value === "object" ? value as Readonly<Record<string, unknown>> : {}
  } catch {
    return {}
  }
}

const textAt = (record: Readonly<Record<string, unknown>>, name: string): string | undefined => {
  const value = record[name]
  return typeof value === "string" && value !== "" ? value : undefined
}

const numberAt = (record: Readonly<Record<string, unknown>>, name: string): number | undefined => {
  const value = record[name]
  return typeof value === "number" ? value : undefined
}

/** The instance with newer details than it had when it was observed. */
export const withInstalled = (instance: Instance, facts: Readonly<Record<string, string>>): Instance =>
  instance.provider_data
    ? { ...instance, provider_data: JSON.stringify({ ...parse(instance.provider_data), ...facts }) }
    : instance
