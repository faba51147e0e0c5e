import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Treatment } from "../../domain/Vat.ts"
import { type Account, Accounts } from "../Accounts.ts"
import { Database } from "./Database.ts"

type Row = [
  id: number,
  email: string,
  currency: string,
  treatment: Treatment,
  rate: number,
  wallet: number,
  perMinute: number | null,
  perHour: number | null,
  minuteArrival: number,
  hourArrival: number
]

const toAccount = (row: Row): Account => ({
  id: row[0],
  email: row[1],
  currency: row[2],
  vat: { treatment: row[3], rate: row[4] },
  wallet: row[5],
  creates: { perMinute: row[6], perHour: row[7], minuteArrival: row[8], hourArrival: row[9] }
})

const make = Effect.map(Database, (db) => {
  const find = db.one<Row>(
    `SELECT id, email, currency, vat_treatment, vat_rate, wallet, creates_per_minute, creates_per_hour,
       create_minute_arrival, create_hour_arrival FROM accounts WHERE id = ?`
  )
  const insert = db.run(
    `INSERT INTO accounts (email, currency, vat_treatment, vat_rate, wallet, created_at) VALUES (?, ?, ?, ?, 0, ?)`
  )
  const debit = db.run("UPDATE accounts SET wallet = wallet - ? WHERE id = ? AND wallet >= ?")
  const credit = db.run("UPDATE accounts SET wallet = wallet + ? WHERE id = ?")
  const wallets = db.all<[id: number, wallet: number]>("SELECT id, wallet FROM accounts ORDER BY id")
  return Accounts.of({
    find: (id) =>
      Effect.sync(() => {
        const row = find(id)
        return row === undefined ? undefined : toAccount(row)
      }),
    create: (account) =>
      Effect.sync(() =>
        insert(account.email, account.currency, account.vat.treatment, account.vat.rate, account.at).id
      ),
    debit: (id, amount) => Effect.sync(() => debit(amount, id, amount).changes === 1),
    credit: (id, amount) => Effect.sync(() => credit(amount, id).changes === 1),
    wallets: Effect.sync(() => wallets().map(([id, wallet]) => ({ id, wallet })))
  })
})

export const layer: Layer.Layer<Accounts, never, Database> = Layer.effect(Accounts, make)
