/** A lifecycle as an engine calls it, over a state of one resource: enough for a sequence of runs in a test. */
import { instanceLifecycle } from "#provider/instance/Instance"
import type { Lifecycle } from "#provider/session/Lifecycle"
import { PartialCreateError } from "#provider/api/Errors"
import type { Properties } from "#provider/definition/Properties"
import type { Session } from "#provider/session/Session"

export const URN = "urn:pulumi:prod::shop::vps:index:Instance::web"

export interface Stored {
  readonly id: string
  readonly inputs: Properties
  readonly outputs: Properties
  /** The reasons for which the engine calls `update` on the next run even without a difference. */
  readonly reasons: ReadonlyArray<string>
}

const keep = async (
  inputs: Properties,
  before: Properties,
  work: () => Promise<{ id: string; outputs: Properties }>
) => {
  try {
    return { ...await work(), inputs, reasons: [] }
  } catch (error) {
    if (!(error instanceof PartialCreateError)) throw error
    return { id: error.resourceId, outputs: error.properties, inputs: before, reasons: error.reasons }
  }
}

/** The calls of an engine for a resource with this URN. */
export const engineFor = (lifecycle: Lifecycle, urn: string) => {
  const check = async (session: Session, olds: Properties | undefined, program: Properties): Promise<Properties> => {
    const { failures, inputs } = await lifecycle.check(session, olds, { __urn: urn, ...program })
    if (failures.length === 0) return inputs
    throw new Error(failures.map(({ property, reason }) => `${property}: ${reason}`).join("\n"))
  }
  const create = (session: Session, inputs: Properties): Promise<Stored> =>
    keep(inputs, inputs, () => lifecycle.create(session, inputs))

  /** One `pulumi up` in a process of its own; returns the new state. */
  const up = async (session: Session, program: Properties, old?: Stored): Promise<Stored> => {
    const inputs = await check(session, old?.inputs, program)
    if (old === undefined) return await create(session, inputs)
    const { changed, deleteBeforeReplace = false, replaces } = await lifecycle.diff(
      session,
      old.id,
      old.outputs,
      inputs
    )
    if (replaces.length > 0) {
      const fresh = await check(session, undefined, program)
      if (deleteBeforeReplace) await lifecycle.delete(session, old.id, old.outputs)
      const made = await create(session, fresh)
      if (!deleteBeforeReplace) await lifecycle.delete(session, old.id, old.outputs)
      return made
    }
    if (changed.length === 0 && old.reasons.length === 0) return { ...old, inputs }
    return await keep(inputs, old.inputs, async () => ({
      id: old.id,
      outputs: await lifecycle.update(session, old.id, old.outputs, inputs)
    }))
  }
  /** One `pulumi refresh` in a process of its own; returns the new state. */
  const refresh = async (session: Session, old: Stored): Promise<Stored> => {
    const found = await lifecycle.read(session, old.id, { ...old.outputs, __urn: urn })
    if (found === undefined) throw new Error(`${old.id} is gone`)
    return { id: old.id, inputs: found.inputs, outputs: found.outputs, reasons: [] }
  }
  return { check, refresh, up }
}

export const { check, refresh, up } = engineFor(instanceLifecycle, URN)
