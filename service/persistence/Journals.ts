/** The double-entry ledger: append-only; every journal's entries sum to zero. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Explanation } from "../domain/Explanation.ts"
import type { Minor } from "../domain/Money.ts"
import { columns, placeholders, selectAll } from "./Columns.ts"
import * as Rows from "./Rows.ts"
import { Sql } from "./Sql.ts"
import type { JournalKind } from "../contract/Words.ts"

export interface Entry {
  /** `wallet:<account id>`, `revenue`, `vat` or `bank`. */
  readonly account: string
  readonly amount: Minor
}

export interface NewJournal {
  readonly accountId: number
  readonly kind: JournalKind
  /** Unique forever, so that a charge or a refund happens once. */
  readonly reference: string
  readonly currency: string
  readonly at: number
  readonly entries: ReadonlyArray<Entry>
  /** The instance that was charged for. */
  readonly instanceId?: number | null
  /** The journal that this one refunds. */
  readonly reverses?: number | null
  readonly explanation?: Explanation | null
}

export interface Journal extends Required<Omit<NewJournal, "at">> {
  readonly id: number
}

export class Journals extends Context.Service<Journals, {
  /** False when the reference is taken: then nothing was written. */
  readonly append: (journal: NewJournal) => Effect.Effect<boolean>
  readonly find: (reference: string) => Effect.Effect<Journal | undefined>
  readonly byId: (id: number) => Effect.Effect<Journal | undefined>
  /** The charges for an instance's changes of plan, oldest first. */
  readonly resizes: (accountId: number, instanceId: number) => Effect.Effect<ReadonlyArray<Journal>>
  /** Sums of the entries of all refunds of a journal. `reference` is of one that does not say what it refunds. */
  readonly refunded: (id: number, reference: string) => Effect.Effect<ReadonlyArray<Entry>>
  /** True if a journal refunds it or takes it back. */
  readonly isReversed: (id: number) => Effect.Effect<boolean>
  /** The account's newest payment of exactly this amount that was not taken back. */
  readonly payment: (accountId: number, amount: Minor) => Effect.Effect<number | undefined>
  /** The account's payments, less what was paid back. */
  readonly paidIn: (accountId: number) => Effect.Effect<Minor>
  readonly all: Effect.Effect<ReadonlyArray<Journal>>
  /** Sum of all entries of one ledger account. */
  readonly balance: (account: string) => Effect.Effect<Minor>
  /** Sum of all entries per ledger account, for the audit. */
  readonly balances: Effect.Effect<ReadonlyArray<Entry>>
  /** References of journals whose entries do not sum to zero, or that have none. There should be none. */
  readonly unbalanced: Effect.Effect<ReadonlyArray<string>>
}>()("@pulumi-vps/service/Journals") {
  static readonly layer = Layer.effect(
    this,
    Effect.map(Sql, (sql) => {
      const one = selectAll(sql, LINE, `${LINES} WHERE j.reference = ? ORDER BY e.line`)
      const byId = selectAll(sql, LINE, `${LINES} WHERE j.id = ? ORDER BY e.line`)
      const resizes = selectAll(
        sql,
        LINE,
        `${LINES} WHERE j.account_id = ? AND j.instance_id = ? AND j.kind = 'instance_resize' ORDER BY j.id, e.line`
      )
      const refunded = selectAll(
        sql,
        BALANCE,
        `FROM journals j JOIN entries e ON e.journal_id = j.id WHERE j.reverses = ?1 OR j.reference = ?2
         GROUP BY account ORDER BY account`
      )
      const all = selectAll(sql, LINE, `${LINES} ORDER BY j.id, e.line`)
      const reversing = sql.one<[number]>("SELECT 1 FROM journals WHERE reverses = ? LIMIT 1")
      const payment = sql.one<[number]>(
        `SELECT j.id FROM journals j JOIN entries e ON e.journal_id = j.id
         WHERE j.account_id = ?1 AND j.kind = 'top_up' AND e.account = 'bank' AND e.amount = ?2
           AND NOT EXISTS (SELECT 1 FROM journals r WHERE r.reverses = j.id)
         ORDER BY j.id DESC LIMIT 1`
      )
      const paidIn = sql.one<[number]>(
        `SELECT CAST(coalesce(-sum(e.amount), 0) AS BIGINT) FROM journals j JOIN entries e ON e.journal_id = j.id
         WHERE j.account_id = ? AND e.account = 'bank'`
      )
      const balance = sql.one<[number]>(
        "SELECT CAST(coalesce(sum(amount), 0) AS BIGINT) FROM entries WHERE account = ?"
      )
      const balances = selectAll(sql, BALANCE, "FROM entries GROUP BY account ORDER BY account")
      const unbalanced = sql.all<[string]>(
        `SELECT j.reference FROM journals j LEFT JOIN entries e ON e.journal_id = j.id
         GROUP BY j.id HAVING count(e.line) = 0 OR sum(e.amount) <> 0 ORDER BY j.id`
      )
      return {
        append: appending(sql),
        find: (reference) => Effect.map(one(reference), (lines) => grouped(lines)[0]),
        byId: (id) => Effect.map(byId(id), (lines) => grouped(lines)[0]),
        resizes: (accountId, instanceId) => Effect.map(resizes(accountId, instanceId), grouped),
        refunded,
        isReversed: (id) => Rows.exists(reversing(id)),
        payment: (accountId, amount) => Rows.optionalValue(payment(accountId, -amount)),
        paidIn: (accountId) => Rows.value(paidIn(accountId)),
        all: Effect.map(all(), grouped),
        balance: (account) => Rows.value(balance(account)),
        balances: balances(),
        unbalanced: Rows.column(unbalanced())
      }
    })
  )
}

