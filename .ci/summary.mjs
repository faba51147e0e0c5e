// Adds up the outcomes of commands: JSON reports of vitest, and the one of `npm run check`. A skipped test that the
// list of allowed skips does not have is a failure, and so is an entry of the list that no test has. Runs on any Node,
// because it must also speak when the installation failed.
// Usage: summary.mjs ALLOWED-SKIPS COMMAND STATUS REPORT ...; the report - stands for none.
import { existsSync, readFileSync } from "node:fs"
import { delimiter, join } from "node:path"

/**
 * @typedef {{ name: string, status: string }} Outcome
 * @typedef {{ name: string, status: string, assertionResults: Array<{ fullName: string, status: string }> }} TestFile
 * @typedef {{ name: string, passed: boolean }} Check
 * @typedef {{ testResults: Array<TestFile> } | Array<Check>} Report
 * @typedef {{ tests: string, reason: string, runsOn: string, without?: string }} AllowedSkip The pattern of the names of
 * tests, and the command without which they are skipped.
 */

/** @type {(file: string) => Report | undefined} */
const read = (file) => {
  try {
    return JSON.parse(readFileSync(file, "utf8"))
  } catch {
    return undefined
  }
}

/**
 * Every test by name, and each file that failed although none of its tests did: it could not be loaded, or a hook failed.
 * @type {(report: { testResults: Array<TestFile> }) => Array<Outcome>}
 */
const testsOf = ({ testResults }) =>
  testResults.flatMap(({ assertionResults, name, status }) => {
    const tests = assertionResults.map((test) => ({ name: test.fullName, status: test.status }))
    const isUnexplained = status === "failed" && !tests.some((test) => test.status === "failed")
    return isUnexplained ? [...tests, { name: `${name}: loading the file or a hook`, status }] : tests
  })

/** @type {(checks: Array<Check>) => Array<Outcome>} */
const checksOf = (checks) =>
  checks.map(({ name, passed }) => ({ name: `check: ${name}`, status: passed ? "passed" : "failed" }))

/**
 * A command that failed without naming a failure, or whose report names nothing, is a failure itself.
 * @type {(command: Array<string>) => Array<Outcome>}
 */
const outcomesOf = ([command, status, file = "-"]) => {
  const report = file === "-" ? undefined : read(file)
  const found = report === undefined ? [] : Array.isArray(report) ? checksOf(report) : testsOf(report)
  const isSilent = status === "0" ? found.length === 0 && file !== "-" : !found.some((one) => one.status === "failed")
  return isSilent ? [...found, { name: `${command} (exit status ${status})`, status: "failed" }] : found
}

/** @type {(values: Array<string>) => Array<Array<string>>} */
const inThrees = (values) => values.length === 0 ? [] : [values.slice(0, 3), ...inThrees(values.slice(3))]

const [list = "", ...commands] = process.argv.slice(2)
/** @type {Array<AllowedSkip>} */
const allowed = JSON.parse(readFileSync(list, "utf8"))

/** @type {(command: string) => boolean} */
const isOnPath = (command) =>
  (process.env["PATH"] ?? "").split(delimiter).some((folder) => existsSync(join(folder, command)))

/** Is the test named like the entry says? @type {(entry: AllowedSkip, name: string) => boolean} */
const covers = ({ tests }, name) => new RegExp(tests).test(name)

/**
 * An allowed skip gets the reason; any other one becomes a failure that says what to do.
 * @type {(outcome: Outcome) => Outcome}
 */
const judge = ({ name, status }) => {
  if (status === "passed" || status === "failed") return { name, status }
  const entry = allowed.find((one) => covers(one, name))
  if (entry === undefined) {
    const advice = "Make .ci/run install what it needs, or add it to .ci/allowedSkips.json with the reason."
    return { name: `${name} (skipped. ${advice})`, status: "failed" }
  }
  const { reason, runsOn, without } = entry
  return without !== undefined && isOnPath(without)
    ? { name: `${name} (skipped, although ${without} is on PATH. Find out what else it needs.)`, status: "failed" }
    : { name: `${name} (${reason} Runs on: ${runsOn}.)`, status: "skipped" }
}

const triples = inThrees(commands)
const found = triples.flatMap(outcomesOf)
// A missing report has failed above, and its tests are unknown.
const isComplete = triples.every(([, , file = "-"]) => file === "-" || read(file) !== undefined)
/** @type {(entry: AllowedSkip) => boolean} */
const isUnused = (entry) => isComplete && !found.some(({ name }) => covers(entry, name))

/** @type {Array<Outcome>} */
const unused = allowed.filter(isUnused).map(({ tests }) => ({
  name: `.ci/allowedSkips.json: no test is named like "${tests}". Correct the entry, or remove it.`,
  status: "failed"
}))
const all = [...found.map(judge), ...unused]
const passed = all.filter(({ status }) => status === "passed")
const failed = all.filter(({ status }) => status === "failed")
const skipped = all.filter(({ status }) => status === "skipped")

console.log("")
for (const { name } of skipped) console.log(`skipped: ${name}`)
for (const { name } of failed) console.log(`failed: ${name}`)
console.log(`${passed.length} passed, ${failed.length} failed, ${skipped.length} skipped`)
process.exitCode = failed.length === 0 ? 0 : 1
