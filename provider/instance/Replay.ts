/** Decides whether an earlier purchase under the same name can be continued. */
import type { Instance } from "#sdk/client/Records"
import { nameOf } from "../definition/Properties.ts"
import { oneOfFleet } from "../purchase/Messages.ts"
import type { Session } from "../session/Session.ts"
import { otherInState } from "../session/Stack.ts"
import { RETRY_WINDOW } from "../waiting/Retry.ts"
import { generationOf, type InstanceInputs } from "./Definition.ts"
import { alias } from "./Rename.ts"
import { buyAnother, refunded } from "./state/Messages.ts"

/** The reason why the instance that this name bought before cannot be continued; undefined when it can. */
export const refusedReplay = async (
  session: Session,
  instance: Instance,
  inputs: InstanceInputs
): Promise<string | undefined> => {
  const { created_at: bought, id, status } = instance
  const properties = { ...inputs }
  const [name, next] = [nameOf(inputs.__urn), generationOf(properties) + 1]
  if (status === "failed") return refunded(id, properties)
  if (status === "deleted") {
    return `this name bought instance ${id} on ${bought}, which was deleted since. ${buyAnother(properties)}`
      + oneOfFleet(name, next)
  }
  const isRecent = session.host.now() - Date.parse(bought) <= RETRY_WINDOW
  if (isRecent) return await refusedHolder(session, instance, inputs)
  if (session.keysInState.get(inputs.__urn) === inputs.__purchaseKey) {
    return `no changed input replaces instance ${id}, bought on ${bought}, but the resource is tainted, or --replace `
      + "or the option replaceOnChanges names it. An instance is changed, never replaced. Run `pulumi state untaint` "
      + `with its URN, or remove the option. ${buyAnother(properties)}. Nothing was charged`
  }
  return `this name already bought instance ${id} on ${bought}. Set adoptInstanceId: ${id} to adopt it, or generation: `
    + `${next} to buy another one${oneOfFleet(name, next)}. Nothing was charged`
}

/** After `pulumi state rename`, another resource has the instance: with --target, the stack would have it twice. */
const refusedHolder = async (
  session: Session,
  { id, user_id: userId }: Instance,
  inputs: InstanceInputs
): Promise<string | undefined> => {
  const { __urn: urn } = inputs
  const instead = "`pulumi stack --show-ids` shows it; two resources must never manage one instance."
  const holder = await otherInState(session, urn, { id, userId }, instead)
  if (holder === undefined) return undefined
  const [name, other] = [nameOf(urn), nameOf(holder.urn)]
  return `instance ${id}, which this name bought, is managed by ${other} in the state of this stack. If ${other} was `
    + `renamed to ${name}, add this option to ${name}: ${alias(holder.urn, urn)}. Otherwise: `
    + `${buyAnother({ ...inputs })}. Nothing was charged`
}
