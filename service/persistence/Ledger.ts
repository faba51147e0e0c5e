/** The double-entry ledger: append-only; every journal's entries sum to zero. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Minor } from "../domain/Money.ts"

export const JOURNAL_KINDS = ["top_up", "instance_create", "instance_resize", "instance_renew", "refund"] as const
export type JournalKind = typeof JOURNAL_KINDS[number]

export interface Entry {
  /** `wallet:<account id>`, `revenue`, `vat` or `bank`. */
  readonly account: string
  readonly amount: Minor
}

export interface NewJournal {
  readonly accountId: number
  readonly kind: JournalKind
  /** Unique for ever: what makes a charge or a refund happen once. */
  readonly reference: string
  readonly currency: string
  readonly at: number
  readonly entries: ReadonlyArray<Entry>
}

export interface Journal extends Omit<NewJournal, "at"> {
  readonly id: number
}

export class LedgerBook extends Context.Service<LedgerBook, {
  /** False when the reference is taken: then nothing was written. */
  readonly append: (journal: NewJournal) => Effect.Effect<boolean>
  readonly journal: (reference: string) => Effect.Effect<Journal | undefined>
  readonly journals: Effect.Effect<ReadonlyArray<Journal>>
  /** Sum of all entries of one ledger account. */
  readonly balance: (account: string) => Effect.Effect<Minor>
  /** Sum of all entries per ledger account, for the audit. */
  readonly balances: Effect.Effect<ReadonlyArray<Entry>>
  /** References of journals whose entries do not sum to zero, or that have none. There should be none such. */
  readonly unbalanced: Effect.Effect<ReadonlyArray<string>>
}>()("pulumi-vps/service/LedgerBook") {}
