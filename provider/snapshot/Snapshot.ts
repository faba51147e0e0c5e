/** A snapshot as a resource. It is taken once: a snapshot with its name is looked for before every request. */
import { createHash } from "node:crypto"
import { snapshotsNamed } from "@pulumi-vps/sdk/client/host/SnapshotsNamed"
import type { View } from "@pulumi-vps/sdk/client/host/View"
import type * as Records from "@pulumi-vps/sdk/client/Records"
import { explain, isFinal, PartialCreateError, retryAfterOf, sentence, statusOf, UserError } from "../api/Errors.ts"
import { isUnknown, nameOf, present, type Properties } from "../definition/Properties.ts"
import { parentInState, parentOutputs } from "../session/Identity.ts"
import type { Session } from "../session/Session.ts"
import { findTask } from "../waiting/ActivityFeed.ts"
import { awaitChange, awaitWork } from "../waiting/Completion.ts"
import { poll } from "../waiting/InstanceWatcher.ts"
import { type Deadline, RETRY_WINDOW, retryIdempotent } from "../waiting/Retry.ts"
import type { OutputValues } from "../definition/Definition.ts"
import { asInputs, SNAPSHOT, type SnapshotInputs } from "./Definition.ts"
import type { Difference, Lifecycle } from "../session/Lifecycle.ts"
import {
  assertInstanceLetsGo,
  assertParentReachable,
  checkAttached,
  deadlineOf,
  diffPlanned,
  identifyParent,
  inputsOf,
  observeParent,
  observeParentListed
} from "../attached/Attached.ts"

// The snapshots that an update takes, against the quota of their instance. The engine takes new ones first and deletes
// those that leave the program last, so a set that fits before and after an update may not fit during it.

interface Usage {
  readonly used: number
  readonly quota: number
  /** The URNs of the resources that take one more in this update. */
  readonly planned: Set<string>
}

/** Before this update; undefined when the service does not show it. */
const usageOf = (session: Session, instanceId: string): Promise<Usage | undefined> =>
  session.memoize(`snapshots of ${instanceId}`, async () => {
    const live = await session.api.status(Number(instanceId)).catch(() => undefined)
    const { quota, used } = live?.snapshots ?? {}
    return quota === undefined || used === undefined ? undefined : { quota, used, planned: new Set<string>() }
  })

/** Plans one more; the number of those that exist by then if it would exceed the quota. */
const reserve = ({ planned, quota, used }: Usage, urn: string): number | undefined => {
  const others = used + planned.size - (planned.has(urn) ? 1 : 0)
  if (others >= quota) return others
  planned.add(urn)
  return undefined
}

/** "3 of 3 snapshots", or "2 of 3 snapshots, and this update takes 1 more" */
const describe = ({ planned, quota, used }: Usage): string =>
  `${used} of ${quota} snapshots${planned.size === 0 ? "" : `, and this update takes ${planned.size} more`}`

/** Warns, in `check`, when a new snapshot exceeds the quota because the old ones are deleted after it. */
const warnOfFullQuota = async (session: Session, inputs: SnapshotInputs): Promise<void> => {
  const { __urn: urn, instanceId, name } = inputs
  const usage = await usageOf(session, instanceId)
  if (usage === undefined || reserve(usage, urn) === undefined) return
  // An earlier run may have taken it: then it is among those that are counted.
  const taken = await session.api.snapshots(Number(instanceId)).catch(() => []) ?? []
  if (taken.some((one) => one.name === name)) return
  const { program } = session.words
  session.host.warn(
    `${nameOf(urn)}: instance ${instanceId} has ${describe(usage)}. Snapshots that leave the ${program} are deleted `
      + "last, so this one may exceed the quota. Remove the old ones in an update of their own, or change the `name` "
      + "of an existing Snapshot instead of adding a resource: that deletes its old snapshot first"
  )
}

