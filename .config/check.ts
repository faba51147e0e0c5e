/**
 * `npm run check`: all checks that do not run the program. Continues after a failure, so that one run shows all
 * problems. Of a passed check it only prints the name. `--json FILE` also writes the outcome, for CI.
 */
import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const STEPS: Array<{ name: string; script: string }> = [
  { name: "types", script: "typecheck" },
  { name: "lint", script: "lint" },
  { name: "format", script: "format:check" },
  { name: "Effect diagnostics", script: "effect:check" },
  { name: "tidy: import directions, lengths, banned calls, orphans", script: "tidy" },
  { name: "unused code and dependencies", script: "unused" },
  { name: "build", script: "build" },
  { name: "package", script: "package:check" }
]

const root = fileURLToPath(new URL("..", import.meta.url))
const env = { ...process.env, NO_COLOR: "1" }

const outcomes = STEPS.map(({ name, script }) => {
  const start = performance.now()
  const { status, stderr, stdout } = spawnSync("npm", ["run", "-s", script], {
    cwd: root,
    env,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024
  })
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  const passed = status === 0
  console.log(`${passed ? "ok    " : "FAILED"} ${name} (${seconds} s)`)
  if (!passed) console.log(`\n${stdout}${stderr}\n(npm run ${script})\n`)
  return { name, passed }
})

const [flag, file] = process.argv.slice(2)
if (flag === "--json" && file !== undefined) writeFileSync(file, JSON.stringify(outcomes))
process.exit(outcomes.every(({ passed }) => passed) ? 0 : 1)
