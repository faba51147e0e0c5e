/** The resources of the plugin by their type token. */
import type { Definition } from "../definition/Definition.ts"
import { INSTANCE } from "../instance/Definition.ts"
import { instanceLifecycle } from "../instance/Instance.ts"
import { BACKUP_RESTORE, SNAPSHOT_RESTORE } from "../restore/Definition.ts"
import { backupRestoreLifecycle, snapshotRestoreLifecycle } from "../restore/Restore.ts"
import { REVERSE_DNS } from "../reverse-dns/Definition.ts"
import { reverseDnsLifecycle } from "../reverse-dns/ReverseDns.ts"
import type { Lifecycle } from "../session/Lifecycle.ts"
import { SNAPSHOT } from "../snapshot/Definition.ts"
import { snapshotLifecycle } from "../snapshot/Snapshot.ts"
import { BadRequest } from "./GrpcError.ts"

export interface Registration {
  readonly definition: Definition
  readonly lifecycle: Lifecycle
  /** Names of the properties that are always secret. */
  readonly secrets: ReadonlyArray<string>
}

const register = (definition: Definition, lifecycle: Lifecycle): readonly [string, Registration] => {
  const all = Object.entries({ ...definition.inputs, ...definition.outputs })
  const secrets = all.filter(([, { secret }]) => secret === true).map(([name]) => name)
  // The program's value, where another one is set.
  return [`vps:index:${definition.name}`, { definition, lifecycle, secrets: [...secrets, "__rootPassword"] }]
}

const REGISTRY: ReadonlyMap<string, Registration> = new Map([
  register(INSTANCE, instanceLifecycle),
  register(SNAPSHOT, snapshotLifecycle),
  register(REVERSE_DNS, reverseDnsLifecycle),
  register(SNAPSHOT_RESTORE, snapshotRestoreLifecycle),
  register(BACKUP_RESTORE, backupRestoreLifecycle)
])

/** The type in urn:pulumi:<stack>::<project>::<types of the parents>$<type>::<name>; undefined for any other text. */
const typeIn = (urn: string): string | undefined => {
  const [begin = "", , types, ...name] = urn.split("::")
  // Only a name may contain two colons.
  return begin.startsWith("urn:pulumi:") && name.join("::") !== "" ? types?.split("$").at(-1) : undefined
}

/** @throws BadRequest for a text that is not a URN, and for an unknown type. */
export const registrationFor = (urn: string): Registration => {
  const type = typeIn(urn)
  if (type === undefined) throw new BadRequest(`invalid URN: ${JSON.stringify(urn)}`)
  const found = REGISTRY.get(type)
  if (found !== undefined) return found
  throw new BadRequest(`unknown resource type ${type}; the types are ${[...REGISTRY.keys()].join(", ")}`)
}
