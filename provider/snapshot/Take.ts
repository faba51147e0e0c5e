/** Taking a snapshot once: it is looked for by its name before it is asked for, and before it is asked for again. */
import type { Snapshot } from "#contract/Snapshots"
import { ownerInState } from "../attached/Attached.ts"
import { findTask } from "../waiting/ActivityFeed.ts"
import { RETRY_WINDOW } from "../waiting/Retry.ts"
import { type Deadline, retryIdempotent } from "../waiting/Retry.ts"
import { poll } from "../waiting/Poll.ts"
import { explain, PartialCreateError, retryAfterOf, statusOf, UserError, WaitTimeoutError } from "../api/Errors.ts"
import { nameOf, present, type Properties } from "../definition/Properties.ts"
import type { Session } from "../session/Session.ts"
import type { SnapshotInputs } from "./Definition.ts"

export const idOf = (snapshot: Snapshot): string => `${snapshot.instance_id}/${snapshot.id}`

export const toOutputs = (inputs: SnapshotInputs, snapshot: Snapshot, userId: number | undefined): Properties =>
  present({
    ...inputs,
    snapshotId: snapshot.id,
    status: snapshot.status,
    sizeBytes: snapshot.size_bytes,
    createdAt: snapshot.created_at,
    userId
  })

/** The snapshot that these outputs stand for; undefined when the instance has it no longer. */
export const findSnapshot = async (session: Session, outputs: Properties): Promise<Snapshot | undefined> => {
  const all = await session.api.snapshots(Number(outputs["instanceId"]))
  return all.find(({ id }) => id === outputs["snapshotId"])
}

/**
 * The snapshot of this name that an earlier try took. A failed one holds nothing, and the service clears it away.
 * @throws UserError when there is one that is too old to be our own try.
 */
const findEarlier = async (
  session: Session,
  { __urn, instanceId, name }: SnapshotInputs
): Promise<Snapshot | undefined> => {
  const named = (await session.api.snapshots(Number(instanceId)))
    .filter((one) => one.name === name && one.status !== "failed" && (session.retainedBy(idOf(one)) ?? __urn) === __urn)
  const newest = named.toSorted((a, b) => a.id - b.id).at(-1)
  if (newest === undefined) return undefined
  const { created_at: taken, id } = newest
  const who = nameOf(__urn)
  if (session.host.now() - Date.parse(taken) > RETRY_WINDOW) {
    throw new UserError(
      `${who}: server ${instanceId} has a snapshot ${
        JSON.stringify(name)
      } already (id ${id}, taken on ${taken}), which `
        + "is too old to be an earlier try of this resource. None was taken. Give another name, or delete that one "
        + `with \`vps snapshot delete ${instanceId} ${id}\``
    )
  }
  session.host.info(
    `${who}: snapshot ${id} of server ${instanceId} was taken under this name on ${taken}; going on with it`
  )
  return newest
}

/** Takes it, or finds the one that an earlier try took. */
export const takeSnapshot = async (session: Session, inputs: SnapshotInputs, deadline: Deadline): Promise<Snapshot> => {
  const { __urn, instanceId, name } = inputs
  try {
    return await retryIdempotent(
      session,
      nameOf(__urn),
      deadline,
      async () =>
        await findEarlier(session, inputs) ?? (await session.api.snapshotCreate(Number(instanceId), name)).snapshot
    )
  } catch (error) {
    if (error instanceof UserError && !(error instanceof WaitTimeoutError)) throw error
    const refused = statusOf(error) === 409 && retryAfterOf(error) === undefined
    const hint = refused
      ? await quotaHint(session, instanceId)
      : "Run `pulumi up` again: it looks for the snapshot first and never takes it twice"
    throw new UserError(`${nameOf(__urn)}: no snapshot of server ${instanceId}: ${explain(error)}. ${hint}`, {
      cause: error
    })
  }
}

/** What stands in the way when the service refuses another snapshot: the quota, or the state of the server. */
const quotaHint = async (session: Session, instanceId: string): Promise<string> => {
  const id = Number(instanceId)
  const [all, live] = await Promise.all([
    session.api.snapshots(id).catch(() => []),
    session.api.status(id).catch(() => undefined)
  ])
  if (live === undefined || live.snapshots.used < live.snapshots.quota) return "Nothing was taken"
  const list = all.map(({ created_at, id, name }) => `${id} ${JSON.stringify(name)} of ${created_at}`).join(", ")
  return `Nothing was taken. It has ${all.length}: ${list}. To make room remove a Snapshot from the program and run `
    + `\`pulumi up\`, or run \`vps snapshot delete ${instanceId} <id>\``
}

/**
 * Waits until the snapshot is available, and returns the outputs.
 * @throws PartialCreateError when the wait ends early: the snapshot exists.
 * @throws UserError when it failed: then there is none.
 */
export const awaitSnapshot = async (
  session: Session,
  inputs: SnapshotInputs,
  known: Properties,
  deadline: Deadline
): Promise<Properties> => {
  const name = nameOf(inputs.__urn)
  const subject = `snapshot ${String(known["snapshotId"])} of server ${inputs.instanceId}`
  let outputs = known
  try {
    return await poll(session, {
      name,
      deadline,
      subject,
      observe: async () => {
        const seen = await findSnapshot(session, known)
        if (seen === undefined || seen.status === "failed") throw await snapshotFailure(session, inputs, subject)
        outputs = toOutputs(inputs, seen, ownerInState(known))
        return seen.status === "creating" ? undefined : outputs
      }
    })
  } catch (error) {
    if (error instanceof UserError && !(error instanceof WaitTimeoutError)) throw error
    throw new PartialCreateError(`${inputs.instanceId}/${String(known["snapshotId"])}`, outputs, [
      `${name}: ${subject} is begun, but not finished: ${explain(error)}. Run \`pulumi up\` again to go on waiting; no `
      + "second one is taken"
    ])
  }
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
    `${nameOf(__urn)}: ${what} could not be taken${reason}; it holds nothing. If it stands in the state, run `
      + "`pulumi refresh`; then `pulumi up` takes another"
  )
}
