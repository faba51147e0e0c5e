/** The guests that the tests boot: a tiny one with the rescue disc, built from Debian packages in 5 s, and Debian. */
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

/** Runs a script of this folder that builds a guest, unless its version was run before. Returns the folder. */
const built = (name: string): string => {
  const script = fileURLToPath(new URL(name, import.meta.url))
  const version = hash("sha256", readFileSync(script, "utf8")).slice(0, 12)
  const folder = join(tmpdir(), `vps-guest-${version}`)
  if (!existsSync(folder)) {
    const building = `${folder}-${process.pid}`
    mkdirSync(building, { recursive: true })
    const { status, stderr, stdout } = spawnSync(script, [building], { encoding: "utf8" })
    if (status !== 0) throw new Error(`${name}: ${stdout}${stderr}`)
    // Another test may have been faster.
    if (!existsSync(folder)) renameSync(building, folder)
  }
  return folder
}

export const makeGuest = (): Guest => {
  const folder = built("tiny.sh")
  return { disk: join(folder, "base.qcow2"), rescue: join(folder, "rescue.iso") }
}

/** Debian 12 with cloud-init, which `debian.sh` builds in minutes, and the same rescue disc. */
export const makeDebian = (): Guest => ({ ...makeGuest(), disk: join(built("debian.sh"), "debian.qcow2") })

/** The root file system of Debian 13 with its libvirt, for a host: `debian13.sh` builds it in two minutes. */
export const makeDebian13 = (): string => built("debian13.sh")
