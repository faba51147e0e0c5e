/**
 * What operators can have done: one table, run by the service for whoever asks at its socket, or by the command itself
 * when no service runs. Inputs come as JSON and are checked here, whichever way they come.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { SCOPES } from "#contract/Scope"
import type { Authentication } from "../auth/Authentication.ts"
import type { StorageUnavailable } from "../domain/Errors.ts"
import { LIFECYCLES } from "../domain/InstanceStatus.ts"
import { TREATMENTS } from "../domain/Vat.ts"
import type { Accounts as AccountsRepository } from "../persistence/Accounts.ts"
import type { ApiKeys } from "../persistence/ApiKeys.ts"
import type { Backups } from "../persistence/Backups.ts"
import type { Catalogue as CatalogueRepository } from "../persistence/Catalogue.ts"
import type { Coupons as CouponsRepository } from "../persistence/Coupons.ts"
import type { Instances as InstancesRepository } from "../persistence/Instances.ts"
import type { Limits } from "../config/Limits.ts"
import type { Journals } from "../persistence/Journals.ts"
import type { OperatorLists } from "../persistence/OperatorLists.ts"
import type { SecretUses } from "../persistence/SecretUses.ts"
import type { Tasks as TasksRepository } from "../persistence/Tasks.ts"
import type { TaskStatus } from "../persistence/tasks/Task.ts"
import type { Transaction } from "../persistence/Transaction.ts"
import type { Secret } from "../Secret.ts"
import type { WorkerNotifier } from "../WorkerNotifier.ts"
import * as Accounts from "./commands/Accounts.ts"
import * as Catalogue from "./catalogue/CatalogueImport.ts"
import { CatalogueDocument } from "./catalogue/CatalogueDocument.ts"
import * as DatabaseCopies from "./commands/DatabaseCopies.ts"
import * as Coupons from "./commands/Coupons.ts"
import {
  CommandRejected,
  Currency,
  decode,
  Email,
  Id,
  Moment,
  Money,
  Percent,
  Rows,
  Share,
  text,
  word
} from "./InputSchemas.ts"
import * as Instances from "./commands/Instances.ts"
import * as Keys from "./commands/Keys.ts"
import * as UnreconciledTasks from "./commands/UnreconciledTasks.ts"
import * as Tasks from "./commands/Tasks.ts"
import * as Wallet from "./commands/Wallet.ts"

/** What commands find in their context. */
export type CommandServices =
  | AccountsRepository
  | ApiKeys
  | Authentication
  | Backups
  | CatalogueRepository
  | CouponsRepository
  | InstancesRepository
  | Journals
  | Limits
  | OperatorLists
  | Secret
  | SecretUses
  | TasksRepository
  | Transaction
  | WorkerNotifier

export const TASK_STATUSES = ["queued", "running", "succeeded", "failed", "cancelled"] as const satisfies ReadonlyArray<
  TaskStatus
>

const optional = Schema.optionalKey

/** Longest name or reason, in characters. */
const NAME_MAX = 255

/** Longest path of a file that Linux takes, in bytes. */
const PATH_MAX = 4_096

const Name = text(1, NAME_MAX)
const ById = () => Schema.Struct({ id: Id })
const Nothing = () => Schema.Struct({})

const INPUTS = {
  newAccount: () =>
    Schema.Struct({
      email: Email,
      currency: Currency,
      vat_treatment: word(TREATMENTS),
      vat_rate: optional(Percent)
    }),
  newKey: () =>
    Schema.Struct({
      account_id: Id,
      name: Name,
      scopes: Schema.Array(word(SCOPES)),
      expires_at: optional(Moment)
    }),
  newCoupon: () =>
    Schema.Struct({
      code: text(1, 64),
      percent: optional(Share),
      fixed: optional(Money),
      currency: optional(Currency),
      valid_from: optional(Moment),
      valid_until: optional(Moment),
      max_uses: optional(Id),
      once_per_account: Schema.Boolean
    }),
  limits: () =>
    Schema.Struct({
      id: Id,
      creates_per_minute: optional(Schema.NullOr(Id)),
      creates_per_hour: optional(Schema.NullOr(Id))
    }),
  instances: () => Schema.Struct({ account_id: optional(Id), lifecycle: optional(word(LIFECYCLES)), limit: Rows }),
  tasks: () => Schema.Struct({ instance_id: optional(Id), status: optional(word(TASK_STATUSES)), limit: Rows })
}

