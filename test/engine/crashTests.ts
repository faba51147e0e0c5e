/** The rows of the crash matrix as tests, the same for each engine and host. */
import { assert, describe, it } from "vitest"
import { type Kills, playCrashes } from "./crash.ts"
import type { ScenarioRunner } from "./ScenarioRunner.ts"
import { CRASHES, type CrashRow } from "./scenarios/crashes.ts"
import { describeOnPulumi, type Host, onTestEngine } from "./scenarioTests.ts"

/** ms; a row is up to two hundred runs of an engine, and it may have to wait until others have ended. */
const ROW_TIMEOUT = 1_800_000

type Choice = (name: string, row: CrashRow) => boolean

export const registerCrashes = (runner: ScenarioRunner, kills: Kills, isChosen: Choice, table = CRASHES): void => {
  const rows = Object.entries(table).filter(([name, row]) => isChosen(name, row))
  it.concurrent.for(rows)("%s", { timeout: ROW_TIMEOUT }, async ([, row], context) => {
    const count = await runner.play((env) => playCrashes(env, row, kills))
    assert.isAbove(count, 0)
    await context.annotate(`killed ${count} times`)
  })
}

export const testCrashes = (title: string, host: Host, kills: Kills, isChosen: Choice = () => true): void => {
  describe(`${title} killed at every request, on the test engine`, () => {
    registerCrashes(onTestEngine(host), kills, isChosen)
  })
}

const REFRESHED = Object.fromEntries(
  Object.entries(CRASHES).map(([name, row]): [string, CrashRow] => [name, { ...row, refresh: true }])
)

/** All rows, with `pulumi refresh` between each kill and the next run. */
export const testCrashesBeforeRefresh = (title: string, host: Host): void => {
  describe(`${title} killed at every request, then refreshed, on the test engine`, () => {
    registerCrashes(onTestEngine(host), "changes", () => true, REFRESHED)
  })
}

/** A run of the real engine takes seconds, so each single kill is left to the test engine. */
export const testCrashesOnPulumi = (title: string, host: Host, isChosen: Choice = () => true): void => {
  describeOnPulumi(`${title} killed`, host, (runner) => registerCrashes(runner, "changes", isChosen))
}
