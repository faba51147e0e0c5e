/**
 * All operator commands. The running service executes them for clients of its socket; without one, `vps-service admin`
 * executes them on the database itself. The input is JSON, which is validated here in both cases.
 */
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { StorageUnavailable } from "../domain/Errors.ts"
import * as Catalogue from "./catalogue/CatalogueImport.ts"
import { type CommandRejected, reject } from "./CommandRejected.ts"
import * as AccountChanges from "./commands/AccountChanges.ts"
import * as Accounts from "./commands/Accounts.ts"
import * as Audits from "./commands/Audits.ts"
import * as Bookings from "./commands/Bookings.ts"
import * as Clock from "./commands/Clock.ts"
import * as Corrections from "./commands/Corrections.ts"
import * as Addresses from "./commands/Addresses.ts"
import * as Coupons from "./commands/Coupons.ts"
import * as DatabaseCopies from "./commands/DatabaseCopies.ts"
import * as Evacuations from "./commands/Evacuations.ts"
import * as HostImages from "./commands/HostImages.ts"
import * as Hosts from "./commands/Hosts.ts"
import * as HostSettings from "./commands/HostSettings.ts"
import * as Instances from "./commands/Instances.ts"
import * as Keys from "./commands/Keys.ts"
import * as Machines from "./commands/Machines.ts"
import * as People from "./commands/People.ts"
import * as Prices from "./commands/Prices.ts"
import * as ReverseDns from "./commands/ReverseDns.ts"
import * as Tasks from "./commands/Tasks.ts"
import * as Termination from "./commands/Termination.ts"
import * as UnreconciledTasks from "./commands/UnreconciledTasks.ts"
import * as Wallet from "./commands/Wallet.ts"
import { ById, decode, Empty } from "./InputSchemas.ts"

interface Options<Input> {
  /**
   * True if the panel needs a sign-in of the last minutes: the command moves money, access, hosts, the clock, accounts,
   * keys or people.
   */
  readonly fresh: boolean
  /** True if this input changes nothing. */
  readonly unless?: (input: Input) => boolean
  /** True if it is about files or secrets of the host, so that the panel does not have it. */
  readonly hostOnly?: boolean
}

/** Schemas are created on first use, so that a service without operator commands does not pay for them. */
const acts = <S extends Schema.Codec<unknown, unknown>, A, E extends CommandRejected | StorageUnavailable, R>(
  input: () => S,
  run: (input: S["Type"]) => Effect.Effect<A, E, R>,
  { fresh, hostOnly = false, unless = () => false }: Options<S["Type"]>
) => ({
  fresh,
  hostOnly,
  run: (value: S["Type"]): Effect.Effect<A, CommandRejected | StorageUnavailable, R> =>
    Effect.flatMap(decode(input(), value), run),
  /** True if the command changes something, so that it is recorded in the audit log. */
  isAct: (value: unknown): boolean => !unless(value as S["Type"])
})

const FRESH = { fresh: true }
const ANY = { fresh: false }
const HOST_ONLY = { fresh: true, hostOnly: true }

const reads = <S extends Schema.Codec<unknown, unknown>, A, E extends CommandRejected | StorageUnavailable, R>(
  input: () => S,
  run: (input: S["Type"]) => Effect.Effect<A, E, R>,
  options: Options<S["Type"]> = ANY
) => acts(input, run, { ...options, unless: () => true })

