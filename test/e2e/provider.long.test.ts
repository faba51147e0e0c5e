/** The scenarios that the dynamic provider shares with the plugin, whose lifecycles are the same. */
import { DYNAMIC } from "../engine/scenarios.ts"
import { dynamic, testScenarios } from "../engine/scenarioTests.ts"

testScenarios("the dynamic provider", dynamic, DYNAMIC.rest)
