/**
 * Executes operators' commands. One that changes something is recorded in the audit log in its first transaction, so
 * there is no change without an entry; its failure is recorded, too.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { type Act, record } from "../audit/Audit.ts"
import type { Actor } from "../domain/AuditEntry.ts"
import { StorageUnavailable } from "../domain/Errors.ts"
import { AuditEntries } from "../persistence/AuditEntries.ts"
import { Accompanied, type Companion, Transaction } from "../persistence/Transaction.ts"
import { collectFacts, CurrentActor, type Facts } from "./UseCases.ts"
import { CommandRejected } from "./Input.ts"
import { commandNamed } from "./Commands.ts"

/** Names of `id` in the input of commands, by the group of the command. */
const IDS: Readonly<Record<string, string>> = {
  accounts: "account_id",
  announcements: "announcement_id",
  instances: "instance_id",
  keys: "key_id",
  mails: "mail_id",
  notes: "note_id",
  plans: "plan_id",
  tasks: "task_id"
}

/** The input of a command, with `id` under the name of its thing. */
const inputFacts = (command: string, input: unknown): Facts => {
  if (typeof input !== "object" || input === null) return { input }
  const { id, ...facts } = input as Facts
  const name = IDS[command.split(".")[0]!] ?? "id"
  return id === undefined ? facts : { [name]: id, ...facts }
}

const idOf = (value: unknown): number | null => Number.isSafeInteger(value) ? value as number : null

/** An entry without its outcome. */
const actOf = (actor: Actor, action: string, facts: Facts): Act => {
  const { account_id: accountId, instance_id: instanceId, ...details } = facts
  return { actor, action, accountId: idOf(accountId), instanceId: idOf(instanceId), details }
}

const outcomeOf = (cause: Cause.Cause<unknown>): Pick<Act, "outcome" | "error"> => {
  const error = Cause.squash(cause)
  if (error instanceof CommandRejected) return { outcome: "rejected", error: error.message }
  const isExpected = error instanceof StorageUnavailable
  return { outcome: "failed", error: isExpected ? error.message : "Internal error. See the service's log." }
}

/** The entry of an act, as a companion of its transactions. A use case that is repeated finds its facts again. */
const companionOf = (record: (found: Facts) => Effect.Effect<void>) => {
  let isCommitted = false
  let found: Facts = {}
  const companion: Companion = {
    join: (useCase) =>
      Effect.suspend(() => {
        found = {}
        const collecting = collectFacts(useCase, (facts) => {
          found = { ...found, ...facts }
        })
        return Effect.tap(collecting, () => record(found))
      }),
    onCommit: () => void (isCommitted = true),
    isCommitted: () => isCommitted
  }
  return { companion, found: () => found }
}

/** Executes a command that changes something. */
const audited = Effect.fnUntraced(function*<A, E, R>(command: Effect.Effect<A, E, R>, act: (found: Facts) => Act) {
  const transaction = yield* Transaction
  const entries = yield* AuditEntries
  const append = (act: Act) => Effect.provideService(record(act), AuditEntries, entries)
  const { companion, found } = companionOf((found) => append(act(found)))
  const exit = yield* Effect.exit(Effect.provideService(command, Accompanied, companion))
  if (Exit.isFailure(exit)) {
    // The command's own failure is what the operator has to know.
    yield* Effect.ignore(transaction.run(append({ ...act(found()), ...outcomeOf(exit.cause) })), { log: true })
  } else if (!companion.isCommitted()) yield* transaction.run(append(act({})))
  return yield* exit
})

/** Executes a command by its name. The input is JSON, which the command validates. */
export const execute = Effect.fnUntraced(function*(name: string, input: unknown, actor: Actor) {
  const command = yield* commandNamed(name)
  const isAct = typeof input !== "object" || input === null || command.isAct(input)
  if (!isAct) return yield* command.run(input)
  const facts = inputFacts(name, input)
  const running = Effect.provideService(command.run(input), CurrentActor, actor)
  return yield* audited(running, (found) => actOf(actor, name, { ...facts, ...found }))
})
