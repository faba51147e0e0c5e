/** The whole crash matrix: both hosts, killed before and after every request; and all rows on the real CLI. */
import { testCrashes, testCrashesOnPulumi } from "../engine/crashTests.ts"
import { onPlugin } from "../engine/OnPlugin.ts"
import { dynamic } from "../engine/scenarioTests.ts"

testCrashes("the dynamic provider", dynamic, "every")
testCrashes("the plugin", onPlugin, "every")
testCrashesOnPulumi("the dynamic provider", dynamic)
testCrashesOnPulumi("the plugin", onPlugin)
