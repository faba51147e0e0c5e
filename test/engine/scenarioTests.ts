/** Scenarios as tests: on the test engine, which needs only Node, and on the real `pulumi` CLI. */
import { afterAll, assert, describe, it } from "vitest"
import { hasLanguageHost, hasPulumi, pulumiCli } from "./PulumiCli.ts"
import { type Make, ScenarioRunner } from "./ScenarioRunner.ts"
import type { Scenario } from "./Environment.ts"
import { TestEngine } from "./TestEngine.ts"

type Scenarios = Readonly<Record<string, Scenario>>

/** ms; a scenario runs an engine some ten times, for 1 or 2 s each, and may have to wait until others have ended. */
const SCENARIO_TIMEOUT = 900_000

/** Applied to the engine's stacks: `onPlugin` for the plugin. */
export type Host = (make: Make) => Make

export const dynamic: Host = (make) => make

type Start = ConstructorParameters<typeof ScenarioRunner>[1]

/** A runner on the test engine, closed after the tests of the current suite. */
export const onTestEngine = (host: Host, start?: Start): ScenarioRunner => {
  const engine = new TestEngine()
  const runner = new ScenarioRunner(host(engine.make), start)
  afterAll(async () => {
    engine.close()
    await runner.close()
  })
  return runner
}

const onPulumi = (host: Host, start?: Start): ScenarioRunner => {
  const runner = new ScenarioRunner(host(pulumiCli), start)
  afterAll(() => runner.close())
  return runner
}

export const registerScenarios = (runner: ScenarioRunner, scenarios: Scenarios): void => {
  it.concurrent.each(Object.entries(scenarios))("%s", async (_, scenario) => {
    assert.isUndefined(await runner.play(scenario))
  }, SCENARIO_TIMEOUT)
}

export const testScenarios = (title: string, host: Host, scenarios: Scenarios, start?: Start): void => {
  describe(`${title} on the test engine`, () => {
    registerScenarios(onTestEngine(host, start), scenarios)
  })
}

export const testScenariosOnPulumi = (title: string, host: Host, scenarios: Scenarios, start?: Start): void => {
  describeOnPulumi(title, host, (runner) => registerScenarios(runner, scenarios), start)
}

/** Scenarios with commands for which the engine starts the language host, as for `pulumi import`. */
export const testScenariosByFile = (title: string, host: Host, scenarios: Scenarios): void => {
  describe.skipIf(!hasLanguageHost("nodejs"))(`${title} by file (skipped without pulumi-language-nodejs)`, () => {
    registerScenarios(onPulumi(host), scenarios)
  })
}

/** A suite that plays by itself on the real CLI. */
export const describeOnPulumi = (
  title: string,
  host: Host,
  suite: (runner: ScenarioRunner) => void,
  start?: Start
): void => {
  describe.skipIf(!hasPulumi)(`${title} on the real pulumi CLI (skipped when it is not on PATH)`, () => {
    suite(onPulumi(host, start))
  })
}