/** A replacement, in `diff`: with a full quota the old snapshot is deleted first; for a moment there is none. */
const replacement = async (session: Session, olds: Properties, difference: Difference): Promise<Difference> => {
  const { instanceId, name, onDelete, __urn } = asInputs(olds)
  // Without the usage the replacement is tried in the usual order.
  const usage = difference.replaces.includes("instanceId") ? undefined : await usageOf(session, instanceId)
  if (usage === undefined || reserve(usage, __urn) === undefined) return difference
  const full = `${nameOf(__urn)}: instance ${instanceId} has ${describe(usage)}`
  const { assign } = session.words
  if (onDelete === "keep") {
    session.host.warn(
      `${full}. ${assign("onDelete", "\"keep\"")} leaves ${JSON.stringify(name)}, so the new one may exceed the quota. `
        + `Delete one with \`vps snapshot delete ${instanceId} <id>\` first, or set ${assign("onDelete", "\"delete\"")}`
    )
    return difference
  }
  session.host.warn(`${full}, so ${JSON.stringify(name)} is deleted before the new one is taken`)
  return { ...difference, deleteBeforeReplace: true }
}

/** A snapshot that the host shows with its number, without which it can neither be found again nor be deleted. */
type Snapshot = View<Records.Snapshot> & { readonly id: number }

const hasId = (snapshot: View<Records.Snapshot>): snapshot is Snapshot => snapshot.id !== undefined

const idOf = ({ instanceId }: Pick<SnapshotInputs, "instanceId">, { id }: Snapshot): string => `${instanceId}/${id}`

const toOutputs = (inputs: SnapshotInputs, snapshot: Snapshot, parent: Properties): Properties =>
  present(
    {
      ...inputs,
      snapshotId: snapshot.id,
      status: snapshot.status,
      sizeBytes: snapshot.size_bytes,
      createdAt: snapshot.created_at,
      userId: parent["userId"],
      ...parent
    } satisfies OutputValues<typeof SNAPSHOT>
  )

/** @throws UserError when the host returns no list that can be read; `consequence` says what was not done. */
const listSnapshots = async (
  session: Session,
  { __urn, instanceId }: Properties,
  consequence: string
): Promise<ReadonlyArray<View<Records.Snapshot>>> => {
  const all = await session.api.snapshots(Number(instanceId))
  if (all !== undefined) return all
  throw new UserError(
    `${nameOf(__urn)}: this host returns no list of snapshots that can be read, so ${consequence}`
  )
}

/** The snapshot of these outputs; undefined when the instance no longer has it. */
const findSnapshot = async (session: Session, outputs: Properties): Promise<Snapshot | undefined> => {
  const all = await listSnapshots(session, outputs, "the snapshot was not found. Nothing was changed")
  return all.filter(hasId).find(({ id }) => id === outputs["snapshotId"])
}

/** ms; a snapshot and its task are recorded at once. */
const SAME_TIME = 60_000

/**
 * The request id of this snapshot, by which its task in the activity feed shows whose it is. A destroy that the
 * instance's policy refuses takes the snapshot out of the state only.
 */
const requestIdOf = (session: Session, { __urn, instanceId, name }: SnapshotInputs): string => {
  const identity = [session.settings.idempotencyScope, __urn, "snapshot_create", instanceId, name]
  return `${session.words.prefix}-${createHash("sha256").update(JSON.stringify(identity)).digest("hex")}`
}

/** True when this resource took the snapshot, however long ago. */
const isOurs = async (session: Session, inputs: SnapshotInputs, taken: number): Promise<boolean> => {
  const requestId = requestIdOf(session, inputs)
  const task = await findTask(
    session,
    Number(inputs.instanceId),
    taken - SAME_TIME,
    (one) => one.request_id === requestId && Math.abs(Date.parse(one.created_at ?? "") - taken) < SAME_TIME
  )
  return task !== undefined
}

/** The newest snapshot of this name. A failed one contains no data, and the service removes it. */
const findNamed = async (session: Session, inputs: SnapshotInputs): Promise<Snapshot | undefined> => {
  const { __urn, instanceId, name } = inputs
  const all = await listSnapshots(
    session,
    { ...inputs },
    `one could not be found again. No snapshot was taken of instance ${instanceId}`
  )
  const named = snapshotsNamed(name, all).filter((one) => one.status !== "failed")
  if (named.some((one) => !hasId(one))) {
    throw new UserError(
      `${nameOf(__urn)}: instance ${instanceId} has a snapshot ${
        JSON.stringify(name)
      }, and this host does not show its `
        + "id, without which it can be neither found again nor deleted. Take snapshots in the panel instead"
    )
  }
  return named.filter(hasId).findLast((one) => (session.retainedBy(idOf(inputs, one)) ?? __urn) === __urn)
}

