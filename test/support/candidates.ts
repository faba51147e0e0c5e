/** Many hosts for a placement, and the query of its candidates. */
import { CANDIDATES } from "#service/persistence/Hosts"

export const HOSTS = 2_000

/** The hosts of a machine with 2 CPUs, 4 GiB of memory and a disk of 40 GiB, with an image. */
const VALUES = [1, "debian-12", 2, 4_096, 40, 3] as const
export const candidates = CANDIDATES.replaceAll(/\?(\d)/g, (_, place: string) => {
  const value = VALUES[Number(place) - 1]!
  return typeof value === "string" ? `'${value}'` : String(value)
})

export const fillHosts = (numbers: string) =>
  `INSERT INTO hosts (id, name, data_center_id, uri, pool, bridge, accelerator, cpus, memory_mib, disk_gib, state,
     created_at)
   SELECT n, 'host-' || n, 1, 'unix:/' || n, 'default', 'br0', 'kvm', 64, 262144 - n * 7919 % ${HOSTS}, 4000,
     'active', 0 FROM ${numbers};
   INSERT INTO host_images (host_id, slug, kind, sha256, volume, created_at)
   SELECT n, 'debian-12', 'disk', '0', 'debian-12', 0 FROM ${numbers};
   ANALYZE`
