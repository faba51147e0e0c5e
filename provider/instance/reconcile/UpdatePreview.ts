/** The preview of an update that interrupts an instance, costs money or loses data, from the state alone. */
import { UserError } from "../../api/Errors.ts"
import { isUnknown, nameOf, type Properties } from "../../definition/Properties.ts"
import type { CheckFailure } from "../../definition/Definition.ts"
import type { Session } from "../../session/Session.ts"
import { asInputs } from "../Definition.ts"
import { lastKnownState } from "../state/Outputs.ts"
import { dataLoss, describePlan } from "../state/Messages.ts"
import { describeSteps, plan, type Step } from "./Plan.ts"
import { previewResize } from "./ResizePreview.ts"

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
    const reason = dataLoss({ id, hostname, ipv4, from, to: reinstall.os })
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
  sshPublicKey: "it takes effect at the next reinstall (pendingSshKey), such as after a change of reinstallTriggers",
  rootPassword: "it takes effect at the next reinstall. A change of passwordRotation generates a new password now"
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
    session.host.warn(`${nameOf(news["__urn"])}: the new ${name} is not installed now; ${DEFERRED[name]}`)
  }
}

/** Once per process: the update repeats it only with other steps. */
export const announceSteps = (session: Session, name: string, id: number, steps: ReadonlyArray<Step>): void => {
  const line = `${name}: steps for instance ${id}: ${describeSteps(steps)}`
  if (!session.isFirst(line)) return
  if (steps.every((step) => step.do !== "reinstall")) session.host.info(line)
  else session.host.warn(`${line}; this deletes everything on its disk`)
}
