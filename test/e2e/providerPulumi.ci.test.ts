/**
 * Scenarios on the real CLI: those in which the engine itself has a part, most of them with one host.
 * `providerPulumi.long.test.ts` has the others.
 */
import { onPlugin } from "../engine/OnPlugin.ts"
import { DYNAMIC, PLUGIN } from "../engine/scenarios.ts"
import { RENAMES } from "../engine/scenarios/renames.ts"
import { dynamic, testScenariosOnPulumi } from "../engine/scenarioTests.ts"

/** Of the scenarios of renames, the one whose change the engine itself shows. */
const RENAMED = "a renamed instance is recognized in the preview, and with the alias that it shows nothing changes"

testScenariosOnPulumi("the dynamic provider", dynamic, DYNAMIC.onPulumi)
testScenariosOnPulumi("the plugin", onPlugin, { ...PLUGIN.onPulumi, [RENAMED]: RENAMES[RENAMED]! })
