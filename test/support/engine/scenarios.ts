/** The scenarios of the provider: one table for every engine. */
import { LIFECYCLE } from "./scenarios/lifecycle.ts"
import { TROUBLE } from "./scenarios/trouble.ts"
import type { Stage } from "./Stage.ts"

export type Scenario = (stage: Stage) => Promise<void>

export const SCENARIOS: Record<string, Scenario> = { ...LIFECYCLE, ...TROUBLE }