/** Schemas are made when they are first used: a service that no operator asks does not pay for them. */
const command = <S extends Schema.Codec<unknown, unknown>, A, E extends CommandRejected | StorageUnavailable>(
  input: () => S,
  run: (input: S["Type"]) => Effect.Effect<A, E, CommandServices>
) =>
(given: S["Type"]): Effect.Effect<A, CommandRejected | StorageUnavailable, CommandServices> =>
  Effect.flatMap(decode(input(), given), run)

/** Each command under its name on the socket. */
export const COMMANDS = {
  "accounts.create": command(INPUTS.newAccount, Accounts.createAccount),
  "accounts.list": command(
    () => Schema.Struct({ after: Schema.Int, limit: Rows }),
    Accounts.listAccounts
  ),
  "accounts.show": command(ById, Accounts.showAccount),
  "accounts.limits": command(INPUTS.limits, Accounts.accountLimits),
  "keys.create": command(INPUTS.newKey, Keys.createKey),
  "keys.list": command(() => Schema.Struct({ account_id: optional(Id), limit: Rows }), Keys.listKeys),
  "keys.revoke": command(ById, Keys.revokeKey),
  "wallet.top_up": command(
    () => Schema.Struct({ account_id: Id, amount: Money, reference: optional(Name) }),
    Wallet.topUpWallet
  ),
  "wallet.statement": command(() => Schema.Struct({ account_id: Id, limit: Rows }), Wallet.statement),
  "catalogue.import": command(
    () => Schema.Struct({ document: CatalogueDocument, dry_run: Schema.Boolean }),
    Catalogue.importCatalogue
  ),
  "catalogue.export": command(Nothing, () => Catalogue.exportCatalogue),
  "plans.list": command(Nothing, () => Catalogue.listPlans),
  "images.list": command(Nothing, () => Catalogue.listImages),
  "isos.list": command(Nothing, () => Catalogue.listIsos),
  "coupons.create": command(INPUTS.newCoupon, Coupons.createCoupon),
  "coupons.list": command(Nothing, () => Coupons.listCoupons),
  "instances.list": command(INPUTS.instances, Instances.listInstances),
  "instances.suspend": command(() => Schema.Struct({ id: Id, reason: Name }), Instances.suspend),
  "instances.unsuspend": command(ById, Instances.unsuspend),
  "instances.auto_renew": command(
    () => Schema.Struct({ id: Id, auto_renew: Schema.Boolean }),
    Instances.setAutoRenew
  ),
  "tasks.list": command(INPUTS.tasks, Tasks.listTasks),
  "tasks.retry": command(ById, Tasks.retryTask),
  "tasks.approve": command(ById, Tasks.approveTask),
  "tasks.leftovers": command(() => Schema.Struct({ limit: Rows }), UnreconciledTasks.listUnreconciledTasks),
  "tasks.abandon": command(() => Schema.Struct({ id: Id, reason: Name }), UnreconciledTasks.abandonTask),
  "ledger.verify": command(Nothing, () => Wallet.verifyBooks),
  "database.copy": command(() => Schema.Struct({ path: text(1, PATH_MAX) }), DatabaseCopies.copyDatabase),
  "secret.list": command(Nothing, () => DatabaseCopies.listSecrets)
}

export type CommandName = keyof typeof COMMANDS
export type InputOf<Name extends CommandName> = Parameters<typeof COMMANDS[Name]>[0]
export type ResultOf<Name extends CommandName> = Effect.Success<ReturnType<typeof COMMANDS[Name]>>

/** Runs a command by its name; one that this version does not know is refused. */
export const execute = (name: string, input: unknown) => {
  const known = Object.hasOwn(COMMANDS, name)
  return known
    ? (COMMANDS[name as CommandName] as (input: unknown) => Effect.Effect<
      unknown,
      CommandRejected | StorageUnavailable,
      CommandServices
    >)(input)
    : Effect.fail(new CommandRejected({ message: `This version of the service does not know the command ${name}.` }))
}
