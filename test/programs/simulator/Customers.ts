/** Seeded customers: each does one thing after the other, several of them at once, and repeats what went wrong. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { assertNotRevoked, createKey, revokeKey } from "#service/auth/Keys"
import { fillWallet } from "#service/billing/TopUp"
import { Transaction } from "#service/persistence/Transaction"
import { type Account, operate, type Surroundings, type Token } from "./CustomerOperations.ts"
import { govern } from "./Operator.ts"
import type { SeededRandom } from "./SeededRandom.ts"
import type { SimulatedRequest, SimulatedResponse } from "./Network.ts"
import { must, type Payment } from "./ReferenceModel.ts"
import type { LoadProfile } from "./LoadProfile.ts"

/** Tries of something that may be tried again. */
const TRIES = 6
/** Longest pause between them, in milliseconds. */
const PAUSE_MILLIS = 8_000
const SECOND = 1_000
const HOUR = 3_600_000
const DAY = 24 * HOUR

const COUPONS = ["WELCOME10", "MINUS5", "LIMITED", "EXPIRED", "NONE"]
/** Cheap ones, a dear one, one that may not be sold, one that is not there. */
const PLANS = [1, 1, 1, 2, 2, 3, 4, 5, 6, 99]

const isUndecided = ({ headers, status }: SimulatedResponse): boolean =>
  status === 0 || status === 503 || status === 504 || status === 429 ||
  (status === 409 && headers["retry-after"] !== undefined)

/** Retries until the outcome is known, or the retry budget is spent. */
const persist = ({ random, network }: Surroundings, asked: SimulatedRequest): Effect.Effect<SimulatedResponse> =>
  Effect.gen(function*() {
    let answer = yield* network.ask(asked)
    for (let tries = 1; tries < TRIES && isUndecided(answer); tries++) {
      const wait = Number(answer.headers["retry-after"] ?? 0) * SECOND
      yield* Effect.sleep(wait + random.below(PAUSE_MILLIS))
      answer = yield* network.ask(asked)
    }
    return answer
  })

const bodyOf = (random: SeededRandom) => ({
  service_id: random.pick(PLANS),
  ...(random.chance(0.3) ? { coupon_code: random.pick(COUPONS) } : {}),
  ...(random.chance(0.3) ? { hostname: `host-${random.below(100)}.example.test` } : {}),
  ...(random.chance(0.2) ? { root_password: "a-Password-of-20-ch1" } : {})
})

const tokenOf = ({ random }: Surroundings, { tokens }: Account): string => random.pick(tokens).token

const remember = (account: Account, { body, status }: SimulatedResponse): void => {
  if (status === 201) account.instances.add(body.id)
}

/** Buys under a key, from several places at once. */
const buy = (around: Surroundings, account: Account) =>
  Effect.gen(function*() {
    const { random } = around
    const idempotencyKey = `key-${around.fresh()}`
    const asked: SimulatedRequest = {
      method: "POST",
      path: "/instances",
      token: tokenOf(around, account),
      idempotencyKey,
      body: bodyOf(random)
    }
    account.orders.push({ asked, at: around.scheduler.now })
    const places = Array.from({ length: random.pick([1, 1, 2, 4]) }, () => persist(around, asked))
    const answers = yield* Effect.all(places, { concurrency: "unbounded" })
    for (const answer of answers) remember(account, answer)
  })

/** Without a key, and only once: who does not know whether it was bought must not ask again. */
const buyKeyless = (around: Surroundings, account: Account) => {
  const dryRun = around.random.chance(0.3)
  const path = `/instances${dryRun ? "?dry_run=true" : ""}`
  const asked: SimulatedRequest = { method: "POST", path, token: tokenOf(around, account), body: bodyOf(around.random) }
  return Effect.map(around.network.ask(asked), (answer) => remember(account, answer))
}

/** The key outlives what it bought by 30 days: until then it buys nothing again. */
const buyAgain = (around: Surroundings, account: Account) =>
  Effect.suspend(() => {
    const since = around.scheduler.now - 29 * DAY
    const recent = account.orders.filter(({ at }) => at > since)
    if (recent.length === 0) return Effect.void
    return Effect.map(persist(around, around.random.pick(recent).asked), (answer) => remember(account, answer))
  })

/** Purchases since a backup are gone after its restore: their owner repeats them with their keys. */
export const buyLost = (around: Surroundings, account: Account, since: number): Effect.Effect<void> =>
  Effect.forEach(
    account.orders.filter(({ at, asked: { token } }) =>
      at > since && account.tokens.some((own) => own.token === token)
    ),
    ({ asked }) =>
      Effect.sleep(around.random.below(HOUR)).pipe(
        Effect.andThen(Effect.suspend(() => persist(around, asked))),
        Effect.map((answer) => remember(account, answer))
      ),
    { concurrency: "unbounded", discard: true }
  )

