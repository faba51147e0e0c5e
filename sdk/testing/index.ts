/** `@pulumi-vps/testing`: the real service in your test's process, with play money and simulated instances. */
export { EmulatorError } from "./EmulatorError.ts"
export type {
  ClockReading,
  DriverFault,
  DurationInput,
  Fault,
  FaultRule,
  HttpFault,
  Ledger,
  LoggedRequest,
  NewAccount,
  NewKey,
  SavedState,
  SentMail,
  StatementLine,
  Wallet
} from "./Types.ts"
export type { DeploySetting, EmulatorOptions, Seed } from "./Types.ts"
export { type RunningEmulator, startEmulator } from "./Start.ts"
