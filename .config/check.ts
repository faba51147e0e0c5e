/**
 * `npm run check`: all checks that do not run the program, or the named ones: `npm run check -- types lint`. Continues
 * after a failure, so that one run shows all problems. Of a passed check it only prints the name. `--json FILE` also
 * writes the outcome, for CI.
 */
import { execFile } from "node:child_process"
import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { type Check, CHECKS, DIAGNOSTICS } from "./checks.ts"

const { positionals: wanted, values } = parseArgs({ allowPositionals: true, options: { json: { type: "string" } } })

const known = [DIAGNOSTICS, ...CHECKS].map(({ name }) => name)
const unknown = wanted.filter((name) => !known.includes(name))
if (unknown.length > 0) {
  console.error(`There is no check ${unknown.join(", ")}. Choose from: ${known.join(", ")}.`)
  process.exit(2)
}
const isChosen = ({ name }: Check) => wanted.length === 0 || wanted.includes(name)

// `npm run` has put the programs of node_modules on PATH.
const options = {
  cwd: fileURLToPath(new URL("..", import.meta.url)),
  env: { ...process.env, NO_COLOR: "1" },
  maxBuffer: 64 * 1024 * 1024
}

interface Ended {
  readonly passed: boolean
  readonly output: string
}

const execute = ([program = "", ...args]: ReadonlyArray<string>) =>
  new Promise<Ended>((resolve) =>
    execFile(program, args, options, (error, stdout, stderr) => {
      const failure = error === null || stdout + stderr !== "" ? "" : error.message
      resolve({ passed: error === null, output: `${stdout}${stderr}${failure}` })
    })
  )

const run = async ({ about, commands, name }: Check) => {
  const start = performance.now()
  let ended: Ended = { passed: true, output: "" }
  for (const command of commands) if (ended.passed) ended = await execute(command)
  const { output, passed } = ended
  console.log(`${passed ? "ok    " : "FAILED"} ${about} (${((performance.now() - start) / 1000).toFixed(1)} s)`)
  if (!passed) console.log(`\n${output}\n(npm run check -- ${name})\n`)
  return { name: about, passed }
}

const inTurn = async (checks: ReadonlyArray<Check>) => {
  const outcomes: Array<Awaited<ReturnType<typeof run>>> = []
  for (const check of checks.filter(isChosen)) outcomes.push(await run(check))
  return outcomes
}

const outcomes = (await Promise.all([inTurn([DIAGNOSTICS]), inTurn(CHECKS)])).flat()
if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(outcomes))
process.exit(outcomes.every(({ passed }) => passed) ? 0 : 1)
