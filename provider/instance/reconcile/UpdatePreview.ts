/**
 * The preview of an update that interrupts an instance, costs money or loses data: from the state alone, except
 * for the charge and the feasibility of a resize, which are requested once per instance in a process.
 */
import type { MaxCharge } from "@pulumi-vps/sdk/client/options/Options"
import type { AvailablePlan } from "@pulumi-vps/sdk/client/Records"
import { explain, isSettled, statusOf, UserError } from "../../api/Errors.ts"
import type { CheckFailure } from "../../definition/Definition.ts"
import type { Session } from "../../session/Session.ts"
import { blockedBy, describeSteps, plan, type Step } from "./UpdatePlan.ts"
import { dataLoss, describePlan } from "../state/Messages.ts"
import type { Work } from "./Work.ts"
import { isUnknown, nameOf, type Properties } from "../../definition/Properties.ts"
import { asInputs } from "../Definition.ts"
import { lastKnownState } from "../state/Outputs.ts"
import type { Words } from "../../HostWords.ts"

export interface WantedResize {
  readonly name: string
  readonly id: number
  /** Number and name of the current plan. */
  readonly from: string
  readonly serviceId: number
  readonly maxCharge: number | undefined
  /** Of the program; undefined: it does not manage the boot mode. */
  readonly bootMode: unknown
}

const keyOf = ({ id, serviceId }: Pick<WantedResize, "id" | "serviceId">): string => `resize:${id}:${serviceId}`

/** Approves a resize in a preview, with all other charges of the update, and shows its charge. */
const previewResize = (session: Session, wanted: WantedResize): Promise<ReadonlyArray<CheckFailure>> =>
  session.memoize(`${keyOf(wanted)}:${wanted.maxCharge}`, () => approveResize(session, wanted))

