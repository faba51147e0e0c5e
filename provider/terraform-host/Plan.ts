/** PlanResourceChange: what an apply will do, buy and keep, before anything is touched. */
import { isEnded, UserError } from "../api/Errors.ts"
import type { CheckFailure } from "../definition/Definition.ts"
import { previewCreate, previewUpdate } from "../definition/Preview.ts"
import { isUnknown, nameOf, present, type Properties, same, UNKNOWN } from "../definition/Properties.ts"
import { generationOf, INSTANCE } from "../instance/Definition.ts"
import { nameHasInstance } from "../instance/state/Messages.ts"
import { purchaseKey } from "../purchase/PurchaseKey.ts"
import type { Session } from "../session/Session.ts"
import { inputsOf, outputsOf, pack, type Resource, stateOf, unpack, urnOf } from "./Resources.ts"
import type { State } from "./Schema.ts"

/** One run of the engine: what it has shown of its state, and what it has planned. */
export interface Run {
  readonly session: Session
  /** The instances in the state, by name, as the engine has shown them. */
  readonly inState: Map<string, { readonly id: string; readonly outputs: Properties }>
  /** The names that were planned: each buys one instance. */
  readonly planned: Set<string>
  /** The purchases whose name is not known yet. */
  unnamed: number
}

export interface Change {
  readonly prior: State | null
  readonly proposed: State | null
  readonly config: State
  readonly priorPrivate: Uint8Array | undefined
}

export interface Planned {
  readonly state: State | null
  readonly private: Uint8Array | undefined
  readonly replaces?: ReadonlyArray<string>
  readonly failures?: ReadonlyArray<CheckFailure>
}

/** In the private bytes of a replacement, which the engine hands to both of its halves. */
export const CONTINUES = "__continues"
export const ACCEPTED = "__accepted"
const NAME = "__name"

export const plan = async (run: Run, resource: Resource, change: Change): Promise<Planned> => {
  const { prior, proposed } = change
  if (proposed === null) return await planDelete(run, resource, prior!, change.priorPrivate)
  return prior === null ? await planCreate(run, resource, change) : await planUpdate(run, resource, change, prior)
}

const planDelete = async (
  { session }: Run,
  resource: Resource,
  prior: State,
  bytes: Uint8Array | undefined
): Promise<Planned> => {
  await resource.lifecycle.planDelete?.(session, String(prior["id"]), outputsOf(resource, prior, bytes))
  const accepted = resource.definition === INSTANCE ? session.acceptedPolicies.get(Number(prior["id"])) : undefined
  return { state: null, private: pack({ ...unpack(bytes), [ACCEPTED]: accepted }) }
}

/** Two resources of one name would share an instance. The engine plans a replacement twice. */
const claimName = ({ planned }: Run, name: string, bytes: Uint8Array | undefined, isCreate: boolean): void => {
  const isSecondCall = isCreate && unpack(bytes)[NAME] === name
  if (planned.has(name) && !isSecondCall) {
    throw new UserError(`${name}: another vps_instance has this name. Each name buys one instance: use another one.`)
  }
  planned.add(name)
}

const NO_SCOPE = "no idempotency_scope is set, so this purchase is not distinguished from one of another workspace or "
  + "configuration. Set it in the provider block, such as idempotency_scope = \"shop-${terraform.workspace}\", or set "
  + "VPS_IDEMPOTENCY_SCOPE"

/** Other changes may be planned with a key that cannot apply them, but only one that may buy sees the charge. */
const refusedPurchase = async (session: Session): Promise<string | undefined> => {
  if (session.settings.idempotencyScope === "") return NO_SCOPE
  const missing = await session.missingScope("vps:create", "buying an instance")
  return missing && `${missing}. Use a key with this scope, also for a plan, which shows the charge`
}

