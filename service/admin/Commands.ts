/**
 * All operator commands. The running service executes them for clients of its socket; without one, `vps-service admin`
 * executes them on the database itself. The input is JSON, which is validated here in both cases.
 */
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { StorageUnavailable } from "../domain/Errors.ts"
import * as Catalogue from "./catalogue/CatalogueImport.ts"
import { type CommandRejected, reject } from "./CommandRejected.ts"
import * as Accounts from "./commands/Accounts.ts"
import * as Clock from "./commands/Clock.ts"
import * as Corrections from "./commands/Corrections.ts"
import * as Addresses from "./commands/Addresses.ts"
import * as Coupons from "./commands/Coupons.ts"
import * as DatabaseCopies from "./commands/DatabaseCopies.ts"
import * as HostImages from "./commands/HostImages.ts"
import * as Hosts from "./commands/Hosts.ts"
import * as Instances from "./commands/Instances.ts"
import * as Keys from "./commands/Keys.ts"
import * as Prices from "./commands/Prices.ts"
import * as Tasks from "./commands/Tasks.ts"
import * as UnreconciledTasks from "./commands/UnreconciledTasks.ts"
import * as Wallet from "./commands/Wallet.ts"
import { ById, decode, Empty } from "./InputSchemas.ts"

/** Schemas are created on first use, so that a service without operator commands does not pay for them. */
const command = <S extends Schema.Codec<unknown, unknown>, A, E extends CommandRejected | StorageUnavailable, R>(
  input: () => S,
  run: (input: S["Type"]) => Effect.Effect<A, E, R>
) =>
(value: S["Type"]): Effect.Effect<A, CommandRejected | StorageUnavailable, R> =>
  Effect.flatMap(decode(input(), value), run)

/** Each command by its name on the socket. */
export const COMMANDS = {
  "accounts.create": command(Accounts.NewAccount, Accounts.createAccount),
  "accounts.list": command(Accounts.AccountList, Accounts.listAccounts),
  "accounts.show": command(ById, Accounts.showAccount),
  "accounts.limits": command(Accounts.AccountLimits, Accounts.accountLimits),
  "keys.create": command(Keys.NewKey, Keys.createKey),
  "keys.list": command(Keys.KeyList, Keys.listKeys),
  "keys.revoke": command(ById, Keys.revokeKey),
  "wallet.top_up": command(Wallet.TopUp, Wallet.topUpWallet),
  "wallet.statement": command(Wallet.Statement, Wallet.statement),
  "catalogue.import": command(Catalogue.Import, Catalogue.importCatalogue),
  "catalogue.export": command(Empty, () => Catalogue.exportCatalogue),
  "plans.list": command(Empty, () => Catalogue.listPlans),
  "plans.reprice": command(Prices.Repricing, Prices.repricePlan),
  "images.list": command(Empty, () => Catalogue.listImages),
  "images.import": command(HostImages.ImageUpload, HostImages.importImage),
  "isos.list": command(Empty, () => Catalogue.listIsos),
  "coupons.create": command(Coupons.NewCoupon, Coupons.createCoupon),
  "coupons.list": command(Empty, () => Coupons.listCoupons),
  "hosts.add": command(Hosts.NewHost, Hosts.addHost),
  "hosts.list": command(Empty, () => Hosts.listHosts),
  "hosts.check": command(Hosts.ByName, Hosts.tryHost),
  "hosts.drain": command(Hosts.ByName, Hosts.drainHost),
  "hosts.activate": command(Hosts.ByName, Hosts.activateHost),
  "addresses.add": command(Addresses.NewPool, Addresses.addPool),
  "addresses.list": command(Empty, () => Addresses.listPools),
  "instances.list": command(Instances.InstanceList, Instances.listInstances),
  "instances.suspend": command(Instances.Suspension, Instances.suspend),
  "instances.unsuspend": command(ById, Instances.unsuspend),
  "instances.auto_renew": command(Instances.AutoRenew, Instances.setAutoRenew),
  "instances.undo_renewal": command(ById, Corrections.undoRenewal),
  "instances.undo_expiry": command(ById, Corrections.undoExpiry),
  "clock.show": command(Empty, () => Clock.showClock),
  "clock.confirm": command(Clock.Confirmation, Clock.confirmClock),
  "tasks.list": command(Tasks.TaskList, Tasks.listTasks),
  "tasks.retry": command(ById, Tasks.retryTask),
  "tasks.approve": command(ById, Tasks.approveTask),
  "tasks.leftovers": command(UnreconciledTasks.UnreconciledList, UnreconciledTasks.listUnreconciledTasks),
  "tasks.abandon": command(UnreconciledTasks.Abandonment, UnreconciledTasks.abandonTask),
  "ledger.verify": command(Empty, () => Wallet.verifyBooks),
  "database.copy": command(DatabaseCopies.CopyTarget, DatabaseCopies.copyDatabase),
  "secret.list": command(Empty, () => DatabaseCopies.listSecrets)
}

export type CommandName = keyof typeof COMMANDS
export type InputOf<Name extends CommandName> = Parameters<typeof COMMANDS[Name]>[0]
export type ResultOf<Name extends CommandName> = Effect.Success<ReturnType<typeof COMMANDS[Name]>>

/** The services that commands need. */
export type CommandServices = Effect.Services<ReturnType<typeof COMMANDS[CommandName]>>

type Execute = (input: unknown) => Effect.Effect<unknown, CommandRejected | StorageUnavailable, CommandServices>

/** Executes a command by its name. */
export const execute = (name: string, input: unknown): ReturnType<Execute> =>
  Object.hasOwn(COMMANDS, name)
    ? (COMMANDS[name as CommandName] as Execute)(input)
    : Effect.fail(reject(`Unknown command ${name}. This version of the service does not support it.`))
