import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Entry, type Journal, type JournalKind, LedgerBook } from "../Ledger.ts"
import { Sql } from "../Sql.ts"
import * as Rows from "../Rows.ts"

type Row = [
  id: number,
  accountId: number,
  kind: JournalKind,
  reference: string,
  currency: string,
  account: string,
  amount: number
]

const ROWS = `SELECT j.id, j.account_id, j.kind, j.reference, j.currency, e.account, e.amount
  FROM journals j JOIN entries e ON e.journal_id = j.id`

/** Rows of one journal stand together, in the order of its lines. */
const grouped = (rows: ReadonlyArray<Row>): ReadonlyArray<Journal> => {
  const journals: Array<Journal & { readonly entries: Array<Entry> }> = []
  for (const [id, accountId, kind, reference, currency, account, amount] of rows) {
    const last = journals.at(-1)
    const current = last?.id === id ? last : { id, accountId, kind, reference, currency, entries: [] }
    if (current !== last) journals.push(current)
    current.entries.push({ account, amount })
  }
  return journals
}

/** One statement for all lines of a journal, as there are two or three and each statement has its price. */
const entriesWriter = (sql: Sql["Service"]) => {
  const writers = new Map<number, ReturnType<typeof sql.run>>()
  const writerOf = (lines: number) => {
    const known = writers.get(lines)
    if (known !== undefined) return known
    const rows = Array.from({ length: lines }, () => "(?, ?, ?, ?)").join(", ")
    const writer = sql.run(`INSERT INTO entries (journal_id, line, account, amount) VALUES ${rows}`)
    writers.set(lines, writer)
    return writer
  }
  return (journalId: number, entries: ReadonlyArray<Entry>): Effect.Effect<number> =>
    entries.length === 0
      ? Effect.succeed(0)
      : writerOf(entries.length)(
        ...entries.flatMap(({ account, amount }, line) => [journalId, line, account, amount])
      )
}

/** The reference stands for a journal already. */
const TAKEN = Effect.succeed(false)

const make = Effect.map(Sql, (sql) => {
  const insert = sql.insert(
    `INSERT INTO journals (account_id, kind, reference, currency, created_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (reference) DO NOTHING`
  )
  const insertEntries = entriesWriter(sql)
  const one = sql.all<Row>(`${ROWS} WHERE j.reference = ? ORDER BY e.line`)
  const all = sql.all<Row>(`${ROWS} ORDER BY j.id, e.line`)
  const balance = sql.one<[number]>("SELECT CAST(coalesce(sum(amount), 0) AS BIGINT) FROM entries WHERE account = ?")
  const balances = sql.all<[string, number]>(
    `SELECT account, CAST(sum(amount) AS BIGINT) FROM entries GROUP BY account
     ORDER BY account`
  )
  const unbalanced = sql.all<[string]>(
    `SELECT j.reference FROM journals j LEFT JOIN entries e ON e.journal_id = j.id
     GROUP BY j.id HAVING count(e.line) = 0 OR sum(e.amount) <> 0 ORDER BY j.id`
  )
  return LedgerBook.of({
    append: (journal) =>
      Effect.flatMap(
        insert(journal.accountId, journal.kind, journal.reference, journal.currency, journal.at),
        (id) => id === 0 ? TAKEN : Effect.as(insertEntries(id, journal.entries), true)
      ),
    journal: (reference) => Effect.map(one(reference), (rows) => grouped(rows)[0]),
    journals: Effect.map(all(), grouped),
    balance: (account) => Rows.value(balance(account)),
    balances: Rows.each(balances(), ([account, amount]) => ({ account, amount })),
    unbalanced: Rows.column(unbalanced())
  })
})

export const layer: Layer.Layer<LedgerBook, never, Sql> = Layer.effect(LedgerBook, make)
