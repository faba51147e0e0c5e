/**
 * `npm run check`: all checks that do not run the program. Continues after a failure, so that one run shows all
 * problems. Of a passed check it only prints the name. `--json FILE` also writes the outcome, for CI.
 */
import { execFile } from "node:child_process"
import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

interface Step {
  readonly name: string
  readonly script: string
}

/** The diagnostics take as long as the others together, and run beside them. */
const SIDE_BY_SIDE: ReadonlyArray<ReadonlyArray<Step>> = [
  [{ name: "Effect diagnostics", script: "effect:check" }],
  [
    { name: "types", script: "typecheck" },
    { name: "lint", script: "lint" },
    { name: "format", script: "format:check" },
    { name: "tidy: import directions, undeclared imports, banned calls, orphans", script: "tidy" },
    { name: "unused code and dependencies", script: "unused" },
    { name: "build", script: "build" },
    { name: "package", script: "package:check" }
  ]
]

const options = {
  cwd: fileURLToPath(new URL("..", import.meta.url)),
  env: { ...process.env, NO_COLOR: "1" },
  maxBuffer: 64 * 1024 * 1024
}

const run = ({ name, script }: Step) => {
  const start = performance.now()
  return new Promise<{ name: string; passed: boolean }>((resolve) =>
    execFile("npm", ["run", "-s", script], options, (error, stdout, stderr) => {
      const passed = error === null
      console.log(`${passed ? "ok    " : "FAILED"} ${name} (${((performance.now() - start) / 1000).toFixed(1)} s)`)
      if (!passed) console.log(`\n${stdout}${stderr}\n(npm run ${script})\n`)
      resolve({ name, passed })
    })
  )
}

const outcomes = (await Promise.all(SIDE_BY_SIDE.map(async (steps) => {
  const ended: Array<Awaited<ReturnType<typeof run>>> = []
  for (const step of steps) ended.push(await run(step))
  return ended
}))).flat()

const [flag, file] = process.argv.slice(2)
if (flag === "--json" && file !== undefined) writeFileSync(file, JSON.stringify(outcomes))
process.exit(outcomes.every(({ passed }) => passed) ? 0 : 1)
