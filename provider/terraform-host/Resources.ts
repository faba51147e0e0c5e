/** The resources: their attributes, and the conversion between the engine's objects and the lifecycles' properties. */
import type { Definition } from "../definition/Definition.ts"
import { isHidden, isUnknown, present, type Properties, same, UNKNOWN } from "../definition/Properties.ts"
import { INSTANCE } from "../instance/Definition.ts"
import { instanceLifecycle } from "../instance/Instance.ts"
import { BACKUP_RESTORE, SNAPSHOT_RESTORE } from "../restore/Definition.ts"
import { backupRestoreLifecycle, snapshotRestoreLifecycle } from "../restore/Restore.ts"
import { REVERSE_DNS } from "../reverse-dns/Definition.ts"
import { reverseDnsLifecycle } from "../reverse-dns/ReverseDns.ts"
import type { Lifecycle } from "../session/Lifecycle.ts"
import { SNAPSHOT } from "../snapshot/Definition.ts"
import { snapshotLifecycle } from "../snapshot/Snapshot.ts"
import { type Attribute, attributesOf, fromEngine, type State, withMinorUnits } from "./Schema.ts"

export interface Resource {
  readonly type: string
  readonly definition: Definition
  readonly lifecycle: Lifecycle
  readonly attributes: ReadonlyArray<Attribute>
  /** The name in messages and in the identity; from known values. */
  readonly nameOf: (values: Properties) => string
  /** The properties that the attributes of this host alone mean. */
  readonly adapt: (inputs: Properties, config: Properties) => Properties
}

const known = (value: unknown): string | undefined =>
  value === undefined || isUnknown(value) ? undefined : String(value)

const replaceAttribute = (
  attributes: ReadonlyArray<Attribute>,
  name: string,
  ...instead: ReadonlyArray<Attribute>
): ReadonlyArray<Attribute> => attributes.flatMap((one) => one.name === name ? instead : [one])

const only = (attributes: ReadonlyArray<Attribute>, name: string, change: Partial<Attribute>) =>
  attributes.map((one) => one.name === name ? { ...one, ...change } : one)

const INSTANCE_ATTRIBUTES: ReadonlyArray<Attribute> = [
  {
    name: "name",
    type: "string",
    required: true,
    description: "The name of the purchase: together with the provider's `idempotency_scope` and `generation` it buys "
      + "one instance, once. Changing it buys nothing."
  },
  ...only(
    only(attributesOf(INSTANCE), "root_password", {
      description:
        "Root password to install with. It is in the state; `root_password_wo` is not. Takes: string, 8 to 20 "
        + "characters. Default: the service generates one and does not show it. A change takes effect at the next "
        + "reinstall."
    }),
    "password_rotation",
    {
      description: "Any text; a change of it resets the root password, which `current_root_password` then shows. The "
        + "value at the purchase or the adoption is only recorded. Takes: string, 1 to 64 characters."
    }
  ),
  {
    name: "current_root_password",
    type: "string",
    computed: true,
    sensitive: true,
    description: "The root password where it is not the configured one: `password_rotation` has set it, or a changed "
      + "`root_password` waits for a reinstall."
  },
  {
    name: "root_password_wo",
    type: "string",
    optional: true,
    sensitive: true,
    write_only: true,
    description: "Root password to install with, which is never stored. Needs `root_password_wo_version`."
  },
  {
    name: "root_password_wo_version",
    type: "number",
    optional: true,
    description: "Change it with `root_password_wo`: the state shows a new password by its version."
  }
]

const REVERSE_DNS_ATTRIBUTES = replaceAttribute(attributesOf(REVERSE_DNS), "on_delete", {
  name: "reset_to",
  type: "string",
  optional: true,
  description: "The host name to set when the record is destroyed, because the API cannot remove it. Without this it "
    + "stays as it is."
})

const plain = (inputs: Properties): Properties => inputs

const restore = (
  definition: Definition,
  type: string,
  lifecycle: Lifecycle,
  noun: "snapshot" | "backup"
): Resource => ({
  type,
  definition,
  lifecycle,
  attributes: attributesOf(definition),
  nameOf: (values) => {
    const from = known(values[`${noun}Id`])
    return from === undefined ? noun : `${noun}-${from}`
  },
  adapt: plain
})

export const RESOURCES: ReadonlyMap<string, Resource> = new Map(
  ([
    {
      type: "vps_instance",
      definition: INSTANCE,
      lifecycle: instanceLifecycle,
      attributes: INSTANCE_ATTRIBUTES,
      nameOf: ({ name }) => known(name) ?? "instance",
      adapt: (inputs, { root_password_wo: password }) =>
        password === undefined ? inputs : { ...inputs, rootPassword: password }
    },
    {
      type: "vps_snapshot",
      definition: SNAPSHOT,
      lifecycle: snapshotLifecycle,
      // The engine destroys it before its instance, and an instance that stays keeps its snapshots.
      attributes: only(attributesOf(SNAPSHOT), "on_delete", {
        computed: true,
        description: "The effect of destroying. keep: leaves the snapshot; it still counts towards the quota. delete: "
          + "deletes it. Default: \"keep\"."
      }),
      nameOf: ({ name }) => known(name) ?? "snapshot",
      adapt: (inputs) => ({ onDelete: "keep", ...inputs })
    },
    {
      type: "vps_reverse_dns",
      definition: REVERSE_DNS,
      lifecycle: reverseDnsLifecycle,
      attributes: REVERSE_DNS_ATTRIBUTES,
      nameOf: ({ ip }) => known(ip) ?? "reverse DNS",
      adapt: (inputs, { reset_to: resetTo }) => resetTo === undefined ? inputs : { ...inputs, onDelete: { resetTo } }
    },
    restore(SNAPSHOT_RESTORE, "vps_snapshot_restore", snapshotRestoreLifecycle, "snapshot"),
    restore(BACKUP_RESTORE, "vps_backup_restore", backupRestoreLifecycle, "backup")
  ] satisfies ReadonlyArray<Resource>).map((one) => [one.type, one])
)

