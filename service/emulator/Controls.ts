/** What each control does (service.md §8). */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { HttpServerError } from "effect/http/HttpServerError"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { randomUUID } from "node:crypto"
import { Authentication } from "../auth/Authentication.ts"
import { createKey, revokeKey } from "../auth/Keys.ts"
import { fillWallet } from "../billing/TopUp.ts"
import { toTimestamp } from "../domain/Calendar.ts"
import type { StorageUnavailable } from "../domain/Errors.ts"
import { toAmount } from "../domain/Money.ts"
import { HOME_RATE, type Treatment } from "../domain/Vat.ts"
import { refuse } from "../http/Errors.ts"
import { toRecord } from "../instances/Feed.ts"
import { topUp, verify } from "../ledger/Ledger.ts"
import { EMULATOR_DEPLOY_MILLIS } from "../Limits.ts"
import { Accounts } from "../persistence/Accounts.ts"
import { LedgerBook } from "../persistence/Ledger.ts"
import type { DeployMode } from "../persistence/SimulatedMachines.ts"
import { Tasks } from "../persistence/Tasks.ts"
import { Transaction } from "../persistence/Transaction.ts"
import { Wipe } from "../persistence/Wipe.ts"
import { RequestLimits } from "../ratelimit/RequestLimits.ts"
import { DeployClock } from "../provisioning/drivers/simulated/DeployClock.ts"
import { TaskQueue } from "../tasks/Queue.ts"
import type { Services } from "../UseCases.ts"
import {
  AccountBody,
  ClockBody,
  DeployBody,
  hundredths,
  type InvalidBody,
  KeyBody,
  missing,
  readBody,
  WalletBody
} from "./Bodies.ts"
import { EmulatedTime } from "./EmulatedTime.ts"
import { RequestLog } from "./RequestLog.ts"
import { seed, SEED_ACCOUNT, SEED_KEY } from "./Seed.ts"

type Request = HttpServerRequest.HttpServerRequest

const json = (value: unknown, status = 200) => HttpServerResponse.jsonUnsafe(value, { status })

/** Back to the seed. Work on tasks is stopped meanwhile: it must not meet another's task under the same id. */
const reset = Effect.gen(function*() {
  const wipe = yield* Wipe
  const authentication = yield* Authentication
  const log = yield* RequestLog
  const limits = yield* RequestLimits
  const transaction = yield* Transaction
  const deploy = yield* DeployClock
  const time = yield* EmulatedTime
  yield* (yield* TaskQueue).stopped(
    time.atRealTime(transaction.run(Effect.andThen(wipe.everything, seed))).pipe(
      Effect.andThen(authentication.forget),
      Effect.andThen(log.clear),
      Effect.andThen(limits.forget),
      Effect.andThen(deploy.changed.raise)
    )
  )
  return json({ ok: true, account_id: SEED_ACCOUNT, api_key: SEED_KEY })
  // A caller that goes away must not leave half of it: old keys in the cache, or a queue that stands still.
}).pipe(Effect.uninterruptible)

/** Moves, stops or starts the clock; an advance answers when all that fell due meanwhile is done. */
const setClock = Effect.fnUntraced(function*(request: Request) {
  const { advance_ms: millis, freeze } = yield* readBody(request, ClockBody)
  const time = yield* EmulatedTime
  if (freeze === undefined && millis === undefined) return yield* missing("advance_ms")
  if (freeze !== undefined) yield* time.freeze(freeze)
  if (millis !== undefined) yield* time.advance(millis)
  const { frozen, now } = yield* time.read
  return json({ now: toTimestamp(now), frozen })
})

/** What `value` means when it is left out. */
const DEPLOY_VALUES: Readonly<Record<DeployMode, number>> = {
  instant: 0,
  after_ms: EMULATOR_DEPLOY_MILLIS,
  after_polls: 1
}

