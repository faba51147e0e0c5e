/** The disk that a storage pool can be promised for, by what is really left in it: files of others take space, too. */
import type { AuditedInstance, HostContents } from "./Finding.ts"

const BYTES_PER_GIB = 2 ** 30

type Promised = Pick<AuditedInstance, "tag" | "host" | "target">

/** The bytes on a storage that promised disks have already. A reinstall has two disks for a moment. */
const writtenOn = (
  { disks, storage }: NonNullable<HostContents["space"]>,
  storages: ReadonlyMap<string, string>,
  instances: ReadonlyMap<string, Promised>
): number => {
  const byTag = new Map<string, number>()
  for (const { bytes, tag } of disks) {
    const instance = instances.get(tag)
    const isPromised = [instance?.host, instance?.target].some((host) => host != null && storages.get(host) === storage)
    if (isPromised) byTag.set(tag, Math.max(byTag.get(tag) ?? 0, bytes))
  }
  return [...byTag.values()].reduce((sum, bytes) => sum + bytes, 0)
}

/**
 * The disk in GiB that may be promised to all instances on the storage of each host together: what their disks have,
 * and what is left beside the reserve and the copies in progress. A host that could not be read is left out.
 */
export const diskLimits = (
  contents: ReadonlyArray<HostContents>,
  instances: ReadonlyArray<Promised>
): ReadonlyMap<string, number> => {
  const byTag = new Map(instances.map((instance) => [instance.tag, instance]))
  const storages = new Map(contents.flatMap(({ host, space }) => space === null ? [] : [[host, space.storage]]))
  const copies = contents.flatMap((each) => each.copies)
  const limits = contents.flatMap(({ host, space }) => {
    if (space === null) return []
    const copied = copies.reduce((sum, { bytes, storage }) => storage === space.storage ? sum + bytes : sum, 0)
    const bytes = writtenOn(space, storages, byTag) + space.free - copied
    return [[host, Math.max(0, Math.floor(bytes / BYTES_PER_GIB))] as const]
  })
  return new Map(limits)
}
