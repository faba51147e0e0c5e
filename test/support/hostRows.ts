/** Hosts of an emulator, which has none of its own: rows that the panel shows. */
import * as Effect from "effect/Effect"
import { Database } from "#service/persistence/sqlite/Database"
import type { TestApp } from "./app.ts"

/** Adds a host, with instances on it; one that does not respond was lost at a time. */
export const addHostRow = (
  app: TestApp,
  name: string,
  { instances = [], lost = false }: { readonly instances?: ReadonlyArray<number>; readonly lost?: boolean } = {}
) => {
  const insert = Effect.flatMap(Database, ({ connection }) =>
    Effect.sync(() => {
      connection.exec(
        `INSERT INTO hosts (name, data_center_id, uri, pool, bridge, accelerator, cpus, memory_mib, disk_gib, used_cpus,
           used_memory_mib, used_disk_gib, state, unreachable_since, created_at)
         SELECT '${name}', min(id), 'unix:/run/libvirt/libvirt-sock', 'default', 'br0', 'kvm', 16, 65536, 500, 4, 16384,
           100, 'active', ${lost ? "1" : "NULL"}, 0 FROM data_centers`
      )
      for (const id of instances) {
        connection.exec(
          `INSERT INTO reservations (instance_id, host_id, account_id, cpus, memory_mib, disk_gib)
           SELECT ${id}, id, 1, 2, 4096, 40 FROM hosts WHERE name = '${name}'`
        )
      }
    }))
  // The service has its database, although use cases do not see it.
  return app.inside(insert as Effect.Effect<void>)
}