/** A payment is reported until it is acknowledged, and sometimes once more. */
const pay = (around: Surroundings, account: Account) =>
  Effect.gen(function*() {
    const { random, network, model } = around
    const reference = `payment-${around.fresh()}`
    const amount = random.pick([500, 1_000, 2_500, 5_000])
    const payment = Effect.flatMap(Clock.currentTimeMillis, (at) =>
      fillWallet({ accountId: account.id, amount, reference, at }))
    const times = random.pick([1, 1, 2])
    for (let told = 0, tries = 0; told < times && tries < TRIES; tries++) {
      const exit = yield* network.inside(payment)
      around.scheduler.note(`${reference} of ${amount} for account ${account.id} -> ${exit?._tag ?? "unknown"}`)
      if (exit === undefined || !Exit.isSuccess(exit)) {
        continue
      }
      told++
      model.acknowledge(reference, { accountId: account.id, amount })
    }
  })

/** Payments that a restore has taken back are entered again, each with its reference. */
export const enterAgain = (
  { model, network, random }: Surroundings,
  payments: ReadonlyArray<readonly [reference: string, Payment]>
): Effect.Effect<void> =>
  Effect.forEach(
    payments,
    Effect.fnUntraced(function*([reference, { accountId, amount }]) {
      const payment = Effect.flatMap(Clock.currentTimeMillis, (at) => fillWallet({ accountId, amount, reference, at }))
      for (let isDone = false; !isDone;) {
        yield* Effect.sleep(random.below(HOUR))
        const exit = yield* network.inside(payment)
        isDone = exit?._tag === "Success"
      }
      model.acknowledge(reference, { accountId, amount })
    }),
    { discard: true }
  )

/** Another key, and the end of an old one. */
const turnKey = (around: Surroundings, account: Account) =>
  Effect.gen(function*() {
    const { network, model, scheduler } = around
    const name = `key-${around.fresh()}`
    const made = yield* network.inside<Token, unknown>(Effect.flatMap(Transaction, ({ run }) =>
      Effect.flatMap(Clock.currentTimeMillis, (at) =>
        run(createKey({ accountId: account.id, name, scopes: ["vps:create"], expiresAt: null, at })))))
    if (made === undefined || !Exit.isSuccess(made)) {
      return
    }
    account.tokens.push(made.value)
    if (account.tokens.length < 3) {
      return
    }
    const { id, token } = account.tokens[0]!
    account.tokens = account.tokens.slice(1)
    const revoked = yield* network.inside(revokeKey(id, assertNotRevoked))
    scheduler.note(`key ${id} revoked -> ${revoked?._tag ?? "unknown"}`)
    if (revoked === undefined || !Exit.isSuccess(revoked)) {
      return
    }
    model.revoked.set(token, scheduler.now)
    yield* Effect.sleep(around.random.below(4 * SECOND))
    yield* network.ask({ method: "GET", path: "/whoami", token })
  })

/** Retries every purchase once more; one whose API key is gone cannot be retried. */
export const askAgain = (around: Surroundings, { orders, tokens }: Account): Effect.Effect<void> =>
  Effect.forEach(
    orders.filter(({ asked: { token } }) => tokens.some((own) => own.token === token)),
    ({ asked }) =>
      Effect.suspend(() => {
        const id = around.model.bought.get(`${asked.token} ${asked.idempotencyKey}`)
        if (id === undefined || around.gone(id)) return Effect.void
        return Effect.map(persist(around, asked), ({ body, status }) =>
          must(
            status === 201 && body.id === id,
            "a key that has bought answers what it bought",
            () => `${asked.idempotencyKey} bought ${id}, and now: ${status} ${JSON.stringify(body)}`
          ))
      }),
    { discard: true }
  )

type Act = (around: Surroundings, account: Account) => Effect.Effect<void>

const ACTS: ReadonlyArray<Act> = [
  buy,
  buy,
  buy,
  buyKeyless,
  buyAgain,
  buyAgain,
  pay,
  pay,
  turnKey,
  govern,
  govern,
  govern
]

/** Acts until it is stopped. */
export const live = (
  around: Surroundings,
  account: Account,
  profile: LoadProfile,
  goesOn: () => boolean
): Effect.Effect<void> =>
  Effect.gen(function*() {
    const { random } = around
    while (goesOn()) {
      const act = random.chance(0.5) ? random.pick(ACTS) : operate
      yield* act(around, account)
      yield* Effect.sleep(random.below(random.chance(profile.pauses) ? profile.longMillis : profile.shortMillis))
    }
  })
