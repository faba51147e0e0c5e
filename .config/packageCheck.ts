/** `npm run check -- package`: publint on the tarball of each package, as it is published. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { FOLDERS, ROOT } from "./build/workspace.ts"
import { pack } from "./pack.ts"

const target = mkdtempSync(join(tmpdir(), "pulumi-vps-publint-"))
try {
  for (const folder of FOLDERS) {
    const args = ["node_modules/publint/src/cli.js", "--strict", pack(folder, target).path]
    const { status } = spawnSync(process.execPath, args, { cwd: ROOT, stdio: "inherit" })
    if (status !== 0) process.exitCode = 1
  }
} finally {
  rmSync(target, { recursive: true, force: true })
}
