/** The tarballs of the packages, packed once in a run of the tests, and folders that many tests need alike. */
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Folder, FOLDERS, type Manifest } from "../../.config/build/workspace.ts"
import { pack, type Packed } from "../../.config/pack.ts"

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

/** The package of a folder. Needs `dist`. */
export const packed = (folder: Folder): Packed =>
  oncePerRun(`package ${folder.replace("/", "-")}`, (target) => pack(folder, target))

/** The paths of the tarballs: npm finds those that they depend on among them. */
export const tarballs = (folders: ReadonlyArray<Folder> = FOLDERS): ReadonlyArray<string> =>
  folders.map((folder) => packed(folder).path)

/** The package.json in a tarball, which is what npm resolves. */
export const publishedManifest = <Published = Manifest>(folder: Folder): Published => {
  const args = ["-xzOf", packed(folder).path, "package/package.json"]
  const { status, stderr, stdout } = spawnSync("tar", args, { encoding: "utf8" })
  if (status !== 0) throw new Error(`tar ${args.join(" ")}: ${stderr}`)
  return JSON.parse(stdout) as Published
}
