/** All repositories, over either database. */
import * as Layer from "effect/Layer"
import { Accounts } from "./Accounts.ts"
import { Addresses } from "./Addresses.ts"
import { ApiKeys } from "./ApiKeys.ts"
import { Backups } from "./Backups.ts"
import { Catalogue } from "./Catalogue.ts"
import { ClockStates } from "./ClockStates.ts"
import { Coupons } from "./Coupons.ts"
import { EmulatorSettings } from "./EmulatorSettings.ts"
import { Hosts } from "./Hosts.ts"
import { IdempotencyKeys } from "./IdempotencyKeys.ts"
import { Instances } from "./Instances.ts"
import { Isos } from "./Isos.ts"
import { Journals } from "./Journals.ts"
import { OperatorLists } from "./OperatorLists.ts"
import { Orders } from "./Orders.ts"
import { SavedStates } from "./SavedStates.ts"
import { SecretUses } from "./SecretUses.ts"
import { SimulatedMachines } from "./SimulatedMachines.ts"
import { Snapshots } from "./Snapshots.ts"
import { Tasks } from "./Tasks.ts"
import { Wipe } from "./Wipe.ts"

export const layer = Layer.mergeAll(
  Accounts.layer,
  Addresses.layer,
  ApiKeys.layer,
  Backups.layer,
  Catalogue.layer,
  ClockStates.layer,
  Coupons.layer,
  EmulatorSettings.layer,
  Hosts.layer,
  IdempotencyKeys.layer,
  Instances.layer,
  Isos.layer,
  Journals.layer,
  OperatorLists.layer,
  Orders.layer,
  SavedStates.layer,
  SecretUses.layer,
  SimulatedMachines.layer,
  Snapshots.layer,
  Tasks.layer,
  Wipe.layer
)
