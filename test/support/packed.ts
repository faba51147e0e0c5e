/** The tarball of the package, packed once in a run of the tests. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { pack, type Packed } from "../../.config/pack.ts"

const ROOT = fileURLToPath(new URL("../..", import.meta.url))

/** The environment variable that names the folder, from `packSetup.ts`. */
export const PACK_FOLDER = "PULUMI_VPS_PACKED"

/** Milliseconds: npm packs within 3 s on an idle machine. */
const PATIENCE_MILLIS = 120_000
const POLL_MILLIS = 50

const isFirst = (lock: string): boolean => {
  try {
    mkdirSync(lock)
    return true
  } catch { // Another test packs.
    return false
  }
}

/** Needs `dist`. */
export const packed = (): Packed => {
  const folder = process.env[PACK_FOLDER]
  if (folder === undefined) throw new Error(`${PACK_FOLDER} is not set: run this with the project e2e or ci of vitest`)
  const report = join(folder, "packed.json")
  if (isFirst(join(folder, "lock"))) {
    writeFileSync(`${report}.part`, JSON.stringify(pack(ROOT, folder)))
    renameSync(`${report}.part`, report)
  }
  const end = performance.now() + PATIENCE_MILLIS
  while (!existsSync(report)) {
    if (performance.now() > end) throw new Error("The test that packs the package has failed: see its error")
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, POLL_MILLIS)
  }
  return JSON.parse(readFileSync(report, "utf8")) as Packed
}
