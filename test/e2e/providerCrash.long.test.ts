/**
 * The whole crash matrix: both hosts, killed before and after every request; with a refresh before the next run; and
 * all rows on the real CLI.
 */
import { testCrashes, testCrashesBeforeRefresh, testCrashesOnPulumi } from "../engine/crashTests.ts"
import { onPlugin } from "../engine/OnPlugin.ts"
import { dynamic } from "../engine/scenarioTests.ts"

testCrashes("the dynamic provider", dynamic, "every")
testCrashes("the plugin", onPlugin, "every")
testCrashesBeforeRefresh("the dynamic provider", dynamic)
testCrashesBeforeRefresh("the plugin", onPlugin)
testCrashesOnPulumi("the dynamic provider", dynamic)
testCrashesOnPulumi("the plugin", onPlugin)
