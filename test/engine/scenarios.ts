/** The scenarios of the provider: one table for every engine. */
import { ATTACHED } from "./scenarios/attached.ts"
import { DRIFT } from "./scenarios/drift.ts"
import { FAULTS } from "./scenarios/faults.ts"
import { FLEET } from "./scenarios/fleet.ts"
import { INPUTS } from "./scenarios/inputs.ts"
import { INSTANCE_CHANGES } from "./scenarios/instance-changes.ts"
import { LIFECYCLE } from "./scenarios/lifecycle.ts"
import { TROUBLE } from "./scenarios/trouble.ts"
import { UPGRADES } from "./scenarios/upgrade.ts"
import type { Stage } from "./Stage.ts"

export type Scenario = (stage: Stage) => Promise<void>

export const SCENARIOS: Record<string, Scenario> = {
  ...LIFECYCLE,
  ...ATTACHED,
  ...INSTANCE_CHANGES,
  ...TROUBLE,
  ...FAULTS,
  ...DRIFT,
  ...INPUTS,
  ...FLEET,
  ...UPGRADES
}
