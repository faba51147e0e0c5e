/**
 * The crash matrix where something has changed: a killed run is followed by one that ends as an undisturbed one would
 * have. `provider-crash.long.test.ts` plays all rows with every kill.
 */
import { testCrashes, testCrashesOnPulumi } from "../engine/crashTests.ts"
import { onPlugin } from "../engine/OnPlugin.ts"
import { dynamic } from "../engine/scenarioTests.ts"

/** The plugin shares the lifecycles with the dynamic provider; these rows test its host: create, many steps, delete. */
const OF_THE_HOST = new Set(["create", "adopt an instance", "everything at once", "destroy with stop"])

/** Of the rows of attached resources, those of a lifecycle's first request; unit tests interrupt the others. */
const ATTACHED = new Set(["a snapshot", "a restore"])

testCrashes(
  "the dynamic provider",
  dynamic,
  "changes",
  (name, row) => (row.beside ?? row.besideBefore) === undefined || ATTACHED.has(name)
)
testCrashes("the plugin", onPlugin, "changes", (name) => OF_THE_HOST.has(name))
// Its lock, its pending operations and its language host show in one row.
testCrashesOnPulumi("the dynamic provider", dynamic, (name) => name === "create")
testCrashesOnPulumi("the plugin", onPlugin, (name) => OF_THE_HOST.has(name))
