/** The tables of scenarios and crashes on the test engine of this folder, and on the real `tofu` and `terraform`. */
import { fileURLToPath } from "node:url"
import { afterAll, describe } from "vitest"
import type { Kills } from "../crash.ts"
import { registerCrashes } from "../crashTests.ts"
import type { Scenario } from "../Environment.ts"
import { ScenarioRunner } from "../ScenarioRunner.ts"
import { registerScenarios } from "../scenarioTests.ts"
import { CRASHES, type CrashRow } from "../scenarios/crashes.ts"
import { type COMMANDS, hasCommand, type Program, terraformCli } from "./Cli.ts"

const TEST_ENGINE: Program = [
  process.execPath,
  "--conditions=pulumi-vps-source",
  fileURLToPath(new URL("engine.ts", import.meta.url))
]

type Start = ConstructorParameters<typeof ScenarioRunner>[1]

/** Registers tests that play on a runner of this program, which is closed after them. */
const suite = (program: Program, register: (runner: ScenarioRunner) => void, start?: Start): void => {
  const runner = new ScenarioRunner(terraformCli(...program), start)
  afterAll(() => runner.close())
  register(runner)
}

/**
 * The engine refreshes before it plans, and a refresh stores the status of an operation at work (`restoring`): an end
 * state is compared after another refresh.
 */
const ROWS = Object.fromEntries(
  Object.entries(CRASHES).map(([name, row]): [string, CrashRow] => [name, { ...row, refresh: row.refresh ?? "after" }])
)

const crashes = (kills: Kills, isChosen: (name: string) => boolean) => (runner: ScenarioRunner): void =>
  registerCrashes(runner, kills, isChosen, ROWS)

const scenarios = (table: Readonly<Record<string, Scenario>>) => (runner: ScenarioRunner): void =>
  registerScenarios(runner, table)

type Command = typeof COMMANDS[number]

const onCommand = (
  title: string,
  command: Command,
  register: (runner: ScenarioRunner) => void,
  start?: Start
): void => {
  describe.skipIf(!hasCommand(command))(`${title} on the real ${command} (skipped when it is not on PATH)`, () => {
    suite([command], register, start)
  })
}

export const testTerraformScenarios = (table: Readonly<Record<string, Scenario>>): void => {
  describe("the Terraform provider on the test engine", () => {
    suite(TEST_ENGINE, scenarios(table))
  })
}

export const testTerraformCrashes = (kills: Kills, isChosen: (name: string) => boolean = () => true): void => {
  describe("the Terraform provider killed, on the test engine", () => {
    suite(TEST_ENGINE, crashes(kills, isChosen))
  })
}

export const testScenariosOnCommand = (
  command: Command,
  table: Readonly<Record<string, Scenario>>,
  start?: Start
): void => onCommand("the Terraform provider", command, scenarios(table), start)

export const testCrashesOnCommand = (
  command: Command,
  kills: Kills,
  isChosen: (name: string) => boolean = () => true
): void => onCommand("the Terraform provider killed", command, crashes(kills, isChosen))