/** In place of a URN; the last part is the name. */
export const urnOf = ({ nameOf, type }: Resource, values: Properties): string =>
  `urn:terraform::vps::${type}::${nameOf(values)}`

/** By the names of the attributes, without those that are null. */
const valuesOf = ({ attributes }: Resource, object: State): Properties =>
  present(Object.fromEntries(attributes.map(({ name, type }) => [name, fromEngine(type, object[name])])))

/** By the names of the properties. */
const propertiesOf = (resource: Resource, object: State): Properties => {
  const values = valuesOf(resource, object)
  const named = Object.fromEntries(
    resource.attributes.flatMap(({ name, property }) => property === undefined ? [] : [[property, values[name]]])
  )
  return present({ ...named, name: values["name"] })
}

export const inputsOf = (resource: Resource, config: State): Properties => {
  const { adapt, definition } = resource
  const properties = propertiesOf(resource, config)
  const inputs = Object.fromEntries(Object.entries(properties).filter(([name]) => name in definition.inputs))
  return { ...adapt(inputs, valuesOf(resource, config)), __urn: urnOf(resource, properties) }
}

// The private bytes of the engine's state, which are not encrypted: no secret is among them.

const SECRET = new Set(["__rootPassword", "__urn", "__timeout"])

export const toPrivate = (outputs: Properties, inputs: Properties | undefined): Properties => ({
  ...Object.fromEntries(Object.entries(outputs).filter(([name]) => isHidden(name) && !SECRET.has(name))),
  // The state shows the configured key, which a reinstall may still have to install.
  ...(outputs["pendingSshKey"] === undefined ? {} : { __installedSshKey: outputs["sshPublicKey"] ?? "" }),
  ...(inputs === undefined ? {} : { __declared: Object.keys(inputs).filter((name) => !isHidden(name)) })
})

export const pack = (properties: Properties): Buffer => Buffer.from(JSON.stringify(properties))

export const unpack = (bytes: Uint8Array | undefined): Properties =>
  bytes === undefined || bytes.length === 0 ? {} : JSON.parse(Buffer.from(bytes).toString()) as Properties

/** The outputs in the state. `config` has the write-only password, if its version is the one in the state. */
export const outputsOf = (
  resource: Resource,
  state: State,
  bytes: Uint8Array | undefined,
  config?: State | null
): Properties => {
  const all = propertiesOf(resource, state)
  const { __installedSshKey: installed, ...own } = unpack(bytes)
  const outputs: Record<string, unknown> = { ...all, ...own, __urn: urnOf(resource, all) }
  if (resource.definition !== INSTANCE) return adapted(resource, outputs, state)
  delete outputs["name"]
  if (outputs["pendingSshKey"] !== undefined) outputs["sshPublicKey"] = installed === "" ? undefined : installed
  const written = config?.["root_password_wo"]
  const isSame = written !== undefined && written !== null
    && same(state["root_password_wo_version"], config?.["root_password_wo_version"])
  const configured = isSame ? written : state["root_password"] ?? undefined
  const current = state["current_root_password"] ?? configured
  return present({ ...outputs, rootPassword: current, __rootPassword: current === configured ? undefined : configured })
}

const adapted = ({ adapt, definition }: Resource, outputs: Properties, state: State): Properties =>
  definition === REVERSE_DNS ? adapt(outputs, present({ reset_to: state["reset_to"] })) : outputs

/**
 * The engine's object of these outputs. Configured attributes come back as configured; `config` is null in a refresh,
 * which shows what was observed, and `before` has the attributes that no output shows.
 */
export const stateOf = (
  resource: Resource,
  id: string,
  outputs: Properties,
  config: State | null,
  before: State | null
): State => {
  const inputs = resource.lifecycle.inputsOf(outputs)
  const entries = resource.attributes.map(({ computed, name, property, write_only: isWriteOnly, type }) => {
    if (name === "id") return [name, id]
    if (isWriteOnly === true) return [name, null]
    const configured = config?.[name] ?? null
    if (configured !== null) return [name, fromEngine(type, configured)]
    if (name === "current_root_password") return [name, currentPassword(outputs, config, before)]
    // A refresh observes no password, so it must not take the current one for the configured one.
    if (name === "root_password" && config === null && (before?.[name] ?? null) === null) return [name, null]
    if (property === undefined || (name === "name" && resource.definition === INSTANCE)) {
      return [name, computed === true ? null : config === null ? before?.[name] ?? null : null]
    }
    if (computed === true) return [name, outputs[property] ?? null]
    return [name, config === null ? inputs[property] ?? null : null]
  })
  return withMinorUnits(Object.fromEntries(entries) as State)
}

/** A configured password is not shown again. */
const currentPassword = (outputs: Properties, config: State | null, before: State | null): unknown => {
  const { __rootPassword: configured, rootPassword: current = null } = outputs
  const given = config ?? before
  // After a create it is the configured one. After an update it may be another one: a rotation sets one, and a change
  // waits for a reinstall.
  if (current === UNKNOWN) return before === null && given?.["root_password"] !== null ? null : UNKNOWN
  if (configured !== undefined) return current
  const shown = before?.["current_root_password"] ?? null
  // A refresh shows one only if the state does: the state has no password that is written only.
  if (config === null && shown !== UNKNOWN) return shown === null ? null : current
  return given?.["root_password"] === current || given?.["root_password_wo_version"] !== null ? null : current
}
