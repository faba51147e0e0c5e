/**
 * `npm run mutation [-- group or file ...]`: breaks the code in every way that Stryker knows, one by one, and asks the
 * tests whether they notice. Fails when a group stays below its share. A file is a path as `stryker.config.ts` has it.
 */
import { Stryker } from "@stryker-mutator/core"
import { globSync, mkdirSync } from "node:fs"
import { FOLDER, type Group, GROUPS, LEAST_PERCENT, TESTS } from "./stryker.config.ts"

/** Two cores are what continuous integration has; more would only wait for each other. */
const CONCURRENCY = 2

const runGroup = ({ mutate, name, tests }: Group) => {
  process.env[TESTS] = JSON.stringify(tests)
  return new Stryker({
    mutate: [...mutate],
    testRunner: "vitest",
    plugins: ["@stryker-mutator/vitest-runner"],
    // Which tests there are says the configuration; `related` would look for them again for each mutant.
    vitest: { configFile: ".config/vitest.mutation.config.ts", related: false },
    coverageAnalysis: "perTest",
    concurrency: CONCURRENCY,
    tempDirName: `${FOLDER}/work`,
    ignorePatterns: [FOLDER, "dist", "examples", ".bench"],
    // Vitest strips types without looking at them.
    disableTypeChecks: false,
    reporters: ["progress-append-only", "clear-text", "html", "json"],
    clearTextReporter: { logTests: false, reportTests: false, allowColor: false },
    htmlReporter: { fileName: `${FOLDER}/${name}.html` },
    jsonReporter: { fileName: `${FOLDER}/${name}.json` },
    warnings: { slow: false },
    thresholds: { high: 100, low: LEAST_PERCENT, break: LEAST_PERCENT },
    allowConsoleColors: false
  }).runMutationTest()
}

/** The groups, and of each only what was asked for. */
const chosen = (wanted: ReadonlyArray<string>): ReadonlyArray<Group> => {
  const known = new Set(GROUPS.flatMap(({ mutate, name }) => [name, ...globSync(mutate)]))
  const unknown = wanted.filter((one) => !known.has(one))
  if (unknown.length > 0) throw new Error(`neither a group nor one of its files: ${unknown.join(", ")}`)
  return GROUPS.flatMap((group) => {
    if (wanted.length === 0 || wanted.includes(group.name)) return [group]
    const mutate = globSync(group.mutate).filter((file) => wanted.includes(file))
    return mutate.length === 0 ? [] : [{ ...group, mutate }]
  })
}

mkdirSync(FOLDER, { recursive: true })
const lines: Array<string> = []
for (const group of chosen(process.argv.slice(2))) {
  const start = performance.now()
  const results = await runGroup(group)
  const count = (...statuses: ReadonlyArray<string>) => results.filter(({ status }) => statuses.includes(status)).length
  const [killed, timedOut, survived, unseen] = [
    count("Killed"),
    count("Timeout"),
    count("Survived"),
    count("NoCoverage")
  ]
  const caught = killed + timedOut
  const percent = 100 * caught / (caught + survived + unseen)
  const minutes = (performance.now() - start) / 60_000
  lines.push(
    `${group.name}: ${percent.toFixed(1)} % of ${caught + survived + unseen} noticed (${timedOut} by not ending), `
      + `${survived} survived, ${unseen} met no test, ${count("Ignored")} set aside; ${minutes.toFixed(1)} min`
  )
}
console.log(lines.join("\n"))
