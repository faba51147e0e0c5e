/** Takes a snapshot before a risky change; an existing one is found by its name. */
import type { Snapshot } from "#sdk/client/Records"
import { explain, sentence, statusOf, UserError } from "../../api/Errors.ts"
import { poll } from "../../waiting/Poll.ts"
import { snapshotName } from "./RequestIds.ts"
import { sendOnce } from "./SendOnce.ts"
import type { Work } from "./Work.ts"

export const takeSnapshot = async (work: Work, prefix: string): Promise<void> => {
  const { deadline, revision, name: resource, session } = work
  const { id } = work.instance
  const name = snapshotName(prefix, id, revision)
  const find = async (): Promise<Snapshot | undefined> =>
    (await session.api.snapshots(id)).find((one) => one.name === name && one.status !== "failed")
  if (await find() === undefined) await request(work, name, find)
  await poll(session, {
    name: resource,
    subject: `snapshot ${name} of instance ${id}`,
    deadline,
    observe: async () => {
      const snapshot = await find()
      if (snapshot === undefined) throw new UserError(`snapshot ${name} of instance ${id} could not be taken`)
      return snapshot.status === "available" ? snapshot : undefined
    }
  })
  session.host.info(`${resource}: snapshot ${name} of instance ${id} was taken`)
}

const request = async (work: Work, name: string, find: () => Promise<Snapshot | undefined>): Promise<void> => {
  const { session } = work
  const { id } = work.instance
  try {
    await sendOnce(work, async () => (await session.api.snapshotCreate(id, name)).snapshot, find)
  } catch (error) {
    if (statusOf(error) === 409) {
      throw new UserError(
        `snapshot ${name} could not be taken, so nothing was changed: ${
          sentence(explain(error))
        } Delete an older one first`,
        error
      )
    }
    throw error
  }
}
