/** The tarball of the package, packed once in a run of the tests, and folders that many tests need alike. */
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { pack, type Packed } from "../../.config/pack.ts"

const ROOT = fileURLToPath(new URL("../..", import.meta.url))

/** The environment variable that names the folder, from `packSetup.ts`. */
export const PACK_FOLDER = "PULUMI_VPS_PACKED"

/** Milliseconds: an installation takes 15 s on an idle machine. */
const PATIENCE_MILLIS = 300_000
const POLL_MILLIS = 50

const isFirst = (lock: string): boolean => {
  try {
    mkdirSync(lock)
    return true
  } catch { // Another test makes it.
    return false
  }
}

/** The first test that needs it makes it, in the folder that it gets; the others wait, and read what it returned. */
export const oncePerRun = <Made>(name: string, make: (folder: string) => Made): Made => {
  const run = process.env[PACK_FOLDER]
  if (run === undefined) throw new Error(`${PACK_FOLDER} is not set: run this with the project e2e or ci of vitest`)
  const folder = join(run, name)
  const report = `${folder}.json`
  if (isFirst(folder)) {
    writeFileSync(`${report}.part`, JSON.stringify(make(folder)))
    renameSync(`${report}.part`, report)
  }
  const end = performance.now() + PATIENCE_MILLIS
  while (!existsSync(report)) {
    if (performance.now() > end) throw new Error(`The test that makes "${name}" has failed: see its error`)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, POLL_MILLIS)
  }
  return JSON.parse(readFileSync(report, "utf8")) as Made
}

/** Needs `dist`. */
export const packed = (): Packed => oncePerRun("package", (folder) => pack(ROOT, folder))

/** The package.json in the tarball, which is what npm resolves. */
export const publishedManifest = <Manifest>(): Manifest => {
  const args = ["-xzOf", packed().path, "package/package.json"]
  const { status, stderr, stdout } = spawnSync("tar", args, { encoding: "utf8" })
  if (status !== 0) throw new Error(`tar ${args.join(" ")}: ${stderr}`)
  return JSON.parse(stdout) as Manifest
}
