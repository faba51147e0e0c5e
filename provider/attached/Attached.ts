/** The common logic of the resources that belong to an Instance. */
import { type CheckResult, type Definition, validateInputs } from "../definition/Definition.ts"
import { isUnknown, nameOf, present, type Properties, same, type TIMEOUT } from "../definition/Properties.ts"
import { isOther, otherInstance, parentIdentity, parentOutputs } from "../session/Identity.ts"
import type { Difference, ReadResult } from "../session/Lifecycle.ts"
import type { Session } from "../session/Session.ts"
import { type Deadline, deadlineIn, timeoutOf } from "../waiting/Retry.ts"
import { explain, isEnded, sentence, UserError } from "../api/Errors.ts"
import type { Instance } from "@pulumi-vps/sdk/client/Records"
import { choices, deletionPolicyFor } from "../instance/Delete.ts"
import type { HeldInstance } from "../orphans/Orphans.ts"
import { heldInstances } from "../session/Stack.ts"

// Refuses to delete what belongs to an instance in a run in which the instance itself refuses: the engine deletes
// attached resources first, and only the option `deletedWith` prevents that, which programs in most languages lack.

/**
 * `outputs` are those of the attached resource, `what` names it. A run that keeps the instance has compared it in
 * `diff`; a resource that is replaced went through `check`.
 * @throws UserError when the stack holds the instance and its policy is `fail`, or when that is not known.
 */
export const assertInstanceLetsGo = async (
  session: Session,
  outputs: Properties,
  instance: Instance,
  what: string
): Promise<void> => {
  const urn = String(outputs["__urn"])
  const { id } = instance
  const isReplaced = session.plannedUrns.has(urn) || session.acceptedPolicies.has(id)
  if (isReplaced || session.retainedBy(String(id)) !== undefined || isEnded(instance.status)) return
  if (![undefined, "fail"].includes(session.settings.deletionPolicyNow)) return
  const held = await heldInstances(session, urn, instance.user_id).catch((error: unknown) => {
    throw new UserError(
      `${nameOf(urn)}: ${what} was not deleted: whether instance ${id} is destroyed with it is not known: `
        + `${
          sentence(explain(error))
        } Put the \`pulumi\` command on PATH, or set VPS_DELETION_POLICY to stop or forget.`
    )
  })
  const holder = held.find((one) => one.id === id)
  if (holder !== undefined && isRefused(session, holder)) {
    throw new UserError(
      `${nameOf(urn)}: ${what} was not deleted, because the deletion policy of ${
        nameOf(holder.urn)
      } is "fail": instance `
        + `${id} is not destroyed, and keeps what belongs to it.\n${choices(session.words)}\nTo delete ${
          nameOf(urn)
        } alone `
        + "with --target, set VPS_DELETION_POLICY=forget: the instance is not affected."
    )
  }
}

const isRefused = (session: Session, { facts }: HeldInstance): boolean =>
  deletionPolicyFor(session, facts, facts) === "fail"

/** The inputs of every attached resource. */
export interface AttachedInputs {
  /** Digits. */
  readonly instanceId: string
  readonly timeouts?: Readonly<Record<string, string>>
  /** The resource's URN with its type written `vps:index:<name>`. */
  readonly __urn: string
  readonly [TIMEOUT]?: number
}

/**
 * The difference, in `diff`. A resource that it does not replace stays in the state; the refresh before a destroy runs
 * without `check`, and must not retain what is deleted then.
 * @throws UserError when the instance is at another service or in another account.
 */
export const diffPlanned = async (
  session: Session,
  definition: Definition,
  id: string,
  olds: Properties,
  news: Properties
): Promise<Difference> => {
  const difference = diffAttached(definition, olds, news)
  const urn = String(news["__urn"])
  if (!session.plannedUrns.has(urn)) return difference
  await assertParentReachable(session, olds)
  if (difference.replaces.length === 0) session.retain(id, urn)
  return difference
}

/** @throws UserError when the instance of a resource in the state is at another service or in another account. */
export const assertParentReachable = (session: Session, outputs: Properties): Promise<void> =>
  session.assertReachable(Number(outputs["instanceId"]), parentIdentity(outputs))

