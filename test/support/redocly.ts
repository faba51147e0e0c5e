/** A linter for OpenAPI documents that knows the standard, examples included. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const ROOT = fileURLToPath(new URL("../..", import.meta.url))
const LINTER = join(ROOT, "node_modules/@redocly/cli/bin/cli.js")
const CONFIG = join(ROOT, ".config/redocly.yaml")

/** Disables network access: no telemetry, no check for a newer version. */
const env = { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", NO_COLOR: "1" }

/** The problems of a document, each after the name of its rule. */
export const lint = (document: object) => {
  const folder = mkdtempSync(join(tmpdir(), "pulumi-vps-openapi-"))
  try {
    writeFileSync(join(folder, "openapi.json"), JSON.stringify(document))
    const args = [LINTER, "lint", "--config", CONFIG, "--format", "json", join(folder, "openapi.json")]
    const { stderr, stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8", env })
    if (!stdout.startsWith("{")) throw new Error(`redocly did not run: ${stdout}${stderr}`)
    const { problems } = JSON.parse(stdout) as {
      readonly problems: ReadonlyArray<{ readonly ruleId: string; readonly message: string }>
    }
    return problems.map(({ message, ruleId }) => `${ruleId}: ${message}`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
