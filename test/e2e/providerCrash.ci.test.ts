/**
 * The crash matrix where something has changed: a killed run is followed by one that ends as an undisturbed one would
 * have. `providerCrash.long.test.ts` plays all rows with every kill.
 */
import { testCrashes, testCrashesOnPulumi } from "../engine/crashTests.ts"
import { onPlugin } from "../engine/OnPlugin.ts"
import { dynamic } from "../engine/scenarioTests.ts"

/** The plugin shares the lifecycles with the dynamic provider; these rows test its host. */
const OF_THE_HOST = new Set(["create", "adopt an instance"])

/** Of the rows of attached resources, that of a lifecycle's first request; unit tests interrupt the others. */
const ATTACHED = new Set(["a snapshot"])

/** A row that the plugin plays below, and those whose steps `create` or `test/provider/instance/crashing` have, too. */
const CONTAINED = new Set([
  "a new generation",
  "adopt an instance",
  "back to the disk",
  "create, in rescue mode with an ISO",
  "create, the provider alone is killed",
  "destroy with forget",
  "destroy with stop",
  "everything at once",
  "hostname",
  "ISO",
  "password rotation",
  "power off",
  "power on",
  "reinstall",
  "reinstall by triggers with a snapshot before",
  "rescue mode",
  "resize",
  "resize, the engine alone is killed",
  "resize, with a refresh after the kill",
  "resize with a snapshot before, the provider alone is killed"
])

testCrashes(
  "the dynamic provider",
  dynamic,
  "changes",
  (name, row) => !CONTAINED.has(name) && ((row.beside ?? row.besideBefore) === undefined || ATTACHED.has(name))
)
testCrashes("the plugin", onPlugin, "changes", (name) => OF_THE_HOST.has(name))
// The real engine's lock, its pending operations and its orphans show in one row.
const ON_PULUMI = new Set(["create"])
testCrashesOnPulumi("the plugin", onPlugin, (name) => ON_PULUMI.has(name))
