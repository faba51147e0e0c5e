/** What an instance tells of itself in its two JSON texts; hosts of this API need not fill them. */
import type { Instance } from "#contract/Instance"
import { createHash } from "node:crypto"
import { minor } from "./Money.ts"

/** What was ordered; a field that the host does not show is undefined. */
export interface OrderedDetails {
  readonly hostname: string | undefined
  readonly os: string | undefined
  readonly sshKeyFingerprint: string | undefined
  /** SHA-256 (hex) of the Idempotency-Key that bought it. */
  readonly keyDigest: string | undefined
  /** The plan that was bought. */
  readonly serviceId: number | undefined
  /** Units of the currency that a coupon took off. */
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

/**
 * What the purchase charged, as its order tells: the price for this customer less the coupon. undefined when the order
 * does not tell the coupon, or when the server was resized since and its plan is another one.
 */
export const chargedFor = (instance: Instance): number | undefined => {
  const { service } = instance.order
  const { discount, serviceId } = orderedDetails(instance)
  if (discount === undefined || serviceId !== instance.order.service_id) return undefined
  return (minor(service.pricing?.charge_amount ?? service.price) - minor(discount)) / minor(1)
}

/** What the machine says once it is deployed; unknown before that, and on hosts that don't show it. */
export const installedDetails = (instance: Instance): { hostname: string | undefined; os: string | undefined } => {
  const data = parse(instance.provider_data)
  return { hostname: textAt(data, "hostname"), os: textAt(data, "os") }
}

/** As `ssh-keygen -l` prints it; undefined when the text is no public key. */
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

/** The same instance, on which the machine tells something newer than it did when it was read. */
export const withInstalled = (instance: Instance, facts: Readonly<Record<string, string>>): Instance =>
  instance.provider_data
    ? { ...instance, provider_data: JSON.stringify({ ...parse(instance.provider_data), ...facts }) }
    : instance