/**
 * The snapshot of this name that an earlier run took, or this one, if it `isSent`.
 * @throws UserError when it is too old to be from our own run, or nothing shows when it was taken.
 */
const findEarlier = async (
  session: Session,
  inputs: SnapshotInputs,
  isSent: boolean
): Promise<Snapshot | undefined> => {
  const { __urn, instanceId, name } = inputs
  const newest = await findNamed(session, inputs)
  if (newest === undefined) return undefined
  const { created_at: at = "", id } = newest
  const taken = Date.parse(at)
  const who = nameOf(__urn)
  const isRecent = isSent || session.host.now() - taken <= RETRY_WINDOW
  if (!isRecent && (Number.isNaN(taken) || !(await isOurs(session, inputs, taken)))) {
    const [known, reason] = Number.isNaN(taken)
      ? [`id ${id}`, "and this host does not show when it was taken"]
      : [`id ${id}, taken on ${at}`, "which is too old to be from an earlier run of this resource"]
    throw new UserError(
      `${who}: instance ${instanceId} already has a snapshot ${
        JSON.stringify(name)
      } (${known}), ${reason}. No snapshot `
        + "was taken. Use another name, or "
        + `delete that one with \`vps snapshot delete ${instanceId} ${id}\``
    )
  }
  const when = at === "" ? "" : ` on ${at}`
  session.host.info(
    `${who}: snapshot ${id} of instance ${instanceId} was taken under this name${when}; continuing with it`
  )
  return newest
}

/** Takes the snapshot, or finds the one that an earlier run took. */
const takeSnapshot = async (session: Session, inputs: SnapshotInputs, deadline: Deadline): Promise<Snapshot> => {
  const { __urn, instanceId, name } = inputs
  let isSent = false
  try {
    const taken = await retryIdempotent(
      session,
      nameOf(__urn),
      deadline,
      async () => {
        const earlier = await findEarlier(session, inputs, isSent)
        if (earlier !== undefined) return earlier
        isSent = true
        const { snapshot = {} } = await session.api.snapshotCreate(
          Number(instanceId),
          name,
          requestIdOf(session, inputs)
        )
        return snapshot
      }
    )
    return hasId(taken) ? taken : await awaitListed(session, inputs, deadline)
  } catch (error) {
    if (isFinal(error)) throw error
    const refused = statusOf(error) === 409 && retryAfterOf(error) === undefined
    const hint = refused
      ? await quotaHint(session, instanceId)
      : `Run ${session.words.update} again: it looks for the snapshot first and never takes it twice`
    throw new UserError(
      `${nameOf(__urn)}: could not take a snapshot of instance ${instanceId}: ${sentence(explain(error))} ${hint}`,
      error
    )
  }
}

/** Of a host that returns no record of a new snapshot: it is the one of this name, once the host lists it. */
const awaitListed = (session: Session, inputs: SnapshotInputs, deadline: Deadline): Promise<Snapshot> =>
  poll(session, {
    name: nameOf(inputs.__urn),
    subject: `snapshot ${JSON.stringify(inputs.name)} of instance ${inputs.instanceId}`,
    deadline,
    observe: () => findNamed(session, inputs)
  })

/** The way out when the service refuses another snapshot: because of the quota, or the state of the instance. */
const quotaHint = async (session: Session, instanceId: string): Promise<string> => {
  const id = Number(instanceId)
  const [all, live] = await Promise.all([
    session.api.snapshots(id).then((found) => found ?? []).catch(() => []),
    session.api.status(id).catch(() => undefined)
  ])
  const { program, update } = session.words
  const { quota, used } = live?.snapshots ?? {}
  if (quota === undefined || used === undefined || used < quota) return "No snapshot was taken"
  // Without their names, which other resources may keep secret.
  const list = all.map(({ created_at, id }) => `${id} of ${created_at}`).join(", ")
  return `No snapshot was taken. The instance has ${all.length}: ${list}. To free one, remove a Snapshot from the `
    + `${program} and run ${update}, or run \`vps snapshot delete ${instanceId} <id>\` (\`vps snapshot list `
    + `${instanceId}\` shows their names)`
}

/**
 * Waits until the snapshot is available, and returns the outputs.
 * @throws PartialCreateError when the wait ends early: the snapshot exists.
 * @throws UserError when it failed: then there is none.
 */