/** The instance that a replacement keeps: the same generation of the same name. */
const continued = async (run: Run, resource: Resource, inputs: Properties): Promise<string | undefined> => {
  const { inState, session } = run
  const urn = String(inputs["__urn"])
  const before = inState.get(nameOf(urn))
  if (before === undefined) return undefined
  const { id, outputs } = before
  const { generation = 1 } = outputs
  const { generation: wanted = session.settings.generations.get(nameOf(urn)) ?? 1 } = inputs
  if (!same(generation, wanted)) {
    // Refused here, not after the purchase.
    session.plannedUrns.add(urn)
    await resource.lifecycle.diff(session, id, { ...outputs, __urn: urn }, inputs)
    return undefined
  }
  session.continued.set(urn, { id: Number(id), key: String(outputs["purchaseKey"] ?? "") })
  session.host.warn(
    `${nameOf(urn)}: instance ${id} is not replaced. It stays, and nothing is bought or deleted: the replacement only `
      + "applies the configuration to it"
  )
  return id
}

const planCreate = async (run: Run, resource: Resource, change: Change): Promise<Planned> => {
  const { session } = run
  const isInstance = resource.definition === INSTANCE
  const isUnnamed = isInstance && isUnknown(change.config["name"])
  const inputs = isUnnamed ? unnamed(run, resource, change.config) : inputsOf(resource, change.config)
  const name = nameOf(inputs["__urn"])
  if (isInstance && !isUnnamed) claimName(run, name, change.priorPrivate, true)
  const kept = isInstance && !isUnnamed ? await continued(run, resource, inputs) : undefined
  const isPurchase = isInstance && kept === undefined && inputs["adoptInstanceId"] === undefined
  const refusal = isPurchase ? await refusedPurchase(session) : undefined
  if (refusal !== undefined) return { ...unchanged(change), failures: [{ property: "", reason: refusal }] }
  const wanted = asAdopted(session, inputs)
  const { failures, inputs: checked } = await resource.lifecycle.check(session, undefined, wanted)
  if (failures.length > 0) return { ...unchanged(change), failures }
  // The name decides which purchase it is, and so all that is known of it: the engine plans it again at the apply.
  const known = isUnnamed ? {} : await resource.lifecycle.previewOutputs?.(session, checked) ?? {}
  const outputs = previewCreate(resource.definition, checked, known)
  const markers = isInstance
    ? { [CONTINUES]: kept, [ACCEPTED]: acceptedFor(run, name), [NAME]: isUnnamed ? undefined : name }
    : {}
  return {
    state: stateOf(
      resource,
      isUnnamed ? UNKNOWN : await knownId(session, isInstance, checked),
      outputs,
      change.config,
      null
    ),
    private: pack(present(markers))
  }
}

/** Each has a name of its own, so that the plan counts the charge of each. */
const unnamed = (run: Run, resource: Resource, config: State): Properties => {
  run.unnamed++
  const name = `instance ${run.unnamed} with a name that is known after the apply`
  return { ...inputsOf(resource, config), __urn: urnOf(resource, { name }) }
}

/** The policy under which the old instance of this name may go: the engine deletes it before the new one is bought. */
const acceptedFor = ({ inState, session }: Run, name: string): string | undefined =>
  session.acceptedPolicies.get(Number(inState.get(name)?.id))

/** An imported instance was not bought under its name: a replacement adopts it again. */
export const asAdopted = (session: Session, inputs: Properties): Properties => {
  const kept = session.continued.get(String(inputs["__urn"]))
  if (kept === undefined || kept.key !== "") return inputs
  return { ...inputs, adoptInstanceId: kept.id }
}

/** The id of an instance that exists: what depends on it is not replaced. */
const knownId = async (session: Session, isInstance: boolean, inputs: Properties): Promise<string> => {
  const { __purchaseKey: key, adoptInstanceId: adopted } = inputs
  if (!isInstance || isUnknown([adopted, inputs["generation"]])) return UNKNOWN
  if (adopted !== undefined) return String(adopted)
  const found = await session.purchases.find(String(key)).catch(() => undefined)
  return found === undefined ? UNKNOWN : String(found.id)
}

