/**
 * Scenarios on the real CLI: those in which the engine itself has a part. `providerEngine` holds the test engine
 * against the real one call by call, so the others are not played twice.
 */
import { onPlugin } from "../engine/OnPlugin.ts"
import { DYNAMIC, PLUGIN } from "../engine/scenarios.ts"
import { RENAMES } from "../engine/scenarios/renames.ts"
import { dynamic, testScenariosOnPulumi } from "../engine/scenarioTests.ts"

testScenariosOnPulumi("the dynamic provider", dynamic, { ...DYNAMIC.onPulumi, ...RENAMES })
testScenariosOnPulumi("the plugin", onPlugin, { ...PLUGIN.onPulumi, ...RENAMES })
