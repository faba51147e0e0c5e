/** The plugin's other scenarios; `provider.test.ts` plays the core ones. */
import { onPlugin } from "../engine/OnPlugin.ts"
import { PLUGIN } from "../engine/scenarios.ts"
import { PATIENT } from "../engine/scenarios/faults.ts"
import { testScenarios } from "../engine/scenarioTests.ts"

testScenarios("the plugin", onPlugin, PLUGIN.rest, PATIENT)
