/** The preview of an update that interrupts an instance, costs money or loses data, from the state alone. */
import { UserError } from "../../api/Errors.ts"
import { isUnknown, nameOf, type Properties } from "../../definition/Properties.ts"
import type { Session } from "../../session/Session.ts"
import { asInputs } from "../Definition.ts"
import { lastKnownState } from "../state/LastKnownState.ts"
import { dataLoss } from "../state/Messages.ts"
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
    on: status !== "stopped",
    bootMode: state.bootMode,
    isoId: state.isoId
  }
  return plan(observed, { state, wasOn: observed.on, rebootDue: false }, asInputs(withKnownValues(olds, news)))
}

/**
 * Shows the steps according to the state; the update observes the instance before it acts.
 * @throws UserError when the change would lose data without permission, or the resize is impossible or over a limit.
 */
export const previewUpdate = async (
  session: Session,
  id: number,
  olds: Properties,
  news: Properties
): Promise<void> => {
  const name = nameOf(news["__urn"])
  const steps = stepsOf(id, olds, news)
  const reinstall = steps.find((step) => step.do === "reinstall")
  const resize = steps.find((step) => step.do === "resize")
  if (reinstall !== undefined && !isUnknown(news["allowDataLoss"]) && news["allowDataLoss"] !== true) {
    const from = reinstall.os === olds["os"] ? undefined : olds["os"]
    const { hostname, ipv4 } = olds
    throw new UserError(`${name}: ${dataLoss({ id, hostname, ipv4, from, to: reinstall.os })}. Nothing was changed.`)
  }
  if (resize !== undefined) {
    const { maxCharge } = asInputs(news)
    const wanted = { name, id, from: String(olds["serviceId"]), serviceId: resize.serviceId, maxCharge }
    const [failure] = await previewResize(session, wanted)
    if (failure !== undefined) throw new UserError(`${name}: ${failure.reason}. Nothing was changed.`)
  }
  if (!steps.some((step) => HEAVY.has(step.do))) return
  announceSteps(session, name, id, steps)
}

/** Once per process: the update repeats it only with other steps. */
export const announceSteps = (session: Session, name: string, id: number, steps: ReadonlyArray<Step>): void => {
  const line = `${name}: steps for instance ${id}: ${describeSteps(steps)}`
  if (!session.isFirst(line)) return
  if (steps.every((step) => step.do !== "reinstall")) session.host.info(line)
  else session.host.warn(`${line}; this deletes everything on its disk`)
}
