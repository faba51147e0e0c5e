/**
 * Imports an existing instance into a state by its id (`pulumi import`, and `Instance.get`), and says in a refresh
 * who changed one since the last update, and when, from its activity feed.
 */
import { UserError } from "../api/Errors.ts"
import { nameOf, present, type Properties, same } from "../definition/Properties.ts"
import { installedDetails, orderedDetails } from "../purchase/InstanceDetails.ts"
import { purchaseKey, purchaseKeyDigest } from "../purchase/PurchaseKey.ts"
import type { ReadResult } from "../session/Lifecycle.ts"
import type { Session } from "../session/Session.ts"
import { asInputs, FIRST_GENERATION } from "./Definition.ts"
import { sessionFacts } from "./Delete.ts"
import { lastKnownState, toInputs, toOutputs } from "./state/Outputs.ts"
import { operationsWith } from "@pulumi-vps/contract/OperationPower"
import { newestTasks, type Task } from "../waiting/ActivityFeed.ts"
import { toolOf } from "./reconcile/Work.ts"

const DIGITS = /^[1-9]\d*$/

/**
 * Returns the inputs of a program that manages it. Like an instance adopted with `adoptInstanceId` it counts as not
 * bought here, unless this very resource bought it before its state was lost.
 * @throws UserError when the account has no such instance.
 */
export const importInstance = async (
  session: Session,
  id: string,
  urn: string
): Promise<ReadResult & { id: string } | undefined> => {
  if (!DIGITS.test(id)) throw new UserError(`${nameOf(urn)}: an instance is imported by its number, such as 123`)
  const instance = await session.api.get(Number(id))
    .catch((error: unknown) => session.failNotFound(error, nameOf(urn), id, ""))
  if (instance.status === "deleted") return undefined
  const { hostname, os } = installedDetails(instance)
  const key = purchaseKey({
    scope: session.settings.idempotencyScope,
    urn,
    generation: FIRST_GENERATION,
    prefix: session.words.prefix
  })
  const inputs = present({ serviceId: instance.order.service_id, hostname, os, __urn: urn, __purchaseKey: key })
  const own = orderedDetails(instance).keyDigest === purchaseKeyDigest(key) ? key : ""
  const outputs = toOutputs(asInputs(inputs), instance, {
    hostname,
    os,
    purchaseKey: own,
    revision: instance.created_at,
    ...sessionFacts(session, inputs, own)
  })
  return { id, outputs, inputs: toInputs(outputs) }
}

/** The deployment is part of the purchase, and no change. */
const POWER: ReadonlyArray<string> = operationsWith("on", "off", "reboot").filter((type) => type !== "provision")

/** The tasks that change an output. */
const CAUSES: Readonly<Record<string, ReadonlyArray<string>>> = {
  serviceId: ["resize"],
  hostname: ["set_hostname", "reinstall"],
  os: ["reinstall"],
  status: POWER,
  powerState: POWER,
  suspendedReason: POWER,
  bootMode: ["rescue_enter", "rescue_exit"],
  isoId: ["iso_mount", "iso_unmount"],
  autoRenew: ["set_auto_renew"]
}

/** Outputs that also change by themselves: without a task of a user there is nothing to say. */
const OFTEN: ReadonlySet<string> = new Set(["status", "powerState", "suspendedReason"])
/** A host name may be a secret, and the engine shows the others' values with their names. */
const UNNAMED: ReadonlySet<string> = new Set(["hostname", "suspendedReason"])

/** The succeeded tasks since the last update of this resource, newest first. */
const tasksSince = async (session: Session, id: number, since: number): Promise<ReadonlyArray<Task>> => {
  const tasks: Array<Task> = []
  for await (const task of newestTasks(session, id)) {
    if (Date.parse(task.created_at ?? "") < since) break
    if (task.status === "succeeded") tasks.push(task)
  }
  return tasks
}

const byWhom = ({ actor, api_key_id: key, request_id: request }: Task, own: number | undefined): string => {
  if (actor === undefined) return "by a request"
  if (actor === "panel") return "in the panel"
  if (actor === "admin") return "by an operator"
  if (actor !== "api_key") return "by the service"
  const tool = toolOf(request)
  const by = tool === undefined ? "" : `by ${tool} `
  return key === own ? `${by}with this API key` : `${by}with API key ${key}`
}

/** Shows the differences between the state and the observed outputs; sends no request without one. */
export const describeDrift = async (
  session: Session,
  name: string,
  id: number,
  olds: Properties,
  observed: Properties
): Promise<void> => {
  const changed = Object.keys(CAUSES).filter((output) =>
    olds[output] !== undefined && observed[output] !== undefined && !same(olds[output], observed[output])
  )
  if (changed.length === 0) return
  const since = Date.parse(lastKnownState(olds).revision ?? "")
  // The refresh itself does not depend on the feed.
  const tasks = await tasksSince(session, id, since).catch((): ReadonlyArray<Task> => [])
  const own = await session.whoami().then((who) => who.key?.id, () => undefined)
  const lines = changed.flatMap((output) => {
    const values = UNNAMED.has(output)
      ? output
      : `${output} from ${String(olds[output])} to ${String(observed[output])}`
    const cause = tasks.find(({ type }) => type !== undefined && CAUSES[output]?.includes(type))
    if (cause !== undefined) {
      const at = cause.created_at === undefined ? "" : ` on ${cause.created_at}`
      return [`${values} (${String(cause.type)} ${byWhom(cause, own)}${at})`]
    }
    return OFTEN.has(output) ? [] : [`${values} (the activity feed does not show by whom)`]
  })
  if (lines.length > 0) {
    session.host.info(`${name}: instance ${id} was changed since the last update: ${lines.join("; ")}`)
  }
}
