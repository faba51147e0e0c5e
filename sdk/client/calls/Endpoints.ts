/** All endpoints of the API, by group. */
import { account } from "./Account.ts"
import { backups } from "./Backups.ts"
import { instances } from "./Instances.ts"
import { isos } from "./Isos.ts"
import { monitoring } from "./Monitoring.ts"
import { power } from "./Power.ts"
import { rescue } from "./Rescue.ts"
import { services } from "./Services.ts"
import { snapshots } from "./Snapshots.ts"

// Declared with `typeof`, so that the published types refer to the documented constants instead of copying them.
interface Groups {
  readonly account: typeof account
  readonly services: typeof services
  readonly instances: typeof instances
  readonly monitoring: typeof monitoring
  readonly power: typeof power
  readonly snapshots: typeof snapshots
  readonly backups: typeof backups
  readonly isos: typeof isos
  readonly rescue: typeof rescue
}

export const endpoints: Groups = {
  account,
  services,
  instances,
  monitoring,
  power,
  snapshots,
  backups,
  isos,
  rescue
}

/** The contract's name of an endpoint: `instances.reset_password`. */
export type OperationName = {
  [Group in keyof Groups]: `${Group}.${SnakeCase<Extract<keyof Groups[Group], string>>}`
}[keyof Groups]

export type SnakeCase<Text extends string> = Text extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Text
