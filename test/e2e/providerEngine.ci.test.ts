/** The test engine against the real one, in the rows that the scenarios rest on most. */
import { testEngine, testPulumi } from "../engine/engineTests.ts"

const KILLED = "killed while creating: a lock, a pending operation, and a create like the first"

testEngine([
  "create, no change, change, destroy, in the order of dependence",
  "a replacement creates first, and deletes at the end",
  "a half-made resource is saved, and updated by the next up",
  "one create fails with --continue-on-error",
  "the provider alone is killed while updating",
  "up --refresh reads first, and creates again what is gone",
  KILLED
])
testPulumi([KILLED])
