/** Kills and lost responses, on the test engine: the real program, SDK and hosts, without `pulumi`. */
import { onPlugin } from "../engine/OnPlugin.ts"
import { DYNAMIC, PLUGIN } from "../engine/scenarios.ts"
import { dynamic, testScenarios } from "../engine/scenarioTests.ts"

testScenarios("the plugin", onPlugin, PLUGIN.core)
testScenarios("the dynamic provider", dynamic, DYNAMIC.core)
