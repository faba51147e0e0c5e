import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Entry, type Journal, type JournalKind, LedgerBook } from "../Ledger.ts"
import { Database } from "./Database.ts"

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
const entriesWriter = (db: Database["Service"]) => {
  const writers = new Map<number, ReturnType<typeof db.run>>()
  const writerOf = (lines: number) => {
    const known = writers.get(lines)
    if (known !== undefined) return known
    const rows = Array.from({ length: lines }, () => "(?, ?, ?, ?)").join(", ")
    const writer = db.run(`INSERT INTO entries (journal_id, line, account, amount) VALUES ${rows}`)
    writers.set(lines, writer)
    return writer
  }
  return (journalId: number, entries: ReadonlyArray<Entry>): void => {
    if (entries.length === 0) return
    writerOf(entries.length)(...entries.flatMap(({ account, amount }, line) => [journalId, line, account, amount]))
  }
}

const make = Effect.map(Database, (db) => {
  const insert = db.run(
    `INSERT INTO journals (account_id, kind, reference, currency, created_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (reference) DO NOTHING`
  )
  const insertEntries = entriesWriter(db)
  const one = db.all<Row>(`${ROWS} WHERE j.reference = ? ORDER BY e.line`)
  const all = db.all<Row>(`${ROWS} ORDER BY j.id, e.line`)
  const balance = db.one<[number]>("SELECT coalesce(sum(amount), 0) FROM entries WHERE account = ?")
  const balances = db.all<[string, number]>(
    "SELECT account, sum(amount) FROM entries GROUP BY account ORDER BY account"
  )
  const unbalanced = db.all<[string]>(
    `SELECT j.reference FROM journals j LEFT JOIN entries e ON e.journal_id = j.id
     GROUP BY j.id HAVING count(e.line) = 0 OR sum(e.amount) <> 0 ORDER BY j.id`
  )
  return LedgerBook.of({
    append: (journal) =>
      Effect.sync(() => {
        const { changes, id } = insert(
          journal.accountId,
          journal.kind,
          journal.reference,
          journal.currency,
          journal.at
        )
        if (changes === 0) return false
        insertEntries(id, journal.entries)
        return true
      }),
    journal: (reference) => Effect.sync(() => grouped(one(reference))[0]),
    journals: Effect.sync(() => grouped(all())),
    balance: (account) => Effect.sync(() => balance(account)![0]),
    balances: Effect.sync(() => balances().map(([account, amount]) => ({ account, amount }))),
    unbalanced: Effect.sync(() => unbalanced().map(([reference]) => reference))
  })
})

export const layer: Layer.Layer<LedgerBook, never, Database> = Layer.effect(LedgerBook, make)
