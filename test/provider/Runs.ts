/** The lifecycle as an engine calls it, over a state of one resource: enough to tell a story in a test. */
import { instanceLifecycle } from "#provider/instance/Instance"
import { Unfinished } from "#provider/Problem"
import type { Properties } from "#provider/Properties"
import type { Session } from "#provider/Session"

export const URN = "urn:pulumi:prod::shop::vps:index:Instance::web"

export interface Stored {
  readonly id: string
  readonly inputs: Properties
  readonly outputs: Properties
  /** Why the engine will call `update` on the next run even when nothing differs. */
  readonly reasons: ReadonlyArray<string>
}

export const check = async (
  session: Session,
  olds: Properties | undefined,
  program: Properties
): Promise<Properties> => {
  const { failures, inputs } = await instanceLifecycle.check(session, olds, { __urn: URN, ...program })
  if (failures.length > 0) throw new Error(failures.map(({ property, reason }) => `${property}: ${reason}`).join("\n"))
  return inputs
}

const keep = async (
  inputs: Properties,
  before: Properties,
  work: () => Promise<{ id: string; outputs: Properties }>
) => {
  try {
    return { ...await work(), inputs, reasons: [] }
  } catch (error) {
    if (!(error instanceof Unfinished)) throw error
    return { id: error.resourceId, outputs: error.properties, inputs: before, reasons: error.reasons }
  }
}

/** One `pulumi up` in a process of its own; answers what the state holds then. */
export const up = async (session: Session, program: Properties, old?: Stored): Promise<Stored> => {
  const inputs = await check(session, old?.inputs, program)
  if (old === undefined) return await keep(inputs, inputs, () => instanceLifecycle.create(session, inputs))
  const { changed, replaces } = await instanceLifecycle.diff(session, old.id, old.outputs, inputs)
  if (replaces.length > 0) {
    const fresh = await check(session, undefined, program)
    const made = await keep(fresh, fresh, () => instanceLifecycle.create(session, fresh))
    await instanceLifecycle.delete(session, old.id, old.outputs)
    return made
  }
  if (changed.length === 0 && old.reasons.length === 0) return { ...old, inputs }
  return await keep(inputs, old.inputs, async () => ({
    id: old.id,
    outputs: await instanceLifecycle.update(session, old.id, old.outputs, inputs)
  }))
}
