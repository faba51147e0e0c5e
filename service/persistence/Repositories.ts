/** All repositories, over either database. */
import * as Layer from "effect/Layer"
import { AccountActivity } from "./AccountActivity.ts"
import { Accounts } from "./Accounts.ts"
import { Addresses } from "./Addresses.ts"
import { Announcements } from "./Announcements.ts"
import { DueTimes } from "./DueTimes.ts"
import { ApiKeys } from "./ApiKeys.ts"
import { AuditEntries } from "./AuditEntries.ts"
import { Backups, Snapshots } from "./Snapshots.ts"
import { Bookings } from "./Bookings.ts"
import { Catalogue } from "./Catalogue.ts"
import { ClockStates } from "./ClockStates.ts"
import { DeploymentHolds } from "./DeploymentHolds.ts"
import { ConsoleTickets, Sessions } from "./people/Sessions.ts"
import { Contracts } from "./Contracts.ts"
import { Coupons } from "./Coupons.ts"
import { EmulatorSettings } from "./EmulatorSettings.ts"
import { Hosts } from "./Hosts.ts"
import { IdempotencyKeys } from "./IdempotencyKeys.ts"
import { Instances } from "./Instances.ts"
import { Isos } from "./Isos.ts"
import { Journals } from "./Journals.ts"
import { Labels } from "./Labels.ts"
import { JobLeases } from "./JobLeases.ts"
import { Mails } from "./Mails.ts"
import { Notes } from "./Notes.ts"
import { Observations } from "./Observations.ts"
import { OperatorLists } from "./OperatorLists.ts"
import { Orders } from "./Orders.ts"
import { Invitations } from "./people/Invitations.ts"
import { Passkeys } from "./people/Passkeys.ts"
import { People } from "./people/People.ts"
import { SshKeys } from "./people/SshKeys.ts"
import { Overview } from "./Overview.ts"
import { SavedStates, Wipe } from "./SavedStates.ts"
import { SecretUses } from "./SecretUses.ts"
import { SimulatedMachines } from "./SimulatedMachines.ts"
import { Statements } from "./Statements.ts"
import { Tasks } from "./Tasks.ts"

export const layer = Layer.mergeAll(
  AccountActivity.layer,
  Accounts.layer,
  Addresses.layer,
  Announcements.layer,
  DueTimes.layer,
  ApiKeys.layer,
  AuditEntries.layer,
  Backups.layer,
  Bookings.layer,
  Catalogue.layer,
  ClockStates.layer,
  DeploymentHolds.layer,
  ConsoleTickets.layer,
  Contracts.layer,
  Coupons.layer,
  EmulatorSettings.layer,
  Hosts.layer,
  IdempotencyKeys.layer,
  Instances.layer,
  Invitations.layer,
  Isos.layer,
  Journals.layer,
  Labels.layer,
  JobLeases.layer,
  Mails.layer,
  Notes.layer,
  Observations.layer,
  OperatorLists.layer,
  Orders.layer,
  Passkeys.layer,
  People.layer,
  Overview.layer,
  SavedStates.layer,
  SecretUses.layer,
  Sessions.layer,
  SimulatedMachines.layer,
  Snapshots.layer,
  SshKeys.layer,
  Statements.layer,
  Tasks.layer,
  Wipe.layer
)
