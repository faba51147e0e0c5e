/** Accounts, their wallets, and the rate limits of their creates. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { CustomerVat } from "../domain/Vat.ts"
import type { Minor } from "../domain/Money.ts"
import { columns, selectAll, selectOne, update, updateOne } from "./Columns.ts"
import * as Rows from "./Rows.ts"
import { Sql } from "./Sql.ts"

/** Rate limits of an account's creates, and how far they are used up. */
export interface Creates {
  /** Limits of the account's own; null is the service's. */
  readonly perMinute: number | null
  readonly perHour: number | null
  /** GCRA's arrival times, in epoch milliseconds; 0 before the first create. */
  readonly minuteArrival: number
  readonly hourArrival: number
}

export interface Account {
  readonly id: number
  readonly email: string
  /** Null: the address is shown. */
  readonly name: string | null
  /** ISO 4217 code of the wallet. */
  readonly currency: string
  readonly vat: CustomerVat
  /** Below zero after a payment was taken back that had been spent. */
  readonly wallet: Minor
  /** Epoch milliseconds; null while it is open. */
  readonly closedAt: number | null
  /** The reason for which it is frozen, which the customer sees; null unless it is. */
  readonly frozenReason: string | null
  readonly creates: Creates
}

export interface NewAccount extends Omit<Account, "id" | "name" | "wallet" | "closedAt" | "frozenReason" | "creates"> {
  readonly at: number
}

export class Accounts extends Context.Service<Accounts, {
  readonly find: (id: number) => Effect.Effect<Account | undefined>
  /** Creates an account with an empty wallet; returns its id. */
  readonly create: (account: NewAccount) => Effect.Effect<number>
  /** Ids of the accounts with an owner's address, in any case, that are not closed. */
  readonly ofAddress: (email: string) => Effect.Effect<ReadonlyArray<number>>
  /** Takes the money only when the wallet has it; false means that nothing was taken. */
  readonly debit: (id: number, amount: Minor) => Effect.Effect<boolean>
  /** The same for a create, which also stores GCRA's arrival times, in epoch milliseconds. */
  readonly debitCreate: (
    id: number,
    amount: Minor,
    minuteArrival: number,
    hourArrival: number
  ) => Effect.Effect<boolean>
  /** Takes the money even if the wallet does not have it, so that the account owes the rest. */
  readonly takeBack: (id: number, amount: Minor) => Effect.Effect<void>
  /** False when there is no such account. */
  readonly credit: (id: number, amount: Minor) => Effect.Effect<boolean>
  /** Every account's wallet, for the audit of the ledger. */
  readonly wallets: Effect.Effect<ReadonlyArray<Pick<Account, "id" | "wallet">>>
  readonly edit: (id: number, account: Pick<Account, "email" | "vat">) => Effect.Effect<void>
  /** Null shows the address. */
  readonly rename: (id: number, name: string | null) => Effect.Effect<void>
  /** Epoch milliseconds; null opens the account again. */
  readonly setClosed: (id: number, at: number | null) => Effect.Effect<void>
  /** From `at` on, in epoch milliseconds. */
  readonly freeze: (id: number, reason: string, at: number) => Effect.Effect<void>
  readonly unfreeze: (id: number) => Effect.Effect<void>
  /** Stores GCRA's arrival times, in epoch milliseconds. */
  readonly setCreateArrivals: (id: number, minuteArrival: number, hourArrival: number) => Effect.Effect<void>
  /** Sets limits of the account's own; false when there is no such account. */
  readonly setCreateLimits: (id: number, limits: Pick<Creates, "perMinute" | "perHour">) => Effect.Effect<boolean>
}>()("@pulumi-vps/service/Accounts") {
  static readonly layer = Layer.effect(
    this,
    Effect.map(Sql, (sql) => {
      const insert = sql.insert(
        `INSERT INTO accounts (email, currency, vat_treatment, vat_rate, wallet, created_at) VALUES (?, ?, ?, ?, 0, ?)`
      )
      const ofAddress = sql.all<[number]>(
        "SELECT id FROM accounts WHERE lower(email) = lower(?) AND closed_at IS NULL ORDER BY id"
      )
      const wallets = selectAll(sql, WALLET, "FROM accounts ORDER BY id")
      const edit = update(sql, "UPDATE accounts SET email = ?2, vat_treatment = ?3, vat_rate = ?4 WHERE id = ?1")
      const limits = updateOne(sql, "UPDATE accounts SET creates_per_minute = ?2, creates_per_hour = ?3 WHERE id = ?1")
      return {
        find: selectOne(sql, ACCOUNT, "FROM accounts WHERE id = ?"),
        create: ({ at, currency, email, vat }) => insert(email, currency, vat.treatment, vat.rate, at),
        ofAddress: (email) => Rows.column(ofAddress(email)),
        debit: updateOne(sql, "UPDATE accounts SET wallet = wallet - ?2 WHERE id = ?1 AND wallet >= ?2"),
        debitCreate: updateOne(
          sql,
          `UPDATE accounts SET wallet = wallet - ?2, create_minute_arrival = ?3, create_hour_arrival = ?4
           WHERE id = ?1 AND wallet >= ?2`
        ),
        takeBack: update(
          sql,
          `UPDATE accounts SET wallet = wallet - ?2,
             owed_max = CASE WHEN wallet < ?2 THEN ?2 - wallet ELSE owed_max END
           WHERE id = ?1`
        ),
        // The part of a debt that is paid cannot be owed again without another booking.
        credit: updateOne(
          sql,
          `UPDATE accounts SET wallet = wallet + ?2,
             owed_max = CASE WHEN owed_max = 0 OR wallet + ?2 >= 0 THEN 0 ELSE -(wallet + ?2) END
           WHERE id = ?1`
        ),
        wallets: wallets(),
        edit: (id, { email, vat }) => edit(id, email, vat.treatment, vat.rate),
        rename: update(sql, "UPDATE accounts SET name = ?2 WHERE id = ?1"),
        setClosed: update(sql, "UPDATE accounts SET closed_at = ?2 WHERE id = ?1"),
        freeze: update(
          sql,
          `UPDATE accounts SET frozen_reason = ?2,
             frozen_at = CASE WHEN frozen_reason IS NULL THEN ?3 ELSE frozen_at END
           WHERE id = ?1`
        ),
        unfreeze: update(sql, "UPDATE accounts SET frozen_at = NULL, frozen_reason = NULL WHERE id = ?1"),
        setCreateArrivals: update(
          sql,
          "UPDATE accounts SET create_minute_arrival = ?2, create_hour_arrival = ?3 WHERE id = ?1"
        ),
        setCreateLimits: (id, { perHour, perMinute }) => limits(id, perMinute, perHour)
      }
    })
  )
}

export const ACCOUNT = columns<Account>({
  id: "id",
  email: "email",
  name: "name",
  currency: "currency",
  vat: { treatment: "vat_treatment", rate: "vat_rate" },
  wallet: "wallet",
  closedAt: "closed_at",
  frozenReason: "frozen_reason",
  creates: {
    perMinute: "creates_per_minute",
    perHour: "creates_per_hour",
    minuteArrival: "create_minute_arrival",
    hourArrival: "create_hour_arrival"
  }
})

const WALLET = columns<Pick<Account, "id" | "wallet">>({ id: "id", wallet: "wallet" })
