/** The state before the first step: the catalogue and coupons of the seed, and customers with keys and money. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { createKey } from "#service/auth/Keys"
import { seed } from "#service/emulator/Seed"
import { topUp } from "#service/ledger/Ledger"
import { Accounts } from "#service/persistence/Accounts"
import type { Database } from "#service/persistence/sqlite/Database"
import { Sql } from "#service/persistence/Sql"
import { make, Secret } from "#service/config/Secret"
import * as ClockTrust from "#service/persistence/clock/ServiceClock"
import { onSqlite } from "#service/persistence/Storage"
import type { Account } from "./CustomerOperations.ts"
import type { Store } from "./Storage.ts"
import type { VirtualScheduler } from "./VirtualScheduler.ts"
import { limitsLayer } from "../../support/limits.ts"
import { TREATMENTS } from "#service/contract/Words"

const SECRET = "a-secret-of-the-simulator-0123456789"

/** All repositories over a view of the database, as a process has them. */
export const storage = (database: Layer.Layer<Database | Sql>) =>
  ClockTrust.layer.pipe(
    Layer.provideMerge(onSqlite),
    Layer.provideMerge(database),
    Layer.provideMerge(limitsLayer()),
    Layer.merge(Layer.sync(Secret, () => make([SECRET])))
  )

export const CUSTOMERS = 3
/** Created after the seed's and the customers'. */
export const SPARE_ACCOUNT = CUSTOMERS + 2
/** Mostly enough for some months, sometimes hardly for one. */
const WALLETS = [1_000, 5_000, 50_000]

const settler = Effect.fnUntraced(function*(index: number, amount: number, at: number) {
  const vat = { treatment: TREATMENTS[index % TREATMENTS.length]!, rate: 2_100 }
  const id = yield* (yield* Accounts).create({ email: `c${index}@example.test`, currency: "EUR", vat, at })
  yield* topUp({ accountId: id, amount, reference: `top_up:settler-${index}`, at })
  const token = yield* createKey({ accountId: id, name: "first", scopes: ["vps:create"], expiresAt: null, at })
  const nothing = { orders: [], instances: new Set<number>(), addresses: new Map<number, string>(), snapshots: [] }
  const account: Account = { id, tokens: [token], ...nothing }
  return account
})

/** Its deployments wait for an operator. */
const HELD = "UPDATE plans SET auto_deploy = 0 WHERE id = 4"

/** Writes all of it at once, past the service, which does not run yet. */
export const createInitialState = (scheduler: VirtualScheduler, store: Store): ReadonlyArray<Account> => {
  const proc = scheduler.proc("settlers")
  const context = scheduler.context(proc)
  const scope = Scope.makeUnsafe()
  const repositories = Effect.runSyncWith(context)(Layer.buildWithScope(storage(store.view(proc)), scope))
  const settled = Effect.andThen(
    Effect.andThen(seed, Effect.flatMap(Sql, (sql) => sql.run(HELD)())),
    Effect.forEach(
      Array.from({ length: CUSTOMERS }, (_, index) => index),
      (index) => settler(index, scheduler.random.pick(WALLETS), scheduler.now)
    ).pipe(Effect.tap(() => settler(CUSTOMERS, 0, scheduler.now)))
  )
  const made = Effect.runSyncWith(Context.merge(context, repositories))(Effect.orDie(settled))
  proc.alive = false
  return made
}
