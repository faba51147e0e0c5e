/** The results of calls that combine several requests. */
import type { VpsError } from "./errors/Errors.ts"

/** The account's wallet. */
export interface Balance {
  /** The amount of money in the wallet, in units of the currency. */
  readonly wallet_balance: number
  /** ISO 4217, for example `EUR`. */
  readonly currency: string
}

/** An item whose work succeeded. */
export interface BulkSuccess<Item, Data> {
  readonly ok: true
  readonly item: Item
  readonly data: Data
}

/** An item whose work failed. */
export interface BulkFailure<Item, Failure> {
  readonly ok: false
  readonly item: Item
  readonly error: Failure
}

/** The result of one item of a bulk call. Check `ok`: then it has `data`, otherwise `error`. */
export type BulkResult<Item, Data, Failure = VpsError> = BulkSuccess<Item, Data> | BulkFailure<Item, Failure>
