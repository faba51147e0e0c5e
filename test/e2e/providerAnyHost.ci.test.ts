/** The provider with hosts that follow the specification and fill everything else otherwise, on the real engines. */
import { startAnyHost } from "../anyHost/startAnyHost.ts"
import { onPlugin } from "../engine/OnPlugin.ts"
import { ANY_HOST } from "../engine/scenarios.ts"
import { dynamic, testScenariosOnPulumi } from "../engine/scenarioTests.ts"
import { testScenariosOnCommand } from "../engine/terraform/terraformTests.ts"

testScenariosOnPulumi("the dynamic provider with a host of style b", dynamic, ANY_HOST.first, () => startAnyHost("b"))
testScenariosOnPulumi("the plugin with a host of style a", onPlugin, ANY_HOST.first, () => startAnyHost("a"))
testScenariosOnCommand("tofu", ANY_HOST.core, () => startAnyHost("b"))
