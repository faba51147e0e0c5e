/**
 * The instances in the state of the stack. The engine shows a provider no other resources, so the stack is exported
 * with the `pulumi` command; only where it matters, because that takes a second.
 */
import { explain, sentence } from "../api/Errors.ts"
import { nameOf } from "../definition/Properties.ts"
import type { HeldInstance, ReadStack } from "../orphans/Orphans.ts"
import type { Session } from "./Session.ts"

export const exportStack: ReadStack = async (stack) => {
  const { readStates } = await import("../orphans/States.ts")
  return (await readStates({ stacks: [stack] }))[0]!
}

/** "urn:pulumi:<stack>::<project>" */
const stackOf = (urn: string): string => urn.split("::", 2).join("::")

/** A URN with the type that both hosts have, by which they name a resource: see `PurchaseHistory.ts`. */
const commonUrn = (urn: string): string => urn.replace("pulumi-nodejs:dynamic/vps:", "vps:index:")

/**
 * The instances that the stack of this resource holds; `userId`: the account of those whose owner the state lacks.
 * Exported once per process, unless `now`: after a purchase of the same run.
 * @throws UserError when the stack cannot be exported.
 */
export const heldInstances = async (
  session: Session,
  urn: string,
  userId: unknown,
  now = false
): Promise<ReadonlyArray<HeldInstance>> => {
  const stack = stackOf(urn)
  const name = stack.slice(stack.lastIndexOf(":", stack.indexOf("::") - 1) + 1, stack.indexOf("::"))
  const read = () => session.readStack(name)
  const { held } = await (now ? read() : session.memoize("state of the stack", read))
  return held.filter((one) => (one.user_id ?? userId) === userId && stackOf(one.urn) === stack)
    .map((one) => ({ ...one, urn: commonUrn(one.urn) }))
}

/**
 * Another resource in the state of the stack that has this instance. Where the stack cannot be exported, it warns once,
 * and `instead` says how to find out.
 */
export const otherInState = async (
  session: Session,
  urn: string,
  instance: { readonly id: number; readonly userId: unknown },
  instead: string
): Promise<HeldInstance | undefined> => {
  const { id, userId } = instance
  const held = await heldInstances(session, urn, userId).catch((error: unknown): ReadonlyArray<HeldInstance> => {
    const line = `${nameOf(urn)}: whether another resource of the stack manages instance ${id} is not known: `
      + `${sentence(explain(error))} ${instead}`
    if (session.isFirst(line)) session.host.warn(line)
    return []
  })
  return held.find((one) => one.id === id && one.urn !== urn)
}

/** For messages, in which the engine shortens the types of URNs: a URN in them could not be copied. */
export const removeFromState = (name: string): string =>
  `run \`pulumi state delete\` with the URN of ${name} (\`pulumi stack --show-urns\` shows it)`
