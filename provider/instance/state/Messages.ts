/** Sentences that several steps say; each names the server, what happened, what it cost and what to do. */
import type { Instance } from "#contract/Instance"
import { formatAmount } from "../../purchase/Money.ts"
import type { Properties } from "../../definition/Properties.ts"
import { generationOf } from "../Definition.ts"

export const describePlan = ({ order }: Instance): string => `${order.service_id} (${order.service.name})`

/** Taking a server over changes neither its plan nor its disk: a wrong number must not cost money or data. */
export const adoptionMismatch = (instance: Instance, what: "plan" | "system", is: unknown, wanted: unknown): string => {
  const [now, input] = what === "plan"
    ? [`is on plan ${describePlan(instance)}`, `serviceId: ${String(is)}`]
    : [`runs ${String(is)}`, `os: "${String(is)}"`]
  return `server ${instance.id} ${now}, the program asks for ${what === "plan" ? "plan " : ""}${
    String(wanted)
  }. It was `
    + `not taken over: that is only done as it is. Give it ${input}, and change that in a later update`
}

export interface Reinstall {
  readonly id: number
  /** What the server is reached by, as far as known. */
  readonly hostname: unknown
  readonly ipv4: unknown
  /** undefined: the triggers ask for it. */
  readonly from: unknown
  readonly to: unknown
}

/** What would be lost, and the two ways on. */
export const dataLoss = ({ from, hostname, id, ipv4, to }: Reinstall): string => {
  const names = [hostname, ipv4].filter((name) => typeof name === "string").join(", ")
  const cause = from === undefined
    ? "changing reinstallTriggers reinstalls"
    : `changing os from ${String(from)} to ${String(to)} reinstalls`
  const instead = from === undefined ? "put the reinstallTriggers back" : `os: "${String(from)}"`
  return `${cause} server ${id}${names === "" ? "" : ` (${names})`}, and everything on its disk is lost. `
    + `Set allowDataLoss: true to have that done (snapshotBefore takes a snapshot first), or ${instead} to keep it`
}

export const adoptedIdChanged = (id: number, wanted: unknown): string =>
  `this resource holds server ${id}; adoptInstanceId: ${String(wanted)} would exchange it for another one. `
  + "Give the other server a resource of its own"

export const refunded = (id: number, inputs: Properties): string =>
  `server ${id} could not be provisioned; the service has refunded the purchase. Set generation: `
  + `${generationOf(inputs) + 1} to buy a new one`

export const notFound = (id: number): string =>
  `server ${id} no longer exists. Run \`pulumi refresh\` to take it out of the state; the next \`pulumi up\` buys `
  + "a new one"

/** What goes on being charged, from what state or the service knows. */
export const continuingCharges = (outputs: Properties): string => {
  const { autoRenew, billingCycle, currency, expiresAt, renewalPrice } = outputs
  const price = typeof renewalPrice === "number" ? formatAmount(renewalPrice, text(currency)) : "its price"
  const until = `The service has no call that ends a contract: it is paid until ${String(expiresAt)} (expires_at)`
  return autoRenew === false
    ? `${until} and does not renew itself (auto_renew is off).`
    : `${until} and then renews itself for ${price} ${String(billingCycle)}. `
      + "To end the charges, switch auto_renew off in the panel."
}

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)
