/** The dynamic provider's other scenarios; `provider.test.ts` plays the core ones. */
import { DYNAMIC } from "../engine/scenarios.ts"
import { PATIENT } from "../engine/scenarios/faults.ts"
import { dynamic, testScenarios } from "../engine/scenarioTests.ts"

testScenarios("the dynamic provider", dynamic, DYNAMIC.rest, PATIENT)
