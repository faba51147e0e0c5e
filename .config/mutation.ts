/**
 * `npm run mutation [-- group or file ...]`: breaks the code in every way that Stryker knows, one by one, and checks
 * that the tests notice. Fails when a group stays below its share. A file is a path as `stryker.config.ts` has it.
 */
import { Stryker } from "@stryker-mutator/core"
import { globSync, mkdirSync } from "node:fs"
import { FOLDER, type Group, GROUPS, LEAST_PERCENT, type Part, TESTS } from "./stryker.config.ts"

/** Two cores are what continuous integration has; more would only wait for each other. */
const CONCURRENCY = 2

/** Beyond what the tests take without a mutant. A busy computer must not look like a mutant that never ends. */
const TIMEOUT_MILLIS = 20_000

const runPart = (report: string, { mutate, tests }: Part) => {
  process.env[TESTS] = JSON.stringify(tests)
  return new Stryker({
    mutate: [...mutate],
    testRunner: "vitest",
    plugins: ["@stryker-mutator/vitest-runner"],
    // The configuration lists the tests; `related` would look for them again for each mutant.
    vitest: { configFile: ".config/vitest.mutation.config.ts", related: false },
    coverageAnalysis: "perTest",
    concurrency: CONCURRENCY,
    timeoutMS: TIMEOUT_MILLIS,
    tempDirName: `${FOLDER}/work`,
    ignorePatterns: [FOLDER, "dist", "examples", ".bench"],
    // Vitest strips types without looking at them.
    disableTypeChecks: false,
    reporters: ["progress-append-only", "clear-text", "html", "json"],
    clearTextReporter: { logTests: false, reportTests: false, allowColor: false },
    htmlReporter: { fileName: `${FOLDER}/${report}.html` },
    jsonReporter: { fileName: `${FOLDER}/${report}.json` },
    warnings: { slow: false, unknownOptions: true, preprocessorErrors: true, unserializableOptions: true },
    allowConsoleColors: false
  }).runMutationTest()
}

/** The groups, and the requested files of each. */
const chosen = (wanted: ReadonlyArray<string>): ReadonlyArray<Group> => {
  const files = (parts: ReadonlyArray<Part>) => globSync(parts.flatMap(({ mutate }) => mutate))
  const known = new Set(GROUPS.flatMap(({ name, parts }) => [name, ...files(parts)]))
  const unknown = wanted.filter((one) => !known.has(one))
  if (unknown.length > 0) throw new Error(`neither a group nor one of its files: ${unknown.join(", ")}`)
  if (wanted.length === 0) return GROUPS
  return GROUPS.map((group) => {
    if (wanted.includes(group.name)) return group
    const parts = group.parts.map((part) => ({
      ...part,
      mutate: files([part]).filter((file) => wanted.includes(file))
    }))
    return { ...group, parts }
  }).filter(({ parts }) => files(parts).length > 0)
}

mkdirSync(FOLDER, { recursive: true })
const lines: Array<string> = []
for (const { name, parts } of chosen(process.argv.slice(2))) {
  const start = performance.now()
  const results: Array<Awaited<ReturnType<Stryker["runMutationTest"]>>[number]> = []
  for (const [index, part] of parts.entries()) {
    if (part.mutate.length > 0) results.push(...await runPart(`${name}-${index + 1}`, part))
  }
  const count = (...wanted: ReadonlyArray<string>) => results.filter(({ status }) => wanted.includes(status)).length
  const [noticed, valid] = [count("Killed", "Timeout"), count("Killed", "Timeout", "Survived", "NoCoverage")]
  const percent = 100 * noticed / valid
  if (percent < LEAST_PERCENT) process.exitCode = 1
  const minutes = (performance.now() - start) / 60_000
  lines.push(
    `${name}: ${percent.toFixed(1)} % of ${valid} noticed, ${count("Timeout")} of them by not ending; `
      + `${count("Survived")} survived, ${count("NoCoverage")} met no test, ${
        count("RuntimeError", "Ignored")
      } set aside; `
      + `${minutes.toFixed(1)} min`
  )
}
console.log(lines.join("\n"))
