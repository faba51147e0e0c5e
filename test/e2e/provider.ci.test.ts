/**
 * The other scenarios, on the plugin: `provider.test.ts` plays the core ones, `providerPulumi.ci.test.ts` those in
 * which the engine has a part, and `provider.long.test.ts` those of the other host.
 */
import { onPlugin } from "../engine/OnPlugin.ts"
import { PLUGIN } from "../engine/scenarios.ts"
import { testScenarios } from "../engine/scenarioTests.ts"

testScenarios("the plugin", onPlugin, PLUGIN.rest)
