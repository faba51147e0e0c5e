/**
 * The instances in the state of the stack. The engine shows a provider no other resources, so the stack is exported
 * with the `pulumi` command; only where it matters, because that takes a second.
 */
import { explain, sentence } from "../api/Errors.ts"
import { nameOf } from "../definition/Properties.ts"
import type { Instance } from "@pulumi-vps/sdk/client/Records"
import type { HeldInstance, Stacks, StackState } from "../orphans/Orphans.ts"
import { RETRY_WINDOW } from "../waiting/Retry.ts"
import { serviceIn } from "./Identity.ts"
import type { Session } from "./Session.ts"

export const STACKS: Stacks = {
  read: async (stack) => {
    const { readStates } = await import("../orphans/States.ts")
    return (await readStates({ stacks: [stack] }))[0]!
  },
  updatedSince: async (time) => {
    const { stacksUpdatedSince } = await import("../orphans/States.ts")
    return await stacksUpdatedSince(time)
  }
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
  const read = () => session.stacks.read(name)
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

/** Exports at once; each is a process. */
const AT_ONCE = 4

/** The recently updated stacks, this one among them. Exported once per process. */
const recentStates = (session: Session): Promise<ReadonlyArray<StackState>> =>
  session.memoize("states of all stacks", async () => {
    // A purchase of the last day was made by an update of the last day; the other one is for clocks that differ.
    const names = await session.stacks.updatedSince(session.host.now() - 2 * RETRY_WINDOW)
    const left = names.values()
    const states: Array<StackState> = []
    await Promise.all(Array.from({ length: AT_ONCE }, async () => {
      for (const name of left) states.push(await session.stacks.read(name))
    }))
    return states
  })

/**
 * Another stack that holds the instance that this key has bought: one that was renamed keeps it, and a new stack with
 * the old name has the same keys. The number alone proves nothing: another service has the same numbers.
 * @throws UserError when the stacks cannot be listed, or one of them cannot be exported.
 */
export const otherStack = async (
  session: Session,
  urn: string,
  { id, user_id: userId }: Instance,
  key: string
): Promise<HeldInstance | undefined> => {
  const isSame = ({ facts: { __service, purchaseKey }, ...one }: HeldInstance): boolean => {
    if (purchaseKey === key) return true
    const isHere = typeof __service === "string" && serviceIn(__service) === serviceIn(session.place)
    return one.id === id && isHere && (one.user_id ?? userId) === userId
  }
  const held = (await recentStates(session)).flatMap((state) => state.held)
  return held.find((one) => stackOf(one.urn) !== stackOf(urn) && isSame(one))
}

/** "stack prod", with the project of one of another project. */
export const describeStack = (urn: string, own: string): string => {
  const [stack, project] = stackOf(urn).replace("urn:pulumi:", "").split("::")
  return `stack ${stack}${project === own.split("::")[1] ? "" : ` of project ${project}`}`
}

/** For messages, in which the engine shortens the types of URNs: a URN in them could not be copied. */
export const removeFromState = (name: string): string =>
  `run \`pulumi state delete\` with the URN of ${name} (\`pulumi stack --show-urns\` shows it)`
