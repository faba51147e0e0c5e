/** Sentences that several steps say; each names the server, what happened, what it cost and what to do. */
import type { Instance } from "#contract/Instance"
import { formatAmount } from "../Money.ts"
import type { Properties } from "../Properties.ts"
import { generationOf } from "./Args.ts"

const planOf = (instance: Instance): string => `${instance.order.service_id} (${instance.order.service.name})`

/** Two plans, while there is no resize. */
export const otherPlan = (instance: Instance, wanted: unknown): string =>
  `server ${instance.id} is on plan ${planOf(instance)}, the program asks for plan ${String(wanted)}; this version of `
  + `pulumi-vps can't resize a server. Nothing was charged for the change. `
  + `Set serviceId: ${instance.order.service_id}, or resize it in the panel and run \`pulumi refresh\``

/** Two systems, while there is no reinstall. */
export const otherOs = (id: number, installed: string | undefined, wanted: unknown): string =>
  `server ${id} runs ${installed ?? "another system"}, the program asks for ${String(wanted)}; that needs a reinstall, `
  + "which deletes all data on the disk, and this version of pulumi-vps can't do it. "
  + `Set os: "${installed ?? "..."}"`

export const otherServer = (id: number, wanted: unknown): string =>
  `this resource holds server ${id}; adoptInstanceId: ${String(wanted)} would exchange it for another one. `
  + "Give the other server a resource of its own"

export const refunded = (id: number, inputs: Properties): string =>
  `server ${id} could not be provisioned; the service has refunded the purchase. Set generation: `
  + `${generationOf(inputs) + 1} to buy a new one`

export const vanished = (id: number): string =>
  `server ${id} no longer exists. Run \`pulumi refresh\` to take it out of the state; the next \`pulumi up\` buys `
  + "a new one"

/** What goes on being charged, from what state or the service knows. */
export const contract = (outputs: Properties): string => {
  const { autoRenew, billingCycle, currency, expiresAt, renewalPrice } = outputs
  const price = typeof renewalPrice === "number" ? formatAmount(renewalPrice, text(currency)) : "its price"
  const until = `The service has no call that ends a contract: it is paid until ${String(expiresAt)} (expires_at)`
  return autoRenew === false
    ? `${until} and does not renew itself (auto_renew is off).`
    : `${until} and then renews itself for ${price} ${String(billingCycle)}. `
      + "To end the charges, switch auto_renew off in the panel."
}

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)
