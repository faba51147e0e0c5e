/** The upgrade of a file with 1,000,000 rows, or another number: `npm run upgrade -- 200000`. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { rehearse } from "./rehearsal.ts"

const ROWS = 1_000_000

const folder = mkdtempSync(join(tmpdir(), "vps-upgrade-"))
try {
  const { bytes, ...figures } = await rehearse(join(folder, "vps.db"), Number(process.argv[2] ?? ROWS))
  process.stdout.write(`${JSON.stringify({ ...figures, megabytes: Math.round(bytes / 1e6) }, null, 2)}\n`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
