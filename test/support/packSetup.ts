/**
 * Builds the package if a source is newer, and makes a folder for the tarball of a run and what npm installs of it: the
 * first test that needs one makes it, and the others use the same.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ROOT } from "./consumer.ts"
import { PACK_FOLDER } from "./packed.ts"

export default (): () => void => {
  const { status, stderr } = spawnSync("npm", ["run", "-s", "build", "--", "--if-stale"], {
    cwd: ROOT,
    encoding: "utf8"
  })
  if (status !== 0) throw new Error(`The package cannot be built: ${stderr}`)
  const folder = mkdtempSync(join(tmpdir(), "pulumi-vps-packed-"))
  process.env[PACK_FOLDER] = folder
  return () => rmSync(folder, { recursive: true, force: true })
}
