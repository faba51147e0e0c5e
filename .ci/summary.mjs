// Adds the outcomes of vitest (its JSON report) and of `npm run check` up. Runs on any Node: it must also speak when
// the installation failed. Usage: summary.mjs TESTS.json STATUS CHECKS.json STATUS
import { readFileSync } from "node:fs"

const [testsFile, testsStatus, checksFile, checksStatus] = process.argv.slice(2)

const read = (file) => {
  try {
    return JSON.parse(readFileSync(file, "utf8"))
  } catch {
    return undefined
  }
}

/** Every test by name; a file that could not even be loaded counts as one failed test. */
const tests = (read(testsFile)?.testResults ?? []).flatMap(({ assertionResults, name, status }) =>
  assertionResults.length === 0 && status === "failed"
    ? [{ name, status }]
    : assertionResults.map(({ fullName, status }) => ({ name: fullName, status }))
)
const checks = (read(checksFile) ?? []).map(({ name, passed }) => ({
  name: `check: ${name}`,
  status: passed ? "passed" : "failed"
}))

/** A command that failed without naming a failure, or that ran nothing, is a failure itself. */
const silent = (name, status, found) =>
  found.length === 0 || (status !== "0" && !found.some((one) => one.status === "failed"))
    ? [{ name: `${name} (exit status ${status})`, status: "failed" }]
    : []

const all = [
  ...tests,
  ...silent("npm ci && npm test", testsStatus, tests),
  ...checks,
  ...silent("npm run check", checksStatus, checks)
]
const passed = all.filter(({ status }) => status === "passed")
const failed = all.filter(({ status }) => status === "failed")
const skipped = all.filter(({ status }) => status !== "passed" && status !== "failed")

console.log("")
for (const { name } of skipped) console.log(`skipped: ${name}`)
for (const { name } of failed) console.log(`failed: ${name}`)
console.log(`${passed.length} passed, ${failed.length} failed, ${skipped.length} skipped`)
process.exitCode = failed.length === 0 ? 0 : 1
