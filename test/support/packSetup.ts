/** A folder for the tarball of a run: the first test that needs it packs, and the others use the same. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PACK_FOLDER } from "./packed.ts"

export default (): () => void => {
  const folder = mkdtempSync(join(tmpdir(), "pulumi-vps-packed-"))
  process.env[PACK_FOLDER] = folder
  return () => rmSync(folder, { recursive: true, force: true })
}
