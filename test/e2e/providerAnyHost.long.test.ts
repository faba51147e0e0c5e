/**
 * Every scenario that needs no more than the specification shows, with hosts that fill everything else otherwise, on
 * the real engines. `scenarios.ts` says which ones need more, and what.
 */
import { describe } from "vitest"
import { startAnyHost } from "../anyHost/startAnyHost.ts"
import { onPlugin } from "../engine/OnPlugin.ts"
import { ANY_HOST } from "../engine/scenarios.ts"
import { dynamic, testScenariosOnPulumi } from "../engine/scenarioTests.ts"
import { testScenariosOnCommand } from "../engine/terraform/terraformTests.ts"

describe.each(["a", "b"] as const)("a host of style %s", (style) => {
  const start = () => startAnyHost(style)
  testScenariosOnPulumi("the dynamic provider", dynamic, ANY_HOST.dynamic, start)
  testScenariosOnPulumi("the plugin", onPlugin, ANY_HOST.plugin, start)
  testScenariosOnCommand("tofu", ANY_HOST.terraform, start)
  testScenariosOnCommand("terraform", ANY_HOST.terraform, start)
})
