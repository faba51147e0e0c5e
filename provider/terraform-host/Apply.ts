/** The other calls about a resource: apply, read, import. */
import { explain, PartialCreateError, UserError } from "../api/Errors.ts"
import type { CheckFailure } from "../definition/Definition.ts"
import type { DeletionPolicy } from "../Config.ts"
import { nameOf, type Properties } from "../definition/Properties.ts"
import { INSTANCE } from "../instance/Definition.ts"
import { ACCEPTED, asAdopted, CONTINUES, type Run } from "./Plan.ts"
import { inputsOf, outputsOf, pack, type Resource, stateOf, toPrivate, unpack, urnOf } from "./Resources.ts"
import type { State } from "./Schema.ts"

export interface Apply {
  readonly prior: State | null
  readonly planned: State | null
  readonly config: State
  readonly plannedPrivate: Uint8Array | undefined
}

export interface Applied {
  readonly state: State | null
  readonly private: Uint8Array | undefined
  readonly errors?: ReadonlyArray<string>
  readonly failures?: ReadonlyArray<CheckFailure>
}

export const apply = async (run: Run, resource: Resource, change: Apply): Promise<Applied> => {
  const { planned, plannedPrivate, prior } = change
  try {
    if (planned === null) return await applyDelete(run, resource, prior!, plannedPrivate)
    return await applyChange(run, resource, change)
  } catch (error) {
    if (error instanceof PartialCreateError) {
      const inputs = inputsOf(resource, change.config)
      const { properties, reasons, resourceId } = error
      const observed = stateOf(resource, resourceId, properties, prior === null ? change.config : null, planned)
      return { state: observed, private: pack(toPrivate(properties, inputs)), errors: reasons }
    }
    return { state: prior, private: plannedPrivate, errors: [explain(error)] }
  }
}

const applyDelete = async (
  { session }: Run,
  resource: Resource,
  prior: State,
  bytes: Uint8Array | undefined
): Promise<Applied> => {
  const { [ACCEPTED]: accepted, [CONTINUES]: continues, ...own } = unpack(bytes)
  const id = String(prior["id"])
  if (continues === id) return { state: null, private: undefined }
  if (accepted !== undefined) session.acceptedPolicies.set(Number(id), accepted as DeletionPolicy)
  await resource.lifecycle.delete(session, id, outputsOf(resource, prior, pack(own)))
  return { state: null, private: undefined }
}

const applyChange = async (
  { session }: Run,
  resource: Resource,
  { config, plannedPrivate, prior }: Apply
): Promise<Applied> => {
  const { lifecycle } = resource
  const inputs = asAdopted(session, inputsOf(resource, config))
  const olds = prior === null ? undefined : outputsOf(resource, prior, plannedPrivate, config)
  const before = olds && lifecycle.inputsOf(olds)
  const { failures, inputs: checked } = await lifecycle.check(session, before, inputs)
  if (failures.length > 0) return { state: prior, private: plannedPrivate, failures }
  const { id, outputs } = olds === undefined
    ? await lifecycle.create(session, checked)
    : { id: String(prior!["id"]), outputs: await lifecycle.update(session, String(prior!["id"]), olds, checked) }
  return {
    state: stateOf(resource, id, outputs, config, null),
    private: pack(toPrivate(outputs, inputsOf(resource, config)))
  }
}

export const remember = ({ inState }: Run, resource: Resource, state: State, outputs: Properties): void => {
  const { id, name } = state
  if (resource.definition !== INSTANCE || typeof name !== "string" || id === null || id === undefined) return
  inState.set(name, { id: String(id), outputs })
}

export const read = async (
  run: Run,
  resource: Resource,
  current: State,
  bytes: Uint8Array | undefined
): Promise<Applied> => {
  const outputs = outputsOf(resource, current, bytes)
  remember(run, resource, current, outputs)
  const id = String(current["id"])
  const found = await resource.lifecycle.read(run.session, id, outputs)
  if (found === undefined) return { state: null, private: undefined }
  return {
    state: stateOf(resource, id, found.outputs, null, current),
    private: pack({ ...unpack(bytes), ...toPrivate(found.outputs, undefined) })
  }
}

/** The engine does not say for which resource it imports; an instance gets the name of its host. */
export const importOne = async ({ session }: Run, resource: Resource, id: string): Promise<Applied> => {
  const { definition, lifecycle, type } = resource
  if (lifecycle.import === undefined) throw new UserError(`${type} is an action and cannot be imported`)
  const urn = urnOf(resource, { name: `${type} ${id}`, ip: `${type} ${id}` })
  const found = await lifecycle.import(session, id, urn)
  if (found === undefined) throw new UserError(`${nameOf(urn)} does not exist`)
  const name = definition === INSTANCE ? { name: found.outputs["hostname"] ?? `instance-${id}` } : {}
  const onDelete = definition === INSTANCE ? {} : { onDelete: "keep" }
  const state = stateOf(resource, found.id, { ...onDelete, ...found.outputs }, null, name)
  return { state, private: pack(toPrivate(found.outputs, found.inputs)) }
}
