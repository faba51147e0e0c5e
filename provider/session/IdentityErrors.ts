/** The errors of a state that belongs to another account or service; nothing is changed, here or there. */
import type { Whoami } from "#contract/Account"
import type { Instance } from "#sdk/client/Records"
import { UserError } from "../api/Errors.ts"
import type { Settings } from "../Config.ts"
import { type Identity, placeOf, serviceIn } from "./Identity.ts"

const KEPT = "Nothing was changed, and it stays in the state."

/** The key belongs to another account. */
export const foreign = (
  id: number,
  { userId }: Identity,
  { account_id: account, email }: Whoami,
  { apiKeySource }: Settings
): UserError =>
  new UserError(
    userId === undefined
      ? `instance ${id} is not in account ${account} (${email}), and the state does not record its owner. `
        + "Nothing was changed. Use the API key of the account that owns it."
      : `instance ${id} belongs to account ${userId}, but the API key belongs to account ${account} (${email}). `
        + `${KEPT} Set ${apiKeySource} to a key of account ${userId}.`
  )

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
