/** The check of the books for pages that are read often. It reads the whole ledger, so its result is cached. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type { StorageUnavailable } from "../domain/Errors.ts"
import type { Accounts } from "../persistence/Accounts.ts"
import type { Journals } from "../persistence/Journals.ts"
import { ReplicaBus } from "../persistence/ReplicaBus.ts"
import { Transaction } from "../persistence/Transaction.ts"
import { verify } from "./Ledger.ts"

/** Between two checks while someone reads the result. */
const CACHED = "5 minutes"

export interface CheckedBooks {
  readonly balanced: boolean
  /** Epoch milliseconds. */
  readonly at: number
}

/** Recomputes all balances from the entries; in a transaction if other processes write, too. */
export const audit = Effect.gen(function*() {
  const { run } = yield* Transaction
  return yield* (yield* ReplicaBus).ownsDatabase ? verify : run(verify)
})

const checked = Effect.gen(function*() {
  const at = yield* Clock.currentTimeMillis
  const { balanced } = yield* audit
  return { balanced, at } satisfies CheckedBooks
})

export class Books extends Context.Service<Books, {
  readonly checked: Effect.Effect<CheckedBooks, StorageUnavailable>
}>()("@pulumi-vps/service/Books") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function*() {
      const services = yield* Effect.context<Accounts | Journals | Transaction>()
      const cached = Effect.cachedWithTTL(checked, (exit) => Exit.isSuccess(exit) ? CACHED : 0)
      return { checked: Effect.provideContext(yield* cached, services) }
    })
  )
}
