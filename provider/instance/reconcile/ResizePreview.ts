/** The charge and the feasibility of a resize, requested once per instance in a process. */
import type { AvailablePlan } from "#sdk/client/Records"
import { explain, statusOf, UserError } from "../../api/Errors.ts"
import { isSettled } from "../../api/InstanceStatus.ts"
import type { CheckFailure } from "../../definition/Validation.ts"
import type { Session } from "../../session/Session.ts"
import { describePlan } from "../state/Messages.ts"
import type { Work } from "./Work.ts"

export interface WantedResize {
  readonly name: string
  readonly id: number
  /** Number and name of the current plan. */
  readonly from: string
  readonly serviceId: number
  readonly maxCharge: number | undefined
}

const keyOf = ({ id, serviceId }: Pick<WantedResize, "id" | "serviceId">): string => `resize:${id}:${serviceId}`

/** Approves a resize in a preview, with all other charges of the update, and shows its charge. */
export const previewResize = (session: Session, wanted: WantedResize): Promise<ReadonlyArray<CheckFailure>> =>
  session.memoize(`${keyOf(wanted)}:${wanted.maxCharge}`, () => approveResize(session, wanted))

const approveResize = async (session: Session, wanted: WantedResize): Promise<ReadonlyArray<CheckFailure>> => {
  const { id, name, serviceId } = wanted
  try {
    const plans = await session.api.availablePlans(id)
    if (plans.length === 0 && await isUnsettled(session, wanted)) return []
    const plan = plans.find((one) => one.id === serviceId)
    const failures = plan === undefined
      ? [{ property: "serviceId", reason: notAvailable(wanted, plans) }]
      : await previewCharge(session, wanted, plan)
    return failures.length > 0 && await isPaid(session, wanted) ? [] : failures
  } catch (error) {
    const reason = `the charge for resizing instance ${id} to plan ${serviceId} is not available: ${explain(error)}`
    if (![403, 429].includes(statusOf(error) ?? 0)) return [{ property: "serviceId", reason }]
    session.host.warn(`${name}: ${reason}`)
    return []
  }
}

/** True when the instance allows no resize yet, so that the service lists no plans; the update waits, and checks it. */
const isUnsettled = async (session: Session, { id, name, serviceId }: WantedResize): Promise<boolean> => {
  const { status } = await session.api.get(id)
  if (isSettled(status)) return false
  session.host.warn(
    `${name}: the charge for resizing instance ${id} to plan ${serviceId} is not available while it is ${status}; the `
      + "update checks it before the resize"
  )
  return true
}

const previewCharge = (
  session: Session,
  wanted: WantedResize,
  plan: AvailablePlan
): Promise<ReadonlyArray<CheckFailure>> => {
  const { from, id, name, serviceId } = wanted
  const action = `resizing instance ${id} from plan ${from} to ${serviceId} (${plan.name})`
  if (plan.direction === "downgrade") {
    session.host.warn(
      `${name}: ${action} is a downgrade: nothing is charged, and the rest of the period is not refunded`
    )
  }
  const { charge_amount: charge, currency } = plan
  return session.wallet.planResize({ ...wanted, key: keyOf(wanted), action, charge, currency })
}

/** True when an earlier run of this update has paid for it and was cut off: then no limit applies. */
const isPaid = async (session: Session, { id, name, serviceId }: WantedResize): Promise<boolean> => {
  const { order, status } = await session.api.get(id)
  const paid = order.service_id === serviceId || status === "resizing"
  if (paid) session.host.info(`${name}: instance ${id} is already resized or being resized; continuing from there`)
  return paid
}

const notAvailable = ({ from, id, serviceId }: WantedResize, plans: ReadonlyArray<AvailablePlan>): string => {
  const choice = plans.length === 0 ? "none" : plans.map((plan) => `${plan.id} (${plan.name})`).join(", ")
  return `instance ${id} is on plan ${from} and cannot be resized to plan ${serviceId}. Available plans in its data `
    + `center: ${choice}. For another data center, use another resource`
}

/**
 * The last check before a resize, like the wallet's before a purchase.
 * @throws UserError when the charge exceeds a limit, or is unknown while a limit is set.
 */
export const guardResize = async (session: Session, work: Work, serviceId: number): Promise<void> => {
  const { id } = work.instance
  const { maxCharge } = work.inputs
  const key = keyOf({ id, serviceId })
  const planned = { key, serviceId, maxCharge }
  if (session.wallet.hasPlanned(planned)) return
  const wanted = { name: work.name, id, from: describePlan(work.instance), serviceId, maxCharge }
  const reasons = (await approveResize(session, wanted)).map((failure) => failure.reason)
  if (reasons.length === 0 && session.wallet.isLimited(maxCharge) && !session.wallet.hasPlanned(planned)) {
    reasons.push("the charge could not be checked against the limit")
  }
  if (reasons.length > 0) throw new UserError(`${reasons.join("; ")}. Nothing was charged`)
}
