/** The scenarios on the real CLI that `providerPulumi.ci.test.ts` plays with the other host, or with none. */
import { onPlugin } from "../engine/OnPlugin.ts"
import { DYNAMIC, PLUGIN } from "../engine/scenarios.ts"
import { RENAMES } from "../engine/scenarios/renames.ts"
import { dynamic, testScenariosOnPulumi } from "../engine/scenarioTests.ts"

testScenariosOnPulumi("the dynamic provider", dynamic, { ...DYNAMIC.laterOnPulumi, ...RENAMES })
testScenariosOnPulumi("the plugin", onPlugin, { ...PLUGIN.laterOnPulumi, ...RENAMES })