const approveResize = async (session: Session, wanted: WantedResize): Promise<ReadonlyArray<CheckFailure>> => {
  const { id, name, serviceId } = wanted
  try {
    const plans = await session.api.availablePlans(id)
    const blocked = plans.length === 0 ? await blockedFailures(session, wanted) : undefined
    if (blocked !== undefined) return blocked
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

/**
 * In some states an instance allows no resize, and the service lists no plans: then they have no charge, or the update
 * leaves the state and checks the charge itself. Undefined in all other states: there are no plans.
 */
const blockedFailures = async (
  session: Session,
  { bootMode, id, name, serviceId }: WantedResize
): Promise<ReadonlyArray<CheckFailure> | undefined> => {
  const { status, suspended_reason: reason } = await session.api.get(id)
  const blocked = blockedBy(session.words, { status, suspendedReason: reason ?? undefined }, true, bootMode)
  if (blocked !== undefined) {
    return [{ property: "serviceId", reason: `instance ${id} cannot be resized to plan ${serviceId}: ${blocked}` }]
  }
  if (isSettled(status) && status !== "rescue") return undefined
  session.host.warn(
    `${name}: the charge for resizing instance ${id} to plan ${serviceId} is not available while it is ${
      status === "rescue" ? "in rescue mode, which the update leaves first" : status
    }; the update checks it before the resize`
  )
  return []
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

const approvalFor = ({ inputs: { maxCharge }, instance: { id } }: Work, serviceId: number) => ({
  key: keyOf({ id, serviceId }),
  serviceId,
  maxCharge
})

/** The charge has risen since it was approved. */
export const refuseRaised = (session: Session, work: Work, serviceId: number): void =>
  session.wallet.forget(approvalFor(work, serviceId))

/**
 * The last check before a resize, like the wallet's before a purchase; returns the charge that was shown.
 * @throws UserError when the charge exceeds a limit, or is unknown while a limit is set.
 */
export const guardResize = async (
  session: Session,
  work: Work,
  serviceId: number
): Promise<MaxCharge | undefined> => {
  const { id } = work.instance
  const planned = approvalFor(work, serviceId)
  const { maxCharge } = planned
  const { bootMode } = work.inputs
  if (session.wallet.hasPlanned(planned)) return session.wallet.limitOf(planned)
  const wanted = { name: work.name, id, from: describePlan(work.instance), serviceId, maxCharge, bootMode }
  const reasons = (await approveResize(session, wanted)).map((failure) => failure.reason)
  if (reasons.length === 0 && session.wallet.isLimited(maxCharge) && !session.wallet.hasPlanned(planned)) {
    reasons.push("the charge could not be checked against the limit")
  }
  if (reasons.length > 0) throw new UserError(`${reasons.join("; ")}. Nothing was charged`)
  return session.wallet.limitOf(planned)
}

/** Steps that interrupt the instance. */
const HEAVY: ReadonlySet<Step["do"]> = new Set(["stop", "start", "resize", "reinstall", "boot"])

/** Unknown values are assumed to be unchanged. */
const withKnownValues = (olds: Properties, news: Properties): Properties =>
  Object.fromEntries(
    Object.entries(news).map(([name, value]) => [name, isUnknown(value) ? olds[name] : value])
  )

const stepsOf = (id: number, olds: Properties, news: Properties): ReadonlyArray<Step> => {
  const state = lastKnownState(olds)
  const status = String(olds["status"])
  const observed = {
    id,
    status,
    suspendedReason: undefined,
    serviceId: Number(olds["serviceId"]),
    hostname: state.hostname,
    os: state.os,
    on: status !== "stopped" && status !== "stopping",
    bootMode: state.bootMode,
    isoId: state.isoId
  }
  const wasOn = observed.on || state.interrupted?.includes("stop") === true
  return plan(observed, { state, wasOn, rebootDue: false }, asInputs(withKnownValues(olds, news)))
}

/** Failures when the change would lose data without permission, or the resize is impossible or over a limit. */
export const refusedChanges = async (
  session: Session,
  id: number,
  olds: Properties,
  news: Properties
): Promise<ReadonlyArray<CheckFailure>> => {
  const { __urn, allowDataLoss, bootMode, maxCharge } = asInputs(news)
  const failures: Array<CheckFailure> = []
  const steps = stepsOf(id, olds, news)
  const reinstall = steps.find((step) => step.do === "reinstall")
  if (reinstall !== undefined && !isUnknown(allowDataLoss) && allowDataLoss !== true) {
    const { hostname, ipv4, os } = olds
    const from = reinstall.os === os ? undefined : os
    const reason = dataLoss(session.words, { id, hostname, ipv4, from, to: reinstall.os })
    failures.push({ property: from === undefined ? "reinstallTriggers" : "os", reason })
  }
  const resize = steps.find((step) => step.do === "resize")
  if (resize === undefined || isUnknown(maxCharge)) return failures
  // The list has the name of the plan; without it, the number is enough.
  const listed = (await session.instanceList.all().catch(() => undefined))?.get(id)
  const from = listed === undefined ? String(olds["serviceId"]) : describePlan(listed)
  const { serviceId } = resize
  return [
    ...failures,
    ...await previewResize(session, { name: nameOf(__urn), id, from, serviceId, maxCharge, bootMode })
  ]
}

/**
 * Shows the steps according to the state; the update observes the instance before it acts.
 * @throws UserError with the first of the refused changes.
 */
export const previewUpdate = async (
  session: Session,
  id: number,
  olds: Properties,
  news: Properties
): Promise<void> => {
  const name = nameOf(news["__urn"])
  const [failure] = await refusedChanges(session, id, olds, news)
  if (failure !== undefined) throw new UserError(`${name}: ${failure.reason}. Nothing was changed.`)
  const steps = stepsOf(id, olds, news)
  if (steps.some((step) => HEAVY.has(step.do))) announceSteps(session, name, id, steps)
}

/** The ways to apply a change that only a reinstall applies. */
const DEFERRED = {
  sshPublicKey: ({ input }: Words) =>
    `it takes effect at the next reinstall (${input("pendingSshKey")}), such as after a change of ${
      input("reinstallTriggers")
    }`,
  rootPassword: ({ input }: Words) =>
    `it takes effect at the next reinstall. A change of ${input("passwordRotation")} generates a new password now`
} as const

/** Shows which changes are only recorded, unless the same update reinstalls the instance. */
export const announceDeferred = (
  session: Session,
  id: number,
  olds: Properties,
  news: Properties,
  changed: ReadonlyArray<string>
): void => {
  const deferred = (["sshPublicKey", "rootPassword"] as const).filter((name) =>
    changed.includes(name) && ![undefined, null, olds[name]].includes(news[name])
  )
  if (deferred.length === 0 || stepsOf(id, olds, news).some((step) => step.do === "reinstall")) return
  for (const name of deferred) {
    const { words } = session
    const how = DEFERRED[name](words)
    session.host.warn(`${nameOf(news["__urn"])}: the new ${words.input(name)} is not installed now; ${how}`)
  }
}

/** Once per process: the update repeats it only with other steps. */
export const announceSteps = (session: Session, name: string, id: number, steps: ReadonlyArray<Step>): void => {
  const line = `${name}: steps for instance ${id}: ${describeSteps(steps)}`
  if (!session.isFirst(line)) return
  if (steps.every((step) => step.do !== "reinstall")) session.host.info(line)
  else session.host.warn(`${line}; this deletes everything on its disk`)
}
