/** What the resources have in common that belong to an Instance and stand or fall with it. */
import type { Definition, Input, ValueType } from "../definition/Definition.ts"
import { parseDuration } from "../definition/Duration.ts"
import { validateInputs } from "../definition/Validation.ts"
import type { CheckResult } from "../definition/Validation.ts"
import type { Difference } from "../session/Lifecycle.ts"
import { type Deadline, deadlineIn } from "../waiting/Retry.ts"
import { statusOf, UserError } from "../api/Errors.ts"
import { isUnknown, nameOf, present, type Properties, same, TIMEOUT } from "../definition/Properties.ts"
import type { Session } from "../session/Session.ts"

/** ms; a server that is still being deployed refuses everything, and deploying takes minutes. */
const DEFAULT_TIMEOUT = 600_000

const DIGITS = /^[1-9]\d*$/

const INSTANCE_ID: ValueType = {
  text: "id of an Instance",
  schema: { type: "string" },
  problem: (value) =>
    typeof value === "string" && DIGITS.test(value) ? undefined : "must be the id of an Instance, such as instance.id"
}

/** The input that ties a resource to its instance. */
export const instanceIdInput = (description: string): Input => ({
  type: INSTANCE_ID,
  description,
  required: "the id of an Instance, such as instance.id",
  change: "replaced"
})

/** Every attached resource has these inputs, whatever else it has. */
export interface AttachedInputs {
  /** Digits. */
  readonly instanceId: string
  readonly timeouts?: Readonly<Record<string, string>>
  /** The resource's URN with its type written `vps:index:<name>`. */
  readonly __urn: string
  readonly [TIMEOUT]?: number
}

/** An id may be given as a number; it is kept as text, as the engine keeps ids. */
const normalized = (inputs: Properties): Properties =>
  typeof inputs["instanceId"] === "number" ? { ...inputs, instanceId: String(inputs["instanceId"]) } : inputs

/**
 * Remembers, in `diff`, that the state goes on holding it. In the refresh before a destroy nobody has planned it: what
 * is deleted then is not kept.
 */
export const retainPlanned = (session: Session, id: string, news: Properties): void => {
  const urn = String(news["__urn"])
  if (session.plannedUrns.has(urn)) session.retain(id, urn)
}

/**
 * The form of the inputs, and a warning when the key can't make such a resource; `claims` names what no two resources
 * of a program may both have.
 */
export const checkAttached = async (
  session: Session,
  definition: Definition,
  olds: Properties | undefined,
  news: Properties,
  claims?: (inputs: Properties) => { readonly thing: ReadonlyArray<unknown>; readonly words: string }
): Promise<CheckResult> => {
  const inputs = present(normalized(news))
  session.plannedUrns.add(String(inputs["__urn"]))
  if (olds === undefined) await session.preflight("vps:write", `a ${definition.name}`)
  const failures = validateInputs(definition, inputs)
  if (claims === undefined || failures.length > 0) return { inputs, failures }
  const { thing, words } = claims(inputs)
  // What is not known in the preview is claimed in the update.
  if (isUnknown(thing)) return { inputs, failures }
  const other = session.claim(JSON.stringify([definition.name, ...thing]), String(inputs["__urn"]))
  if (other === undefined) return { inputs, failures }
  const reason = `${nameOf(other)} of this program has ${words} already; two resources can't share it`
  return { inputs, failures: [{ property: "", reason }] }
}

/** An unknown value counts as unchanged: the id of an instance in an update must not look like another one. */
export const diffAttached = ({ inputs }: Definition, olds: Properties, news: Properties): Difference => {
  const before = present(normalized(olds))
  const given = present(normalized(news))
  const changed = Object.keys(inputs).filter((name) => !isUnknown(given[name]) && !same(before[name], given[name]))
  return { changed, replaces: changed.filter((name) => inputs[name]?.change === "replaced") }
}

/** The inputs that would lead to these outputs: what `read` answers. */
export const inputsOf = ({ inputs }: Definition, outputs: Properties): Properties =>
  present({
    ...Object.fromEntries(Object.keys(inputs).map((name) => [name, outputs[name]])),
    __urn: outputs["__urn"]
  })

/** The account that owns the instance, as state holds it: a later 404 is judged by it. */
export const ownerInState = (outputs: Properties): number | undefined =>
  typeof outputs["userId"] === "number" ? outputs["userId"] : undefined

/**
 * The account that owns the instance.
 * @throws UserError when there is no such instance; `undone` says what was therefore not done.
 */
export const observeOwner = async (
  session: Session,
  { __urn, instanceId }: AttachedInputs,
  undone: string
): Promise<number> => {
  try {
    return (await session.api.get(Number(instanceId))).user_id
  } catch (error) {
    if (statusOf(error) !== 404) throw error
    const { account_id, email } = await session.account()
    throw new UserError(
      `${nameOf(__urn)}: there is no server ${instanceId} in account ${account_id} (${email}); ${undone}.`
    )
  }
}

/** The instance of a resource in state; undefined when it is proved to be gone, and with it all that belonged to it. */
export const observeParent = (session: Session, outputs: Properties): ReturnType<Session["observe"]> =>
  session.observe(Number(outputs["instanceId"]), ownerInState(outputs))

/** The same for a refresh, which asks for all instances at once. */
export const observeParentListed = (session: Session, outputs: Properties): ReturnType<Session["observe"]> =>
  session.observeListed(Number(outputs["instanceId"]), ownerInState(outputs))

/** The end of a phase that begins now. */
export const deadlineOf = (session: Session, inputs: AttachedInputs, phase: string): Deadline => {
  const given = inputs.timeouts?.[phase]
  return deadlineIn(
    session,
    inputs[TIMEOUT] ?? (given === undefined ? undefined : parseDuration(given)) ?? DEFAULT_TIMEOUT
  )
}
