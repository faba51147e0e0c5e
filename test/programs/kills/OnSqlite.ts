/** One process on a SQLite file. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { adminOf } from "../../support/command.ts"
import { command, RefusedCommand } from "../../support/operator.ts"
import { freePort } from "../../support/port.ts"
import { type ServiceProcess, startService } from "../../support/serviceProcess.ts"
import { type Cluster, untilDone } from "./Cluster.ts"

export const onSqlite = async (): Promise<Cluster> => {
  const folder = mkdtempSync(join(tmpdir(), "vps-kills-"))
  const database = join(folder, "vps.db")
  const port = String(await freePort())
  const start = () => startService("--database", database, "--rate-limits=false", "--port", port)
  let service: ServiceProcess = await start()
  return {
    name: "one process on a SQLite file",
    urls: [service.url],
    command: (name, input) =>
      untilDone(() => command(database, name, input), (cause) => cause instanceof RefusedCommand),
    strike: async () => {
      await service.end("SIGKILL")
      service = await start()
      return "the service"
    },
    apart: async (run) => {
      await service.end()
      // Every page and every reference, too.
      await adminOf(database).json("verify")
      const connection = new DatabaseSync(database)
      try {
        return await run(async (sql) => connection.prepare(sql).all())
      } finally {
        connection.close()
        service = await start()
      }
    },
    close: async () => {
      await service.end("SIGKILL")
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