const awaitSnapshot = async (
  session: Session,
  inputs: SnapshotInputs,
  known: Properties,
  deadline: Deadline
): Promise<Properties> => {
  const name = nameOf(inputs.__urn)
  const subject = `snapshot ${String(known["snapshotId"])} of instance ${inputs.instanceId}`
  let outputs = known
  try {
    const available = await poll(session, {
      name,
      deadline,
      subject,
      observe: async () => {
        const observed = await findSnapshot(session, known)
        if (observed === undefined || observed.status === "failed") {
          throw await snapshotFailure(session, inputs, subject)
        }
        outputs = toOutputs(inputs, observed, parentInState(known))
        return observed.status === "creating" ? undefined : outputs
      }
    })
    if (available["status"] === undefined) await awaitUnshown(session, inputs, deadline)
    return available
  } catch (error) {
    if (isFinal(error)) throw error
    throw new PartialCreateError(`${inputs.instanceId}/${String(known["snapshotId"])}`, outputs, [
      `${name}: ${subject} was started but is not finished yet: ${sentence(explain(error))} Run `
      + `${session.words.update} again to keep waiting; no second snapshot is taken`
    ])
  }
}

/** Of a host that does not show the status of a snapshot: the instance has ended its work. */
const awaitUnshown = async (session: Session, { __urn, instanceId }: SnapshotInputs, deadline: Deadline) => {
  const change = { instanceId: Number(instanceId), name: nameOf(__urn), action: "taking the snapshot", deadline }
  await awaitChange(session, { ...change, before: undefined, taskId: undefined })
}

const snapshotFailure = async (
  session: Session,
  { __urn, instanceId }: SnapshotInputs,
  what: string
): Promise<UserError> => {
  const task = await findTask(session, Number(instanceId), 0, ({ type }) => type === "snapshot_create")
    .catch(() => undefined)
  const reason = task?.error === null || task?.error === undefined ? "" : ` (${task.error})`
  return new UserError(
    `${nameOf(__urn)}: ${what} could not be taken${reason} and contains no data. If it is in the state, run `
      + `${session.words.refresh}; the next ${session.words.update} takes another one`
  )
}

const IMPORT_ID = /^([1-9]\d*)\/([1-9]\d*)$/

