/**
 * Recognizes an instance that was renamed in a Pulumi program, or moved into a component, without the option `aliases`:
 * the engine would buy another instance and delete the first one. Other hosts export no stack, and see none of this.
 */
import { explain, isEnded, sentence } from "../api/Errors.ts"
import { isUnknown, nameOf } from "../definition/Properties.ts"
import type { Instance } from "@pulumi-vps/sdk/client/Records"
import type { HeldInstance } from "../orphans/Orphans.ts"
import { installedDetails, orderedDetails, sameHostname } from "../purchase/InstanceDetails.ts"
import type { Session } from "../session/Session.ts"
import { describeStack, heldInstances, otherInState, otherStack, removeFromState } from "../session/Stack.ts"
import type { InstanceInputs } from "./Definition.ts"
import { buyAnother } from "./state/Messages.ts"

/** The types of the components around a resource, in its URN. */
const componentsOf = (urn: string): string => {
  const [, , types = ""] = urn.split("::")
  return types.slice(0, types.lastIndexOf("$") + 1)
}

/**
 * The option that makes a resource the one of another URN. Without the type, which differs between the hosts, and
 * without URNs, in which the engine shortens types.
 */
const alias = (old: string, now: string): string => {
  const name = JSON.stringify(nameOf(old))
  const [before, after] = [componentsOf(old), componentsOf(now)]
  if (before === after) return `aliases: [{ name: ${name} }]`
  const parent = before === "" ? "pulumi.rootStackResource" : `<the component of ${nameOf(old)}>`
  return `aliases: [{ name: ${name}, parent: ${parent} }]`
}

/**
 * Warns, in `check`, when the purchase has the host name of an instance that the stack holds and that the program has
 * not registered so far. Sends no request of its own: the list is that of earlier purchases.
 */
export const warnOfRename = async (session: Session, { __urn: urn, hostname }: InstanceInputs): Promise<void> => {
  if (hostname === undefined || isUnknown(hostname)) return
  const listed = [...(await session.instanceList.all().catch(() => new Map())).values()]
  const twins = listed.filter((one) =>
    !isEnded(one.status) && session.retainedBy(String(one.id)) === undefined
    && sameHostname(hostname, installedDetails(one).hostname ?? orderedDetails(one).hostname)
  )
  if (twins.length === 0) return
  // Without the state, the instance may as well belong to another stack: there is nothing to warn of.
  const held = await heldInstances(session, urn, twins[0]!.user_id).catch((): ReadonlyArray<HeldInstance> => [])
  for (const { id } of twins) {
    const old = held.find((one) => one.id === id && one.urn !== urn)
    if (old === undefined) continue
    const [name, before] = [nameOf(urn), nameOf(old.urn)]
    session.host.warn(
      `${name}: instance ${id} has the same host name, and unless the program still has ${before}, it is about to be `
        + `deleted by this update, after ${name} has bought another instance. If ${before} was renamed to ${name}, or `
        + `moved into a component, add this option to ${name}: ${alias(old.urn, urn)}`
    )
  }
}

/**
 * The reason why an earlier purchase is not continued: after `pulumi state rename`, another resource has the instance,
 * and with --target the stack would have it twice.
 */
export const refusedHolder = async (
  session: Session,
  instance: Instance,
  inputs: InstanceInputs
): Promise<string | undefined> => {
  const { id, user_id: userId } = instance
  const { __urn: urn } = inputs
  const instead = "`pulumi stack --show-ids` shows it; two resources must never manage one instance."
  const holder = await otherInState(session, urn, { id, userId }, instead)
  if (holder === undefined) return await refusedStack(session, instance, inputs)
  const [name, other] = [nameOf(urn), nameOf(holder.urn)]
  return `instance ${id}, which this name bought, is managed by ${other} in the state of this stack. If ${other} was `
    + `renamed to ${name}, add this option to ${name}: ${alias(holder.urn, urn)}. Otherwise: `
    + `${buyAnother(session.words, { ...inputs })}. Nothing was charged`
}

/**
 * The reason in other stacks: after `pulumi stack rename`, a new stack with the old name has the same purchase keys.
 * The states prove it, so the refusal does not depend on who reads a warning. Where they are not available, the warning
 * before the purchase has to do, except where it stops nothing.
 */
const refusedStack = async (
  session: Session,
  instance: Instance,
  inputs: InstanceInputs
): Promise<string | undefined> => {
  const { __purchaseKey: key, __urn: urn } = inputs
  const { settings, words } = session
  const bought = `instance ${instance.id}, which this name bought on ${instance.created_at}`
  try {
    const holder = await otherStack(session, urn, instance, key)
    if (holder === undefined) return undefined
    const stack = describeStack(holder.urn, urn)
    return `${bought}, is managed by ${nameOf(holder.urn)} of ${stack}. Two stacks must never manage one instance. Set `
      + `another ${words.setting("idempotencyScope")} in this stack to buy another one, or, to have instance `
      + `${instance.id} in this stack, ${removeFromState(nameOf(holder.urn))} in ${stack}. Nothing was charged`
  } catch (error) {
    if (!settings.isUnattended) return undefined
    return `whether another stack manages ${bought}, is not known: ${sentence(explain(error))} In continuous `
      + `integration, nothing is taken unseen. Put the \`pulumi\` command on PATH, or set ${
        words.assign("adoptInstanceId", instance.id)
      } to continue with it, or another ${words.setting("idempotencyScope")} to buy another one. Nothing was charged`
  }
}

/** For the refusal to delete an instance: what to do if another resource of the program was it before. */
export const renameAdvice = async (session: Session, urn: string, id: number, userId: number): Promise<string> => {
  const held = await heldInstances(session, urn, userId, true).catch((): ReadonlyArray<HeldInstance> => [])
  const old = held.find((one) => one.id === id)
  const other = old &&
    held.find((one) => one.id !== id && session.retainedBy(String(one.id)) !== undefined && haveSameName(one, old))
  if (old === undefined || other === undefined) return ""
  const [name, before] = [nameOf(other.urn), nameOf(old.urn)]
  return `\n${name} (instance ${other.id}) has the same host name. If ${before} was renamed to ${name}, or moved into `
    + `a component, and should keep instance ${id}: ${removeFromState(name)}, and add this option to ${name}: ${
      alias(old.urn, other.urn)
    }. Instance ${other.id} stays in the account and is paid for.`
}

const haveSameName = (one: HeldInstance, other: HeldInstance): boolean => {
  const [left, right] = [one.facts["hostname"], other.facts["hostname"]]
  return typeof left === "string" && typeof right === "string" && sameHostname(left, right)
}
