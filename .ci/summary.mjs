// Adds up the outcomes of commands: JSON reports of vitest, and the one of `npm run check`. Runs on any Node, because it
// must also speak when the installation failed. Usage: summary.mjs COMMAND STATUS REPORT ...; the report - stands for none.
import { readFileSync } from "node:fs"

/**
 * @typedef {{ name: string, status: string }} Outcome
 * @typedef {{ name: string, status: string, assertionResults: Array<{ fullName: string, status: string }> }} TestFile
 * @typedef {{ name: string, passed: boolean }} Check
 * @typedef {{ testResults: Array<TestFile> } | Array<Check>} Report
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

const all = inThrees(process.argv.slice(2)).flatMap(outcomesOf)
const passed = all.filter(({ status }) => status === "passed")
const failed = all.filter(({ status }) => status === "failed")
const skipped = all.filter(({ status }) => status !== "passed" && status !== "failed")

console.log("")
for (const { name } of skipped) console.log(`skipped: ${name}`)
for (const { name } of failed) console.log(`failed: ${name}`)
console.log(`${passed.length} passed, ${failed.length} failed, ${skipped.length} skipped`)
process.exitCode = failed.length === 0 ? 0 : 1
