/** Accounts and their wallets. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Minor } from "../domain/Money.ts"
import type { CustomerVat } from "../domain/Vat.ts"

/** How often an account may create, and how far it has used that up. */
export interface Creates {
  /** Limits of its own; null is the service's. */
  readonly perMinute: number | null
  readonly perHour: number | null
  /** GCRA's moments, in epoch milliseconds; 0 for who has never created. */
  readonly minuteArrival: number
  readonly hourArrival: number
}

export interface Account {
  readonly id: number
  readonly email: string
  /** ISO 4217 code of the wallet. */
  readonly currency: string
  readonly vat: CustomerVat
  readonly wallet: Minor
  readonly creates: Creates
}

export interface NewAccount extends Omit<Account, "id" | "wallet" | "creates"> {
  readonly at: number
}

export class Accounts extends Context.Service<Accounts, {
  readonly find: (id: number) => Effect.Effect<Account | undefined>
  /** A new account with an empty wallet; answers its id. */
  readonly create: (account: NewAccount) => Effect.Effect<number>
  /** Takes the money only if it is there: false means that nothing was taken. */
  readonly debit: (id: number, amount: Minor) => Effect.Effect<boolean>
  /** False when there is no such account. */
  readonly credit: (id: number, amount: Minor) => Effect.Effect<boolean>
  /** Every account's wallet, for the audit of the ledger. */
  readonly wallets: Effect.Effect<ReadonlyArray<Pick<Account, "id" | "wallet">>>
}>()("pulumi-vps/service/Accounts") {}
