/**
 * The preview of an update that interrupts an instance, costs money or loses data: from the state alone, except
 * for the charge and the feasibility of a resize, which are requested once per instance in a process.
 */
import { resizeCharge } from "@pulumi-vps/sdk/client/host/ResizeCharge"
import type { View } from "@pulumi-vps/sdk/client/host/View"
import type { MaxCharge } from "@pulumi-vps/sdk/client/options/Options"
import type { AvailablePlan } from "@pulumi-vps/sdk/client/Records"
import { isSettled } from "@pulumi-vps/sdk/client/host/Statuses"
import { explain, statusOf, UserError } from "../../api/Errors.ts"
import type { CheckFailure } from "../../definition/Definition.ts"
import { formatAmount } from "../../purchase/Money.ts"
import type { Session } from "../../session/Session.ts"
import { blockedBy, describeSteps, plan, type Step } from "./UpdatePlan.ts"
import { dataLoss, describePlan } from "../state/Messages.ts"
import { isOnBy, type Work } from "./Work.ts"
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
    const blocked = plans?.length === 0 ? await blockedFailures(session, wanted) : undefined
    if (blocked !== undefined) return blocked
    const listed = plans?.find((one) => one.id === serviceId)
    // Of a list without ids, nothing says that the plan is not in it: the host refuses it then.
    const isMissing = listed === undefined && plans !== undefined && plans.every((one) => one.id !== undefined)
    const failures = isMissing
      ? [{ property: "serviceId", reason: notAvailable(wanted, plans) }]
      : await previewCharge(session, wanted, listed)
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

type Failures = ReadonlyArray<CheckFailure>

const previewCharge = async (
  session: Session,
  wanted: WantedResize,
  listed: View<AvailablePlan> | undefined
): Promise<Failures> => {
  const { from, id, name, serviceId } = wanted
  const { charge_amount: charge, currency } = listed ?? {}
  if (listed === undefined || charge === undefined || currency === undefined) {
    return await previewUnshown(session, wanted, listed)
  }
  const action = `resizing instance ${id} from plan ${from} to ${serviceId} (${listed.name ?? "unnamed"})`
  if (listed.direction === "downgrade") warnOfDowngrade(session, name, action)
  return await session.wallet.planResize({ ...wanted, key: keyOf(wanted), action, charge, currency })
}

const warnOfDowngrade = ({ host }: Session, name: string, action: string): void =>
  host.warn(`${name}: ${action} is a downgrade: nothing is charged, and the rest of the period is not refunded`)

/**
 * Of a host that does not show the charge of a resize: the prices of the plans say if it is a downgrade, which the
 * specification charges nothing for, and otherwise about how much it is. A limit that cannot be checked refuses.
 */
const previewUnshown = async (
  session: Session,
  wanted: WantedResize,
  listed: View<AvailablePlan> | undefined
): Promise<Failures> => {
  const { from, id, maxCharge, name, serviceId } = wanted
  const { words } = session
  const plans = await session.memoize("plans", () => session.api.services())
  const plan = plans.find((one) => one.id === serviceId)
  if (plan === undefined) {
    return [{
      property: "serviceId",
      reason: `plan ${serviceId} is not in the list of plans, and its price is unknown`
    }]
  }
  const price = await session.wallet.priceOf({ service_id: serviceId })
  const priced = price && { amount: price.charge_amount, currency: price.currency }
  const charge = resizeCharge(await session.api.get(id), listed, plan, priced, session.host.now())
  const action = `resizing instance ${id} from plan ${from} to ${serviceId} (${plan.name})`
  const approval = { key: keyOf(wanted), serviceId, maxCharge }
  if (charge.kind !== "estimate") {
    warnOfDowngrade(session, name, action)
    session.wallet.approveWithoutCharge(approval)
    return []
  }
  const about = `about ${formatAmount(charge.amount, charge.currency)} now, an estimate from the prices of the plans`
  const limit = session.wallet.limitName(maxCharge)
  if (limit !== undefined) {
    const reason = `this host does not show the charge of a resize (${about}), so ${words.input(limit)} cannot be `
      + "checked. Remove it for this update to accept the charge"
    return [{ property: limit === "maxCharge" ? limit : "", reason }]
  }
  const line = `${name}: ${action} charges ${about}: this host does not show the charge`
  if (session.isFirst(line)) session.host.info(line)
  session.wallet.approveWithoutCharge(approval)
  return []
}

/** True when an earlier run of this update has paid for it and was cut off: then no limit applies. */
const isPaid = async (session: Session, { id, name, serviceId }: WantedResize): Promise<boolean> => {
  const { order, status } = await session.api.get(id)
  const paid = order.service_id === serviceId || status === "resizing"
  if (paid) session.host.info(`${name}: instance ${id} is already resized or being resized; continuing from there`)
  return paid
}

const notAvailable = ({ from, id, serviceId }: WantedResize, plans: ReadonlyArray<View<AvailablePlan>>): string => {
  const named = plans.map((plan) => plan.name === undefined ? String(plan.id) : `${plan.id} (${plan.name})`)
  const choice = plans.length === 0 ? "none" : named.join(", ")
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
    on: isOnBy(status, state),
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