interface Line extends Omit<Journal, "entries" | "explanation"> {
  readonly explanation: string | null
  readonly entry: Entry
}

const LINE = columns<Line>({
  id: "j.id",
  accountId: "j.account_id",
  kind: "j.kind",
  reference: "j.reference",
  currency: "j.currency",
  instanceId: "j.instance_id",
  reverses: "j.reverses",
  explanation: "j.explanation",
  entry: { account: "e.account", amount: "e.amount" }
})

const LINES = "FROM journals j JOIN entries e ON e.journal_id = j.id"

const BALANCE = columns<Entry>({ account: "account", amount: "CAST(sum(amount) AS BIGINT)" })

/** Journals of versions before 28 have no explanation. */
export const parseExplanation = (text: string | null): Explanation | null => text === null ? null : JSON.parse(text)

/** Lines of one journal are adjacent, in order. */
const grouped = (lines: ReadonlyArray<Line>): ReadonlyArray<Journal> => {
  const journals: Array<Journal & { readonly entries: Array<Entry> }> = []
  for (const { entry, explanation, ...journal } of lines) {
    const last = journals.at(-1)
    if (last?.id === journal.id) last.entries.push(entry)
    else journals.push({ ...journal, explanation: parseExplanation(explanation), entries: [entry] })
  }
  return journals
}

/** One statement inserts all lines of a journal: there are two or three, and each statement has its cost. */
const insertingEntries = (sql: Sql["Service"]) => {
  const statements = new Map<number, ReturnType<typeof sql.post>>()
  const statementFor = (lines: number) => {
    const prepared = statements.get(lines)
    if (prepared !== undefined) return prepared
    const rows = Array.from({ length: lines }, () => `(${placeholders(4)})`).join(", ")
    const statement = sql.post(`INSERT INTO entries (journal_id, line, account, amount) VALUES ${rows}`)
    statements.set(lines, statement)
    return statement
  }
  return (journalId: number, entries: ReadonlyArray<Entry>): Effect.Effect<void> =>
    entries.length === 0
      ? Effect.void
      : statementFor(entries.length)(
        ...entries.flatMap(({ account, amount }, line) => [journalId, line, account, amount])
      )
}

const REFERENCE_TAKEN = Effect.succeed(false)

const appending = (sql: Sql["Service"]): Journals["Service"]["append"] => {
  const insert = sql.insert(
    `INSERT INTO journals (account_id, kind, reference, currency, created_at, instance_id, reverses, explanation)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (reference) DO NOTHING`
  )
  const insertEntries = insertingEntries(sql)
  return (journal) =>
    Effect.flatMap(
      insert(
        journal.accountId,
        journal.kind,
        journal.reference,
        journal.currency,
        journal.at,
        journal.instanceId ?? null,
        journal.reverses ?? null,
        journal.explanation == null ? null : JSON.stringify(journal.explanation)
      ),
      (id) => id === 0 ? REFERENCE_TAKEN : Effect.as(insertEntries(id, journal.entries), true)
    )
}
