/** All controls. */
import { ACCOUNTS } from "./AccountControls.ts"
import { CLOCK } from "./ClockControls.ts"
import type { Controls } from "./Control.ts"
import { FAULTS } from "./FaultControls.ts"
import { RECORDS } from "./RecordControls.ts"
import { STATES } from "./StateControls.ts"
import { WALLET } from "./WalletControls.ts"

export const CONTROLS: Controls = { ...STATES, ...CLOCK, ...ACCOUNTS, ...FAULTS, ...WALLET, ...RECORDS }
