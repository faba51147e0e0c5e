import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Treatment } from "../../domain/Vat.ts"
import { type Account, Accounts } from "../Accounts.ts"
import { Sql } from "../Sql.ts"
import * as Rows from "../Rows.ts"

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

const make = Effect.map(Sql, (sql) => {
  const find = sql.one<Row>(
    `SELECT id, email, currency, vat_treatment, vat_rate, wallet, creates_per_minute, creates_per_hour,
       create_minute_arrival, create_hour_arrival FROM accounts WHERE id = ?`
  )
  const insert = sql.insert(
    `INSERT INTO accounts (email, currency, vat_treatment, vat_rate, wallet, created_at) VALUES (?, ?, ?, ?, 0, ?)`
  )
  const debit = sql.run("UPDATE accounts SET wallet = wallet - ? WHERE id = ? AND wallet >= ?")
  const credit = sql.run("UPDATE accounts SET wallet = wallet + ? WHERE id = ?")
  const wallets = sql.all<[id: number, wallet: number]>("SELECT id, wallet FROM accounts ORDER BY id")
  return Accounts.of({
    find: (id) => Rows.optional(find(id), toAccount),
    create: ({ at, currency, email, vat }) => insert(email, currency, vat.treatment, vat.rate, at),
    debit: (id, amount) => Rows.changed(debit(amount, id, amount)),
    credit: (id, amount) => Rows.changed(credit(amount, id)),
    wallets: Rows.each(wallets(), ([id, wallet]) => ({ id, wallet }))
  })
})

export const layer: Layer.Layer<Accounts, never, Sql> = Layer.effect(Accounts, make)