export const snapshotLifecycle: Lifecycle = {
  check: async (session, olds, news) => {
    // The engine checks a replacement once more, as if it were new.
    const isNew = olds === undefined && !session.plannedUrns.has(String(news["__urn"]))
    const checked = await checkAttached(session, SNAPSHOT, olds, news, ({ instanceId, name }) => ({
      identity: [instanceId, name],
      description: `the name ${JSON.stringify(name)} on this instance`
    }))
    const inputs = asInputs(checked.inputs)
    if (isNew && checked.failures.length === 0 && !isUnknown([inputs.instanceId, inputs.name])) {
      await warnOfFullQuota(session, inputs)
    }
    return checked
  },
  diff: async (session, id, olds, news) => {
    const difference = await diffPlanned(session, SNAPSHOT, id, olds, news)
    if (difference.replaces.length > 0) return await replacement(session, olds, difference)
    // After a partial create the engine calls `update` by itself, but not after a refresh in between.
    return olds["status"] === "creating" ? { ...difference, changed: [...difference.changed, "status"] } : difference
  },
  create: async (session, properties) => {
    const inputs = asInputs(properties)
    return await session.mutex.run(inputs.instanceId, async () => {
      const parent = await identifyParent(session, inputs, "no snapshot was taken")
      const deadline = deadlineOf(session, inputs, "create")
      const snapshot = await takeSnapshot(session, inputs, deadline)
      session.retain(idOf(inputs, snapshot), inputs.__urn)
      const outputs = await awaitSnapshot(session, inputs, toOutputs(inputs, snapshot, parent), deadline)
      return { id: idOf(inputs, snapshot), outputs }
    })
  },
  read: async (session, id, outputs) => {
    const instance = await observeParentListed(session, outputs)
    if (instance === undefined) return undefined
    const snapshot = await findSnapshot(session, outputs)
    if (snapshot === undefined) return undefined
    if (snapshot.status === "failed") {
      session.host.warn(
        `${nameOf(outputs["__urn"])}: snapshot ${id} failed and contains no data; it is removed from the state`
      )
      return undefined
    }
    const parent = parentOutputs(instance, session.place)
    const name = snapshot.name ?? outputs["name"]
    const observed = { ...outputs, ...toOutputs(asInputs(outputs), snapshot, parent), name }
    return { outputs: observed, inputs: inputsOf(SNAPSHOT, observed) }
  },
  import: async (session, id, urn) => {
    const [, instanceId, snapshotId] = IMPORT_ID.exec(id) ?? []
    if (instanceId === undefined) {
      throw new UserError(`${nameOf(urn)}: a snapshot is imported as <instance>/<snapshot>, such as 12/34`)
    }
    const known = { instanceId, snapshotId: Number(snapshotId), __urn: urn }
    const parent = await identifyParent(session, known, "no snapshot was imported")
    const snapshot = await findSnapshot(session, known)
    if (snapshot === undefined || snapshot.status === "failed") return undefined
    if (snapshot.name === undefined) {
      throw new UserError(`${nameOf(urn)}: this host does not show the name of snapshot ${id}. It was not imported`)
    }
    const inputs = { instanceId, name: snapshot.name, __urn: urn }
    return { id, outputs: toOutputs(inputs, snapshot, parent), inputs }
  },
  update: async (session, id, olds, properties) => {
    session.retain(id, String(properties["__urn"]))
    const inputs = asInputs(properties)
    const { snapshotId, status, sizeBytes, createdAt } = olds
    const known = { ...inputs, snapshotId, status, sizeBytes, createdAt, ...parentInState(olds) }
    if (olds["status"] !== "creating") return known
    return await session.mutex.run(
      inputs.instanceId,
      () => awaitSnapshot(session, inputs, known, deadlineOf(session, inputs, "update"))
    )
  },
  delete: (session, id, outputs) => remove(session, id, asInputs(outputs), outputs),
  planDelete: async (session, _id, outputs) => {
    if (asInputs(outputs).onDelete === "keep") warnOfKept(session, outputs)
  },
  inputsOf: (outputs) => inputsOf(SNAPSHOT, outputs)
}

/** For messages. */
const describeSnapshot = ({ name, snapshotId }: Properties): string =>
  `snapshot ${Number(snapshotId)} (${JSON.stringify(name)})`

const warnOfKept = ({ host, words }: Session, outputs: Properties): void =>
  host.warn(
    `${nameOf(outputs["__urn"])}: ${describeSnapshot(outputs)} of instance ${String(outputs["instanceId"])} is left in `
      + `place and still counts towards the quota (${words.assign("onDelete", "\"keep\"")})`
  )

const remove = async (
  session: Session,
  id: string,
  inputs: SnapshotInputs,
  outputs: Properties
): Promise<void> => {
  const name = nameOf(inputs.__urn)
  const snapshotId = Number(outputs["snapshotId"])
  const snapshot = describeSnapshot(outputs)
  const what = `${snapshot} of instance ${inputs.instanceId}`
  if (session.retainedBy(id) !== undefined) {
    return session.host.info(
      `${name}: the ${session.words.stack} still manages ${what}; only the old state entry is removed`
    )
  }
  await assertParentReachable(session, outputs)
  if (inputs.onDelete === "keep") return warnOfKept(session, outputs)
  const instance = await observeParent(session, outputs)
  // An instance that could not be provisioned has no snapshots, and refuses the request.
  if (instance === undefined || instance.status === "failed") return
  await assertInstanceLetsGo(session, outputs, instance, what)
  await session.mutex.run(inputs.instanceId, async () => {
    if ((await findSnapshot(session, outputs)) === undefined) return
    const deadline = deadlineOf(session, inputs, "delete")
    const instanceId = Number(inputs.instanceId)
    try {
      const { task_id: taskId } = await retryIdempotent(
        session,
        name,
        deadline,
        () => session.api.snapshotDelete(instanceId, snapshotId)
      )
      const action = `deleting ${snapshot}`
      await awaitWork(session, { instanceId, taskId, name, deadline, action, before: instance.status })
    } catch (error) {
      // Deleted meanwhile, or by the request whose answer was lost.
      if (statusOf(error) === 404) return
      if (isFinal(error)) throw error
      throw new UserError(`${name}: ${what} was not deleted: ${sentence(explain(error))} Run the command again`, error)
    }
  })
}
