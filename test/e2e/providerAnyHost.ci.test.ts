/** The provider with hosts that follow the specification and fill everything else otherwise, on the test engine. */
import { startAnyHost } from "../anyHost/startAnyHost.ts"
import { onPlugin } from "../engine/OnPlugin.ts"
import { ANY_HOST } from "../engine/scenarios.ts"
import { testScenarios } from "../engine/scenarioTests.ts"

testScenarios("the plugin with a host of style a", onPlugin, ANY_HOST.core, () => startAnyHost("a"))
testScenarios("the plugin with a host of style b", onPlugin, ANY_HOST.core, () => startAnyHost("b"))
