/** The tiny guest that the tests boot, and the rescue disc. `tiny.sh` builds both from Debian packages in 5 s. */
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs"
import { hash } from "node:crypto"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

export interface Guest {
  /** Paths. */
  readonly disk: string
  readonly rescue: string
}

const SCRIPT = fileURLToPath(new URL("tiny.sh", import.meta.url))

/** Builds the guest, unless this version of it was built before. */
export const makeGuest = (): Guest => {
  const version = hash("sha256", readFileSync(SCRIPT, "utf8")).slice(0, 12)
  const folder = join(tmpdir(), `vps-guest-${version}`)
  if (!existsSync(folder)) {
    const building = `${folder}-${process.pid}`
    mkdirSync(building, { recursive: true })
    const { status, stderr, stdout } = spawnSync(SCRIPT, [building], { encoding: "utf8" })
    if (status !== 0) throw new Error(`tiny.sh: ${stdout}${stderr}`)
    // Another test may have been faster.
    if (!existsSync(folder)) renameSync(building, folder)
  }
  return { disk: join(folder, "base.qcow2"), rescue: join(folder, "rescue.iso") }
}
