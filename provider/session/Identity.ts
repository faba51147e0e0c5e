/** The identity of an instance in the state: at another service, its number belongs to another instance. */
import { createHash } from "node:crypto"
import type { Instance } from "@pulumi-vps/sdk/client/Records"
import type { Settings } from "../Config.ts"
import { present, type Properties } from "../definition/Properties.ts"
import { UserError } from "../api/Errors.ts"

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

// The errors of a state that belongs to another account or service; nothing is changed, here or there.

const KEPT = "Nothing was changed, and it stays in the state."

/** The account of the API key, as far as the host shows it. */
export interface KeyAccount {
  readonly id: number | undefined
  readonly email: string | undefined
}

/** "account 7 (owner@example.com)" */
export const describeAccount = ({ email, id }: KeyAccount): string =>
  id === undefined ? "the account of the API key" : `account ${id}${email === undefined ? "" : ` (${email})`}`

/** The key belongs to another account. */
export const foreign = (
  id: number,
  { userId }: Identity,
  account: KeyAccount,
  { apiKeySource }: Settings
): UserError => {
  if (userId === undefined) {
    return new UserError(
      `instance ${id} is not in ${describeAccount(account)}, and the state does not record its owner. `
        + "Nothing was changed. Use the API key of the account that owns it."
    )
  }
  const other = account.id === undefined
    ? "this host does not show the account of the API key, which has no such instance"
    : `the API key belongs to ${describeAccount(account)}`
  return new UserError(
    `instance ${id} belongs to account ${userId}, but ${other}. ${KEPT} Set ${apiKeySource} to a key of account `
      + `${userId}.`
  )
}

const useService = ({ place }: Identity, { baseUrlSource }: Settings): string =>
  place === undefined ? "" : ` Set ${baseUrlSource} to ${serviceIn(place)}.`

/** The service in the state is another one, which has no such instance. */
export const elsewhere = (id: number, identity: Identity, settings: Settings): UserError =>
  new UserError(
    `instance ${id} is at the service ${serviceIn(identity.place)}, not at ${serviceIn(placeOf(settings))}. `
      + `${KEPT}${useService(identity, settings)}`
  )

/** An instance of the same number. */
export const otherInstance = (instance: Instance, identity: Identity, settings: Settings): UserError => {
  const { created_at: at, id, order_id: order } = instance
  const { createdAt, orderId } = identity
  return new UserError(
    `instance ${id} at ${serviceIn(placeOf(settings))} was bought on ${at} (order ${order}) and is not the one in the `
      + `state, which was bought on ${createdAt} (order ${orderId}). ${KEPT}${useService(identity, settings)}`
  )
}
