/** The identity of an instance in the state: at another service, its number belongs to another instance. */
import { createHash } from "node:crypto"
import type { Instance } from "#sdk/client/Records"
import type { Settings } from "../Config.ts"
import { present, type Properties } from "../definition/Properties.ts"

/** States of earlier versions have a part of it. */
export interface Identity {
  /** The account that owns it: it decides what a later 404 means. */
  readonly userId: number | undefined
  readonly orderId: number | undefined
  readonly createdAt: string | undefined
  /** The service and the key with which it was last observed: see `placeOf`. */
  readonly place: string | undefined
}

const numberIn = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined)
const textIn = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

/** The identity of an Instance, from its outputs. */
export const identityOf = ({ __service, createdAt, orderId, userId }: Properties): Identity => ({
  userId: numberIn(userId),
  orderId: numberIn(orderId),
  createdAt: textIn(createdAt),
  place: textIn(__service)
})

/** The outputs of an attached resource that identify its instance; they begin with `__`, so that no diff shows them. */
export const parentOutputs = (instance: Instance, place: string | undefined): Properties =>
  present({
    userId: instance.user_id,
    __orderId: instance.order_id,
    __boughtAt: instance.created_at,
    __service: place
  })

/** The same outputs, as the state has them. */
export const parentInState = ({ __boughtAt, __orderId, __service, userId }: Properties): Properties =>
  present({ userId, __orderId, __boughtAt, __service })

/** The identity of an attached resource's instance, from its outputs. */
export const parentIdentity = ({ __boughtAt, __orderId, __service, userId }: Properties): Identity =>
  identityOf({ userId, orderId: __orderId, createdAt: __boughtAt, __service })

/** True when the instance is another one that has the same number. */
export const isOther = ({ created_at, order_id }: Instance, { createdAt, orderId }: Identity): boolean =>
  (orderId !== undefined && orderId !== order_id)
  || (createdAt !== undefined && Date.parse(createdAt) !== Date.parse(created_at))

/** Hexadecimal digits of a key's digest: enough to see that it is another key, too few to learn anything about it. */
const KEY_DIGITS = 12

/**
 * The service and the key as one text, "https://api.example.com/api/v1#0123456789ab": as long as neither changes,
 * nothing has to be requested to know that the account is the same. Undefined without either of them, and for a text
 * that is not a URL, which the first request reports.
 */
export const placeOf = ({ apiKey, baseUrl }: Pick<Settings, "apiKey" | "baseUrl">): string | undefined => {
  if (apiKey === undefined || baseUrl === undefined || !URL.canParse(baseUrl)) return undefined
  const { origin, pathname } = new URL(baseUrl)
  const path = pathname.endsWith("/") ? pathname.slice(0, -1) : pathname
  const key = createHash("sha256").update(apiKey).digest("hex").slice(0, KEY_DIGITS)
  return `${origin}${path}#${key}`
}

/** The base URL of a place. */
export const serviceIn = (place: string | undefined): string | undefined => place?.split("#")[0]