/**
 * Validates the inputs, and warns when the key cannot create such a resource. `claims` returns what no two resources of
 * a program may share.
 */
export const checkAttached = async (
  session: Session,
  definition: Definition,
  olds: Properties | undefined,
  news: Properties,
  claims?: (inputs: Properties) => { readonly identity: ReadonlyArray<unknown>; readonly description: string }
): Promise<CheckResult> => {
  const { instanceId } = news
  // A number in the program; the state has it as a string, as the engine stores ids.
  const inputs = present(typeof instanceId === "number" ? { ...news, instanceId: String(instanceId) } : news)
  session.plannedUrns.add(String(inputs["__urn"]))
  if (olds === undefined) await session.preflight("vps:write", `a ${definition.name}`)
  const failures = validateInputs(definition, inputs, session.words)
  if (claims === undefined || failures.length > 0) return { inputs, failures }
  const { description, identity } = claims(inputs)
  // Unknown values are claimed in the update.
  if (isUnknown(identity)) return { inputs, failures }
  const other = session.claim(JSON.stringify([definition.name, ...identity]), String(inputs["__urn"]))
  if (other === undefined) return { inputs, failures }
  const reason = `${
    nameOf(other)
  } in this ${session.words.program} already has ${description}; two resources cannot share it`
  return { inputs, failures: [{ property: "", reason }] }
}

/**
 * An unknown value counts as unchanged, except for an unknown `instanceId`: the engine knows the id of every instance
 * that an update does not replace, so it will be another one.
 */
export const diffAttached = ({ inputs }: Definition, olds: Properties, news: Properties): Difference => {
  const [before, after] = [present(olds), present(news)]
  const changed = Object.entries(inputs).filter(([name, { type: { canonical } }]) => {
    const [is, wanted] = [before[name], after[name]]
    if (isUnknown(wanted)) return name === "instanceId"
    const compared = is !== undefined && wanted !== undefined && canonical !== undefined
    return compared ? canonical(is) !== canonical(wanted) : !same(is, wanted)
  }).map(([name]) => name)
  return { changed, replaces: changed.filter((name) => inputs[name]?.change === "replaced") }
}

/** The inputs that would lead to these outputs, for `read`. */
export const inputsOf = ({ inputs }: Definition, outputs: Properties): Properties =>
  present({
    ...Object.fromEntries(Object.keys(inputs).map((name) => [name, outputs[name]])),
    __urn: outputs["__urn"]
  })

/**
 * The outputs that identify the instance.
 * @throws UserError when there is no such instance; `consequence` says what was not done.
 */
export const identifyParent = async (
  session: Session,
  { __urn, instanceId }: AttachedInputs,
  consequence: string
): Promise<Properties> => {
  const id = Number(instanceId)
  const instance = await session.api.get(id)
    .catch((error: unknown) => session.failNotFound(error, nameOf(__urn), instanceId, `; ${consequence}.`))
  const known = session.identities.get(id)
  if (known !== undefined && isOther(instance, known)) throw otherInstance(instance, known, session.settings)
  return parentOutputs(instance, session.place)
}

/** The instance of a resource in the state; undefined when it is proved to be gone, with everything on it. */
export const observeParent = (session: Session, outputs: Properties): ReturnType<Session["observe"]> =>
  session.observe(Number(outputs["instanceId"]), parentIdentity(outputs))

/** The same for a refresh, which lists all instances at once. */
export const observeParentListed = (session: Session, outputs: Properties): ReturnType<Session["observe"]> =>
  session.observeListed(Number(outputs["instanceId"]), parentIdentity(outputs))

/** Refreshes a resource of which the API shows nothing: it exists as long as its instance. */
export const readAttached = async (
  session: Session,
  definition: Definition,
  outputs: Properties
): Promise<ReadResult | undefined> => {
  const instance = await observeParentListed(session, outputs)
  if (instance === undefined) return undefined
  const observed = { ...outputs, ...parentOutputs(instance, session.place) }
  return { outputs: observed, inputs: inputsOf(definition, observed) }
}

/** The deadline of a phase that begins now. */
export const deadlineOf = (session: Session, inputs: AttachedInputs, phase: string): Deadline =>
  deadlineIn(session, timeoutOf({ ...inputs }, phase))
