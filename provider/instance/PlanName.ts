/**
 * The plan by its slug. `check` adds the `serviceId` of a `plan`, so that everything after it, and every policy, reads
 * `serviceId` alone. The id that was found is stored: the same slug means the same plan, even if the plan is no longer
 * sold, and no list is requested for it.
 */
import type { Instance, PublicPlan } from "@pulumi-vps/sdk/client/Records"
import { isoOf, planOf } from "../api/ByName.ts"
import { explain, UserError } from "../api/Errors.ts"
import { isUnknown, nameOf, type Properties, UNKNOWN } from "../definition/Properties.ts"
import type { CheckFailure, CheckResult } from "../definition/Definition.ts"
import type { Session } from "../session/Session.ts"

// The ISO image by its name: the library is listed per instance, so the id is found when the instance is known.

/**
 * The inputs with the `isoId` of an `iso`. Sends no request for the image that `known` has under this name: the outputs
 * of the instance.
 * @throws UserError when the library has no image with this name.
 */
export const withIso = async (
  session: Session,
  id: number,
  { iso: mounted, isoId }: { readonly iso?: unknown; readonly isoId?: unknown },
  inputs: Properties
): Promise<Properties> => {
  const { iso } = inputs
  if (iso === undefined) return inputs
  if (isUnknown(iso)) return { ...inputs, isoId: UNKNOWN }
  if (iso === mounted && typeof isoId === "number") return { ...inputs, isoId }
  try {
    const isos = await session.memoize(`ISOs of ${id}`, () => session.api.isos(id))
    return { ...inputs, isoId: isoOf(String(iso), isos).id }
  } catch (error) {
    throw new UserError(`${nameOf(inputs["__urn"])}: the ISO of instance ${id} was not found: ${explain(error)}`, error)
  }
}

/** The fields of the state for a plan that the program sets by its slug. */
export const planInState = (slug: unknown, serviceId: unknown): Properties => ({ __plan: slug, __planId: serviceId })

/**
 * For `check`: adds the `serviceId`, and runs the other checks with it.
 * `olds` are the inputs in the state; undefined for a new resource.
 */
export const withPlan = async (
  session: Session,
  olds: Properties | undefined,
  inputs: Properties,
  check: (inputs: Properties) => Promise<ReadonlyArray<CheckFailure>>
): Promise<CheckResult> => {
  const { __plan: _, __planId: __, ...given } = inputs
  const { plan } = given
  if (plan === undefined) return { inputs: given, failures: await check(given) }
  if (isUnknown(plan)) {
    const later = { ...given, serviceId: UNKNOWN }
    return { inputs: later, failures: await check(later) }
  }
  try {
    const serviceId = await findPlan(session, String(plan), olds, given)
    const named = { ...given, serviceId, ...planInState(plan, serviceId) }
    const failures = await check(named)
    return {
      inputs: named,
      failures: failures.map((one) => one.property === "serviceId" ? { ...one, property: "plan" } : one)
    }
  } catch (error) {
    if (!(error instanceof UnknownPlanError)) throw error
    return { inputs: given, failures: [{ property: "plan", reason: error.message }] }
  }
}

/**
 * For the calls after `check`: a policy may have changed `plan` or `serviceId` since, and is followed.
 * @throws UserError when there is no plan with this slug.
 */
export const withChangedPlan = async (session: Session, inputs: Properties): Promise<Properties> => {
  const { __plan: slug, __planId: found, plan, serviceId } = inputs
  if (plan === undefined || isUnknown([plan, serviceId]) || (plan === slug && serviceId === found)) return inputs
  if (plan === slug) {
    const { plan: _, __plan: __, __planId: ___, ...rest } = inputs
    return rest
  }
  const id = await findSold(session, String(plan)).catch((error: unknown) => {
    throw error instanceof UnknownPlanError ? new UserError(`${nameOf(inputs["__urn"])}: ${error.message}.`) : error
  })
  return { ...inputs, serviceId: id, ...planInState(plan, id) }
}

class UnknownPlanError extends UserError {}

const findPlan = async (
  session: Session,
  slug: string,
  olds: Properties | undefined,
  inputs: Properties
): Promise<number> => {
  const found = olds?.["__plan"] === slug ? olds["__planId"] : undefined
  if (typeof found === "number") return found
  return await findBought(session, slug, olds, inputs) ?? await findSold(session, slug)
}

/** The plan of the instance that the resource has, or continues with: its slug may be in no list any more. */
const findBought = async (
  session: Session,
  slug: string,
  olds: Properties | undefined,
  inputs: Properties
): Promise<number | undefined> => {
  const isNamed = ({ order }: Instance): boolean => order.service.slug === slug
  // Without a list, the plan is one of those that are sold.
  const listed = await session.instanceList.all().catch(() => new Map<number, Instance>())
  if (olds !== undefined) {
    const { serviceId } = olds
    const instance = [...listed.values()].find((one) => isNamed(one) && one.order.service_id === serviceId)
    return instance?.order.service_id
  }
  const { __purchaseKey, adoptInstanceId } = inputs
  const instance = adoptInstanceId === undefined
    ? await session.purchases.find(String(__purchaseKey)).catch(() => undefined)
    : listed.get(Number(adoptInstanceId))
  return instance !== undefined && isNamed(instance) ? instance.order.service_id : undefined
}

const findSold = async (session: Session, slug: string): Promise<number> => {
  const plans = await session.memoize("plans", () => session.api.services())
    .catch((error: unknown): ReadonlyArray<PublicPlan> => {
      throw new UnknownPlanError(
        `the list of plans, which has the plan ${JSON.stringify(slug)}, is not available: ${explain(error)}`
      )
    })
  try {
    return planOf(slug, plans).id
  } catch (error) {
    throw new UnknownPlanError(explain(error))
  }
}