const setDeploy = Effect.fnUntraced(function*(request: Request) {
  const { mode, value } = yield* readBody(request, DeployBody)
  const setting = { mode, value: mode === "instant" ? 0 : value ?? DEPLOY_VALUES[mode] }
  yield* (yield* DeployClock).set(setting)
  return json(setting)
})

const noAccount = refuse(404, "Account not found.")

const CURRENCY = "EUR"
const TREATMENT: Treatment = "domestic"

const addAccount = Effect.fnUntraced(function*(request: Request) {
  const body = yield* readBody(request, AccountBody)
  const at = yield* Clock.currentTimeMillis
  const rate = body.vat_rate === undefined ? HOME_RATE : hundredths(body.vat_rate)
  const account = {
    email: body.email,
    currency: body.currency ?? CURRENCY,
    vat: { treatment: body.vat_treatment ?? TREATMENT, rate },
    at
  }
  const created = yield* (yield* Transaction).run(Effect.gen(function*() {
    const accountId = yield* (yield* Accounts).create(account)
    yield* topUp({ accountId, amount: hundredths(body.wallet), reference: `top_up:account:${accountId}`, at })
    const key = yield* createKey({ accountId, name: "emulator", scopes: ["vps:create"], expiresAt: null, at })
    return { account_id: accountId, api_key: key.token }
  }))
  return json(created, 201)
})

const addKey = Effect.fnUntraced(function*(request: Request) {
  const { account_id: accountId = SEED_ACCOUNT, expires_at: until, scopes } = yield* readBody(request, KeyBody)
  const at = yield* Clock.currentTimeMillis
  if ((yield* (yield* Accounts).find(accountId)) === undefined) return noAccount
  const expiresAt = until === undefined || until === null ? null : Date.parse(until)
  const key = createKey({ accountId, name: "emulator", scopes, expiresAt, at })
  const { id, token } = yield* (yield* Transaction).run(key)
  return json({ id, api_key: token }, 201)
})

const removeKey = Effect.fnUntraced(function*(_: Request, id: string) {
  const revoked = /^\d{1,15}$/.test(id) && (yield* revokeKey(Number(id)))
  return revoked ? json({ ok: true }) : refuse(404, "There is no such key, or it was revoked before.")
})

const fill = Effect.fnUntraced(function*(request: Request) {
  const { account_id: accountId = SEED_ACCOUNT, amount } = yield* readBody(request, WalletBody)
  const at = yield* Clock.currentTimeMillis
  const reference = `top_up:${randomUUID()}`
  yield* fillWallet({ accountId, amount: hundredths(amount), reference, at })
  const account = yield* (yield* Accounts).find(accountId)
  return account === undefined ? noAccount : json({ balance: toAmount(account.wallet) })
})

const showLedger = Effect.gen(function*() {
  const { balanced } = yield* verify
  const journals = yield* (yield* LedgerBook).journals
  return json({
    balanced,
    journals: journals.map(({ entries, id, kind, reference }) => ({ id, kind, reference, entries }))
  })
})

const showTasks = Effect.gen(function*() {
  const tasks = yield* (yield* Tasks).all
  return json(tasks.map(toRecord).toReversed())
})

const showRequests = Effect.gen(function*() {
  return json(yield* (yield* RequestLog).requests)
})

/** One control: what it does with a request, and with the part of the path that is left open. */
export type Control = (
  request: Request,
  name: string
) => Effect.Effect<HttpServerResponse.HttpServerResponse, InvalidBody | StorageUnavailable | HttpServerError, Services>

/** Each control's path below `/_emulator`, with what its methods do. */
export const CONTROLS: Readonly<Record<string, Readonly<Record<string, Control>>>> = {
  "/reset": { POST: () => reset },
  "/clock": { POST: setClock },
  "/deploy": { PUT: setDeploy },
  "/accounts": { POST: addAccount },
  "/keys": { POST: addKey },
  "/keys/{id}": { DELETE: removeKey },
  "/wallet": { POST: fill },
  "/ledger": { GET: () => showLedger },
  "/tasks": { GET: () => showTasks },
  "/requests": { GET: () => showRequests }
}
