/**
 * The use case of each operator command. The running service executes them for clients of its socket and for the panel;
 * without a service, `vps-service admin` executes them on the database itself. The input is JSON, which is decoded here
 * in all cases.
 */
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { type CommandName, CONTRACT, type InputOf, type ResultOf } from "../contract/operator/Commands.ts"
import type { StorageUnavailable } from "../domain/Errors.ts"
import * as Catalogue from "./catalogue/CatalogueImport.ts"
import { type CommandRejected, reject } from "./CommandRejected.ts"
import * as AccountChanges from "./commands/AccountChanges.ts"
import * as Accounts from "./commands/Accounts.ts"
import * as Addresses from "./commands/Addresses.ts"
import * as Audits from "./commands/Audits.ts"
import * as Bookings from "./commands/Bookings.ts"
import * as Clock from "./commands/Clock.ts"
import * as Corrections from "./commands/Corrections.ts"
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
import { decode } from "./Input.ts"

type Failure = CommandRejected | StorageUnavailable

/** The services that a use case needs are inferred. */
type UseCases = {
  readonly [Name in CommandName]: (input: InputOf<Name>) => Effect.Effect<ResultOf<Name>, Failure, unknown>
}

/** The fields that a result has beyond those of its contract, which `satisfies` accepts. */
type Excess<Result, Contract> = Contract extends ReadonlyArray<infer Expected>
  ? Result extends ReadonlyArray<infer Actual> ? Excess<Actual, Expected> : never
  : Contract extends object ? Exclude<keyof Result, keyof Contract>
  : never

type Returned<UseCase> = UseCase extends (...input: never) => Effect.Effect<infer Result, infer _E, infer _R> ? Result
  : never

/** A sentence in place of each use case whose result has more. */
type Exact<All extends UseCases> = {
  readonly [Name in CommandName]: [Excess<Returned<All[Name]>, ResultOf<Name>>] extends [never] ? unknown
    : `The contract of ${Name} lacks ${Excess<Returned<All[Name]>, ResultOf<Name>> & string}`
}

/** The use case only records what the command line did. */
const recorded = () => Effect.succeed({})

const USE_CASES = {
  "accounts.create": Accounts.createAccount,
  "accounts.list": Accounts.listAccounts,
  "accounts.show": Accounts.showAccount,
  "accounts.limits": Accounts.accountLimits,
  "accounts.edit": AccountChanges.editAccount,
  "accounts.close": AccountChanges.closeAccount,
  "accounts.reopen": AccountChanges.reopenAccount,
  "keys.create": Keys.createKey,
  "keys.list": Keys.listKeys,
  "keys.revoke": Keys.revokeKey,
  "people.invite": People.invitePerson,
  "people.invitations": People.listInvitations,
  "people.withdraw": People.withdrawInvitation,
  "people.link": People.linkPerson,
  "people.list": People.listPeople,
  "people.remove": People.removePerson,
  "wallet.top_up": Wallet.topUpWallet,
  "wallet.debit": Bookings.debitWallet,
  "wallet.refund": Bookings.refundLine,
  "wallet.statement": Wallet.statement,
  "ledger.verify": () => Wallet.verifyBooks,
  "coupons.create": Coupons.createCoupon,
  "coupons.list": () => Coupons.listCoupons,
  "plans.reprice": Prices.repricePlan,
  "catalogue.import": Catalogue.importCatalogue,
  "catalogue.export": () => Catalogue.exportCatalogue,
  "plans.list": () => Catalogue.listPlans,
  "images.list": () => Catalogue.listImages,
  "images.import": HostImages.importImage,
  "isos.list": () => Catalogue.listIsos,
  "hosts.add": Hosts.addHost,
  "hosts.set": HostSettings.setHost,
  "hosts.list": () => Hosts.listHosts,
  "hosts.check": HostSettings.tryHost,
  "hosts.drain": Hosts.drainHost,
  "hosts.activate": Hosts.activateHost,
  "hosts.evacuate": Evacuations.evacuateHost,
  "hosts.fence": Evacuations.fenceHost,
  "machines.audit": Machines.auditMachines,
  "addresses.add": Addresses.addPool,
  "addresses.list": () => Addresses.listPools,
  "addresses.neighbors": () => Addresses.listNeighbors,
  "rdns.check": ReverseDns.checkReverseDns,
  "instances.list": Instances.listInstances,
  "instances.suspend": Instances.suspend,
  "instances.unsuspend": Instances.unsuspend,
  "instances.terminate": Termination.terminate,
  "instances.auto_renew": Instances.setAutoRenew,
  "instances.undo_renewal": Corrections.undoRenewal,
  "instances.undo_expiry": Corrections.undoExpiry,
  "tasks.list": Tasks.listTasks,
  "tasks.show": Tasks.showTask,
  "tasks.retry": Tasks.retryTask,
  "tasks.approve": Tasks.approveTask,
  "tasks.reject": Tasks.rejectTask,
  "tasks.unreconciled": UnreconciledTasks.listUnreconciledTasks,
  "tasks.abandon": UnreconciledTasks.abandonTask,
  "audit.list": Audits.listAudit,
  "audit.export": Audits.exportAudit,
  "audit.verify": Audits.verifyAudit,
  "clock.show": () => Clock.showClock,
  "clock.confirm": Clock.confirmClock,
  "database.copy": DatabaseCopies.copyDatabase,
  "secret.list": () => DatabaseCopies.listSecrets,
  "secret.rotate": recorded,
  "secret.forget": recorded
} satisfies UseCases

type ServicesOf<Name extends CommandName> = Effect.Services<ReturnType<typeof USE_CASES[Name]>>

/** The services that commands need. */
export type CommandServices = ServicesOf<CommandName>

/** A command with the decoding of its input. */
const bind = <Name extends CommandName>(name: Name) => {
  const { fresh, hostOnly, input, isAct } = CONTRACT[name]
  const useCase = (USE_CASES satisfies Exact<typeof USE_CASES>)[name] as unknown as (
    input: InputOf<Name>
  ) => Effect.Effect<ResultOf<Name>, Failure, ServicesOf<Name>>
  return {
    fresh,
    hostOnly,
    isAct,
    run: (value: InputOf<Name>): Effect.Effect<ResultOf<Name>, Failure, ServicesOf<Name>> =>
      Effect.flatMap(decode(input() as unknown as Schema.Codec<InputOf<Name>, unknown>, value), useCase)
  }
}

/** Each command by its name on the socket. */
export const COMMANDS = Object.fromEntries(
  Object.keys(CONTRACT).map((name) => [name, bind(name as CommandName)])
) as unknown as { readonly [Name in CommandName]: ReturnType<typeof bind<Name>> }

interface AnyCommand {
  readonly run: (input: unknown) => Effect.Effect<unknown, Failure, CommandServices>
  readonly isAct: (input: unknown) => boolean
  readonly fresh: boolean
  readonly hostOnly: boolean
}

/** Fails with `CommandRejected` if there is no such command. */
export const commandNamed = (name: string): Effect.Effect<AnyCommand, CommandRejected> =>
  Object.hasOwn(COMMANDS, name)
    ? Effect.succeed(COMMANDS[name as CommandName] as AnyCommand)
    : Effect.fail(reject(`Unknown command ${name}. This version of the service does not support it.`))
