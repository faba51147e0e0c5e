/** What a resize would charge, and whether it can be done at all: asked once per server in a process. */
import type { AvailablePlan } from "#contract/Services"
import type { CheckFailure } from "../../definition/Validation.ts"
import { explain, statusOf, UserError } from "../../api/Errors.ts"
import type { Session } from "../../session/Session.ts"
import { describePlan } from "../state/Messages.ts"
import type { Work } from "./Work.ts"

export interface WantedResize {
  readonly name: string
  readonly id: number
  /** Number and name of the plan that it is on. */
  readonly from: string
  readonly serviceId: number
  readonly maxCharge: number | undefined
}

const keyOf = ({ id, serviceId }: Pick<WantedResize, "id" | "serviceId">): string => `resize:${id}:${serviceId}`

/** Judges a resize that a preview found, with all other charges of the update; tells the user what it costs. */
export const previewResize = (session: Session, wanted: WantedResize): Promise<ReadonlyArray<CheckFailure>> =>
  session.memoize(`${keyOf(wanted)}:${wanted.maxCharge}`, () => judge(session, wanted))

const judge = async (session: Session, wanted: WantedResize): Promise<ReadonlyArray<CheckFailure>> => {
  const { id, name, serviceId } = wanted
  try {
    const plans = await session.api.availablePlans(id)
    const plan = plans.find((one) => one.id === serviceId)
    const failures = plan === undefined
      ? [{ property: "serviceId", reason: notAvailable(wanted, plans) }]
      : await previewCharge(session, wanted, plan)
    return failures.length > 0 && await isAlreadyPaid(session, wanted) ? [] : failures
  } catch (error) {
    const reason = `what a resize of server ${id} to plan ${serviceId} charges can't be asked for: ${explain(error)}`
    if (![403, 429].includes(statusOf(error) ?? 0)) return [{ property: "serviceId", reason }]
    session.host.warn(`${name}: ${reason}`)
    return []
  }
}

const previewCharge = (
  session: Session,
  wanted: WantedResize,
  plan: AvailablePlan
): Promise<ReadonlyArray<CheckFailure>> => {
  const { from, id, name, serviceId } = wanted
  const what = `resizing server ${id} from plan ${from} to ${serviceId} (${plan.name})`
  if (plan.direction === "downgrade") {
    session.host.warn(
      `${name}: ${what} is a downgrade: nothing is charged, and nothing refunded for the rest of the period`
    )
  }
  const { charge_amount: charge, currency } = plan
  return session.wallet.planResize({ ...wanted, key: keyOf(wanted), what, charge, currency })
}

/** An earlier run of this update has paid for it, and was cut off: then neither money nor limits stand in its way. */
const isAlreadyPaid = async (session: Session, { id, name, serviceId }: WantedResize): Promise<boolean> => {
  const { order, status } = await session.api.get(id)
  const paid = order.service_id === serviceId || status === "resizing"
  if (paid) session.host.info(`${name}: server ${id} is resized already, or is being resized; going on from there`)
  return paid
}

const notAvailable = ({ from, id, serviceId }: WantedResize, plans: ReadonlyArray<AvailablePlan>): string => {
  const choice = plans.length === 0
    ? "there is no other plan"
    : `there are ${plans.map((plan) => `${plan.id} (${plan.name})`).join(", ")}`
  return `server ${id} is on plan ${from} and can't be resized to plan ${serviceId}: only plans of the same data `
    + `centre are possible, and ${choice}. A server of another data centre is another resource`
}

/**
 * The last gate before a resize: like the wallet's before a purchase.
 * @throws UserError when the charge is over a limit, or can't be known while one is set.
 */
export const guardResize = async (session: Session, work: Work, serviceId: number): Promise<void> => {
  const { id } = work.instance
  const { maxCharge } = work.inputs
  const key = keyOf({ id, serviceId })
  const planned = { key, serviceId, maxCharge }
  if (!session.wallet.isLimited(maxCharge) || session.wallet.hasPlanned(planned)) return
  const wanted = { name: work.name, id, from: describePlan(work.instance), serviceId, maxCharge }
  const reasons = (await judge(session, wanted)).map((failure) => failure.reason)
  if (reasons.length === 0 && !session.wallet.hasPlanned(planned)) {
    reasons.push("its charge can't be checked against the limit that is set")
  }
  if (reasons.length > 0) throw new UserError(`${reasons.join("; ")}. Nothing was charged`)
}
