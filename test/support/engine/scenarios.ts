/** The scenarios of the provider: one table for every engine. */
import { DRIFT } from "./scenarios/drift.ts"
import { FAULTS } from "./scenarios/faults.ts"
import { INPUTS } from "./scenarios/inputs.ts"
import { INSTANCE_CHANGES } from "./scenarios/instance-changes.ts"
import { LIFECYCLE } from "./scenarios/lifecycle.ts"
import { TROUBLE } from "./scenarios/trouble.ts"
import type { Stage } from "./Stage.ts"

export type Scenario = (stage: Stage) => Promise<void>

export const SCENARIOS: Record<string, Scenario> = { ...LIFECYCLE, ...INSTANCE_CHANGES, ...TROUBLE, ...FAULTS, ...DRIFT, ...INPUTS }
