/** The scenarios of the provider: one table for every engine. */
import { ATTACHED } from "./scenarios/attached.ts"
import { DRIFT } from "./scenarios/drift.ts"
import { FAULTS } from "./scenarios/faults.ts"
import { FLEET } from "./scenarios/fleet.ts"
import { INPUTS } from "./scenarios/inputs.ts"
import { INSTANCE_CHANGES } from "./scenarios/instance-changes.ts"
import { LIFECYCLE } from "./scenarios/lifecycle.ts"
import { INTERRUPTIONS } from "./scenarios/interruptions.ts"
import { UPGRADES } from "./scenarios/upgrade.ts"
import type { Environment } from "./Environment.ts"

export type Scenario = (env: Environment) => Promise<void>

export const SCENARIOS: Record<string, Scenario> = {
  ...LIFECYCLE,
  ...ATTACHED,
  ...INSTANCE_CHANGES,
  ...INTERRUPTIONS,
  ...FAULTS,
  ...DRIFT,
  ...INPUTS,
  ...FLEET,
  ...UPGRADES
}
