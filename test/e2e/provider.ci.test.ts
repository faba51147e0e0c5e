/** The other scenarios of both hosts; `provider.test.ts` plays the core ones. */
import { onPlugin } from "../engine/OnPlugin.ts"
import { DYNAMIC, PLUGIN } from "../engine/scenarios.ts"
import { dynamic, testScenarios } from "../engine/scenarioTests.ts"

testScenarios("the dynamic provider", dynamic, DYNAMIC.rest)
testScenarios("the plugin", onPlugin, PLUGIN.rest)
