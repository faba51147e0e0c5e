/** The lifecycle of a Snapshot. */
import { explain, isFinal, sentence, statusOf, UserError } from "../api/Errors.ts"
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
import { isUnknown, nameOf, type Properties } from "../definition/Properties.ts"
import { parentInState, parentOutputs } from "../session/Identity.ts"
import type { Lifecycle } from "../session/Lifecycle.ts"
import type { Session } from "../session/Session.ts"
import { awaitTask } from "../waiting/ActivityFeed.ts"
import { retryIdempotent } from "../waiting/Retry.ts"
import { asInputs, SNAPSHOT, type SnapshotInputs } from "./Definition.ts"
import { awaitSnapshot, findSnapshot, idOf, replacement, takeSnapshot, toOutputs, warnOfFullQuota } from "./Take.ts"

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
      session.retain(idOf(snapshot), inputs.__urn)
      const outputs = await awaitSnapshot(session, inputs, toOutputs(inputs, snapshot, parent), deadline)
      return { id: idOf(snapshot), outputs }
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
    const observed = { ...outputs, ...toOutputs(asInputs(outputs), snapshot, parent), name: snapshot.name }
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
  delete: (session, id, outputs) => remove(session, id, asInputs(outputs), outputs)
}

const remove = async (
  session: Session,
  id: string,
  inputs: SnapshotInputs,
  outputs: Properties
): Promise<void> => {
  const name = nameOf(inputs.__urn)
  const snapshotId = Number(outputs["snapshotId"])
  const snapshot = `snapshot ${snapshotId} (${JSON.stringify(inputs.name)})`
  const what = `${snapshot} of instance ${inputs.instanceId}`
  if (session.retainedBy(id) !== undefined) {
    return session.host.info(`${name}: the stack still manages ${what}; only the old state entry is removed`)
  }
  await assertParentReachable(session, outputs)
  if (inputs.onDelete === "keep") {
    return session.host.warn(`${name}: ${what} is left in place and still counts towards the quota (onDelete: "keep")`)
  }
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
      if (taskId !== null) await awaitTask(session, { instanceId, taskId, name, deadline, action })
    } catch (error) {
      // Deleted meanwhile, or by the request whose answer was lost.
      if (statusOf(error) === 404) return
      if (isFinal(error)) throw error
      throw new UserError(`${name}: ${what} was not deleted: ${sentence(explain(error))} Run the command again`, error)
    }
  })
}
