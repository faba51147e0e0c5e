/** All repositories, over whichever database there is. */
import * as Layer from "effect/Layer"
import * as Accounts from "./Accounts.ts"
import * as ApiKeys from "./ApiKeys.ts"
import * as Backups from "./Backups.ts"
import * as Catalogue from "./Catalogue.ts"
import * as CatalogueBook from "./CatalogueBook.ts"
import * as Contracts from "./Contracts.ts"
import * as Coupons from "./Coupons.ts"
import * as CreateLimits from "./CreateLimits.ts"
import * as EmulatorSettings from "./EmulatorSettings.ts"
import * as IdempotencyKeys from "./IdempotencyKeys.ts"
import * as Instances from "./Instances.ts"
import * as Isos from "./Isos.ts"
import * as Ledger from "./Ledger.ts"
import { OperatorLists } from "../OperatorLists.ts"
import * as Orders from "./Orders.ts"
import * as SavedStates from "./SavedStates.ts"
import * as SecretUses from "./SecretUses.ts"
import * as SimulatedMachines from "./SimulatedMachines.ts"
import * as Snapshots from "./Snapshots.ts"
import * as Suspensions from "./Suspensions.ts"
import { Tasks } from "../Tasks.ts"
import * as Wipe from "./Wipe.ts"

export const layer = Layer.mergeAll(
  Accounts.layer,
  ApiKeys.layer,
  Backups.layer,
  Catalogue.layer,
  CatalogueBook.layer,
  Contracts.layer,
  Coupons.layer,
  CreateLimits.layer,
  EmulatorSettings.layer,
  IdempotencyKeys.layer,
  Instances.layer,
  Isos.layer,
  Ledger.layer,
  OperatorLists.layer,
  Orders.layer,
  SavedStates.layer,
  SecretUses.layer,
  SimulatedMachines.layer,
  Snapshots.layer,
  Suspensions.layer,
  Tasks.layer,
  Wipe.layer
)