/** Each command by its name on the socket. */
export const COMMANDS = {
  "accounts.create": acts(Accounts.NewAccount, Accounts.createAccount, FRESH),
  "accounts.list": reads(Accounts.AccountList, Accounts.listAccounts),
  "accounts.show": reads(ById, Accounts.showAccount),
  "accounts.limits": acts(Accounts.AccountLimits, Accounts.accountLimits, {
    fresh: true,
    unless: ({ creates_per_hour: perHour, creates_per_minute: perMinute }) =>
      perHour === undefined && perMinute === undefined
  }),
  "accounts.edit": acts(AccountChanges.AccountEdit, AccountChanges.editAccount, FRESH),
  "accounts.close": acts(AccountChanges.Closing, AccountChanges.closeAccount, FRESH),
  "accounts.reopen": acts(ById, AccountChanges.reopenAccount, FRESH),
  "keys.create": acts(Keys.NewKey, Keys.createKey, FRESH),
  "keys.list": reads(Keys.KeyList, Keys.listKeys),
  "keys.revoke": acts(ById, Keys.revokeKey, FRESH),
  "people.invite": acts(People.NewInvitation, People.invitePerson, FRESH),
  "people.invitations": reads(People.InvitationList, People.listInvitations),
  "people.withdraw": acts(ById, People.withdrawInvitation, FRESH),
  "people.link": acts(ById, People.linkPerson, FRESH),
  "people.list": reads(People.PersonList, People.listPeople),
  "people.remove": acts(People.Removal, People.removePerson, FRESH),
  "wallet.top_up": acts(Wallet.TopUp, Wallet.topUpWallet, FRESH),
  "wallet.debit": acts(Bookings.Debit, Bookings.debitWallet, FRESH),
  "wallet.refund": acts(Bookings.Refund, Bookings.refundLine, FRESH),
  "wallet.statement": reads(Wallet.Statement, Wallet.statement),
  "catalogue.import": acts(Catalogue.Import, Catalogue.importCatalogue, {
    unless: ({ dry_run: dryRun }) => dryRun,
    fresh: true
  }),
  "catalogue.export": reads(Empty, () => Catalogue.exportCatalogue),
  "plans.list": reads(Empty, () => Catalogue.listPlans),
  "plans.reprice": acts(Prices.Repricing, Prices.repricePlan, FRESH),
  "images.list": reads(Empty, () => Catalogue.listImages),
  "images.import": acts(HostImages.ImageUpload, HostImages.importImage, HOST_ONLY),
  "isos.list": reads(Empty, () => Catalogue.listIsos),
  "coupons.create": acts(Coupons.NewCoupon, Coupons.createCoupon, FRESH),
  "coupons.list": reads(Empty, () => Coupons.listCoupons),
  "hosts.add": acts(Hosts.NewHost, Hosts.addHost, HOST_ONLY),
  "hosts.set": acts(HostSettings.HostChange, HostSettings.setHost, FRESH),
  "hosts.list": reads(Empty, () => Hosts.listHosts),
  "hosts.check": acts(Hosts.ByName, HostSettings.tryHost, FRESH),
  "hosts.drain": acts(Hosts.ByName, Hosts.drainHost, FRESH),
  "hosts.activate": acts(Hosts.ByName, Hosts.activateHost, FRESH),
  "hosts.evacuate": acts(Evacuations.Evacuation, Evacuations.evacuateHost, {
    unless: ({ dry_run: dryRun }) => dryRun,
    fresh: true
  }),
  "hosts.fence": acts(Evacuations.Fence, Evacuations.fenceHost, FRESH),
  "addresses.add": acts(Addresses.NewPool, Addresses.addPool, FRESH),
  "addresses.list": reads(Empty, () => Addresses.listPools),
  "addresses.neighbors": reads(Empty, () => Addresses.listNeighbors),
  "rdns.check": acts(ReverseDns.Check, ReverseDns.checkReverseDns, { fresh: false, unless: ({ repair }) => !repair }),
  "machines.audit": acts(Machines.Audit, Machines.auditMachines, { fresh: true, unless: ({ repair }) => !repair }),
  "instances.list": reads(Instances.InstanceList, Instances.listInstances),
  "instances.suspend": acts(Instances.Suspension, Instances.suspend, FRESH),
  "instances.unsuspend": acts(ById, Instances.unsuspend, FRESH),
  "instances.terminate": acts(Termination.Termination, Termination.terminate, FRESH),
  "instances.auto_renew": acts(Instances.AutoRenew, Instances.setAutoRenew, FRESH),
  "instances.undo_renewal": acts(ById, Corrections.undoRenewal, FRESH),
  "instances.undo_expiry": acts(ById, Corrections.undoExpiry, FRESH),
  "clock.show": reads(Empty, () => Clock.showClock),
  "clock.confirm": acts(Clock.Confirmation, Clock.confirmClock, FRESH),
  "tasks.list": reads(Tasks.TaskList, Tasks.listTasks),
  "tasks.show": reads(ById, Tasks.showTask),
  "tasks.retry": acts(ById, Tasks.retryTask, ANY),
  "tasks.approve": acts(ById, Tasks.approveTask, ANY),
  "tasks.reject": acts(Tasks.Rejection, Tasks.rejectTask, FRESH),
  "tasks.leftovers": reads(UnreconciledTasks.UnreconciledList, UnreconciledTasks.listUnreconciledTasks),
  "tasks.abandon": acts(UnreconciledTasks.Abandonment, UnreconciledTasks.abandonTask, ANY),
  "audit.list": reads(Audits.AuditList, Audits.listAudit),
  "audit.export": reads(Audits.AuditExport, Audits.exportAudit),
  "audit.verify": reads(Audits.AuditCheck, Audits.verifyAudit),
  "ledger.verify": reads(Empty, () => Wallet.verifyBooks),
  "database.copy": acts(DatabaseCopies.CopyTarget, DatabaseCopies.copyDatabase, HOST_ONLY),
  "secret.list": reads(Empty, () => DatabaseCopies.listSecrets, HOST_ONLY),
  "secret.rotate": acts(DatabaseCopies.SecretRotation, () => Effect.succeed({}), HOST_ONLY),
  "secret.forget": acts(DatabaseCopies.SecretRemoval, () => Effect.succeed({}), HOST_ONLY)
}

export type CommandName = keyof typeof COMMANDS
export type InputOf<Name extends CommandName> = Parameters<typeof COMMANDS[Name]["run"]>[0]
export type ResultOf<Name extends CommandName> = Effect.Success<ReturnType<typeof COMMANDS[Name]["run"]>>

/** The services that commands need. */
export type CommandServices = Effect.Services<ReturnType<typeof COMMANDS[CommandName]["run"]>>

interface AnyCommand {
  readonly run: (input: unknown) => Effect.Effect<unknown, CommandRejected | StorageUnavailable, CommandServices>
  readonly isAct: (input: unknown) => boolean
  readonly fresh: boolean
  readonly hostOnly: boolean
}

/** Fails with `CommandRejected` if there is no such command. */
export const commandNamed = (name: string): Effect.Effect<AnyCommand, CommandRejected> =>
  Object.hasOwn(COMMANDS, name)
    ? Effect.succeed(COMMANDS[name as CommandName] as AnyCommand)
    : Effect.fail(reject(`Unknown command ${name}. This version of the service does not support it.`))