const unchanged = ({ prior, priorPrivate, proposed }: Change): Planned => ({
  state: proposed ?? prior,
  private: priorPrivate
})

const planUpdate = async (run: Run, resource: Resource, change: Change, prior: State): Promise<Planned> => {
  const { session } = run
  const { config, priorPrivate } = change
  const { definition, lifecycle } = resource
  const olds = outputsOf(resource, prior, priorPrivate, config)
  const inputs = lenient(inputsOf(resource, config), olds)
  const name = nameOf(inputs["__urn"])
  const isNamed = definition === INSTANCE && !isUnknown(config["name"])
  if (isNamed) {
    claimName(run, name, priorPrivate, false)
    await warnOfTakenName(session, prior, inputs)
  }
  const { failures, inputs: checked } = await lifecycle.check(session, lifecycle.inputsOf(olds), inputs)
  if (failures.length > 0) return { ...unchanged(change), failures }
  const id = String(prior["id"])
  const { changed, replaces } = await lifecycle.diff(session, id, olds, checked)
  // The engine plans a replacement by request once more, without the prior state.
  const own = isNamed ? pack({ ...unpack(priorPrivate), [NAME]: name }) : priorPrivate
  if (changed.length === 0 && isConfigured(resource, config, prior)) return { state: prior, private: own }
  const known = await lifecycle.previewOutputs?.(session, checked, olds) ?? {}
  const outputs = { ...unsettled(resource, previewUpdate(definition, olds, checked), olds, checked), ...known }
  return {
    state: stateOf(resource, id, outputs, config, prior),
    private: own,
    replaces
  }
}

/** A list with `count` that loses an element gives its next instance the name, and with it the settings, of another. */
const warnOfTakenName = async (session: Session, prior: State, inputs: Properties): Promise<void> => {
  const { settings, words: { prefix } } = session
  const urn = String(inputs["__urn"])
  if (prior["name"] === nameOf(urn) || isUnknown(inputs["generation"])) return
  const identity = { scope: settings.idempotencyScope, urn, generation: generationOf(inputs), prefix }
  const found = await session.purchases.find(purchaseKey(identity)).catch(() => undefined)
  const id = String(prior["id"])
  if (found === undefined || String(found.id) === id || isEnded(found.status)) return
  session.host.warn(nameHasInstance(nameOf(urn), id, String(prior["name"]), found.id))
}

/** A configuration that was generated by an import has both ways to write the plan. */
const lenient = (inputs: Properties, { plan: slug, serviceId }: Properties): Properties => {
  if (inputs["plan"] !== slug || inputs["serviceId"] !== serviceId) return inputs
  const { plan: _, ...rest } = inputs
  return rest
}

/** True when the state has every value that the program sets. */
const isConfigured = ({ attributes }: Resource, config: State, prior: State): boolean =>
  attributes.every(({ computed, name, required, write_only: isWriteOnly }) => {
    const wanted = config[name] ?? null
    if (isWriteOnly === true || (wanted === null && computed === true && required !== true)) return true
    return same(String(wanted), String(prior[name] ?? null)) || same(wanted, prior[name] ?? null)
  })

/** Outputs that may change meanwhile are unknown: the engine refuses a result that differs from its plan. */
const unsettled = ({ definition }: Resource, outputs: Properties, olds: Properties, inputs: Properties): Properties => {
  const isStable = (name: string) => definition.outputs[name]?.stable === true && olds[name] !== undefined
  const later = Object.keys(definition.outputs).filter((name) => !isStable(name))
  const chosen = same(olds["serviceId"], inputs["serviceId"])
    ? []
    : ["plan"].filter((name) => inputs[name] === undefined)
  return { ...outputs, ...Object.fromEntries([...later, ...chosen].map((name) => [name, UNKNOWN])) }
}
