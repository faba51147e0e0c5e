/** The controls by path. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { HttpServerError } from "effect/http/HttpServerError"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { hundredths } from "../admin/InputSchemas.ts"
import { createKey, revokeKey } from "../auth/Keys.ts"
import { Limits } from "../config/Limits.ts"
import { toTimestamp } from "../domain/Calendar.ts"
import type { StorageUnavailable } from "../domain/Errors.ts"
import { HOME_RATE, type Treatment } from "../domain/Vat.ts"
import { errorResponse } from "../http/Errors.ts"
import { toRecord } from "../instances/Feed.ts"
import { topUp, verify } from "../ledger/Ledger.ts"
import { Accounts } from "../persistence/Accounts.ts"
import { Journals } from "../persistence/Journals.ts"
import { Tasks } from "../persistence/Tasks.ts"
import { Transaction } from "../persistence/Transaction.ts"
import { DeployClock } from "../provisioning/drivers/simulated/DeployClock.ts"
import {
  AccountBody,
  ClockBody,
  decodeBody,
  DeployBody,
  deployOf,
  type InvalidBody,
  KeyBody,
  missingField
} from "./ControlBodies.ts"
import { EmulatedClock } from "./EmulatedClock.ts"
import type { EmulatorServices } from "./EmulatorRuntime.ts"
import { addFault, clearFaults, listFaults } from "./FaultControls.ts"
import { RequestLog } from "./RequestLog.ts"
import { SEED_ACCOUNT } from "./Seed.ts"
import { listStates, reset, restoreState, saveState } from "./StateControls.ts"
import { noAccount, setWallet, showWallet, topUpWallet } from "./WalletControls.ts"

type Request = HttpServerRequest.HttpServerRequest

const json = (value: unknown, status = 200) => HttpServerResponse.jsonUnsafe(value, { status })

const showClock = Effect.gen(function*() {
  const { frozen, now } = yield* (yield* EmulatedClock).read
  return json({ now: toTimestamp(now), frozen })
})

/** Advances, freezes or unfreezes the clock. An advance returns when everything that became due is done. */
const setClock = Effect.fnUntraced(function*(request: Request) {
  const { advance_ms: millis, freeze } = yield* decodeBody(request, ClockBody)
  const time = yield* EmulatedClock
  if (freeze === undefined && millis === undefined) return yield* missingField("advance_ms")
  if (freeze !== undefined) yield* time.freeze(freeze)
  if (millis !== undefined) yield* time.advance(millis)
  return yield* showClock
})

const setDeploy = Effect.fnUntraced(function*(request: Request) {
  const setting = deployOf(yield* decodeBody(request, DeployBody), yield* Limits)
  yield* (yield* DeployClock).set(setting)
  return json(setting)
})

const CURRENCY = "EUR"
const TREATMENT: Treatment = "domestic"

const addAccount = Effect.fnUntraced(function*(request: Request) {
  const body = yield* decodeBody(request, AccountBody)
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
  const { account_id: accountId = SEED_ACCOUNT, expires_at: until, scopes } = yield* decodeBody(request, KeyBody)
  const at = yield* Clock.currentTimeMillis
  if ((yield* (yield* Accounts).find(accountId)) === undefined) return noAccount
  const expiresAt = until === undefined || until === null ? null : Date.parse(until)
  const key = createKey({ accountId, name: "emulator", scopes, expiresAt, at })
  const { id, token } = yield* (yield* Transaction).run(key)
  return json({ id, api_key: token }, 201)
})

const removeKey = Effect.fnUntraced(function*(_: Request, id: string) {
  const revoked = /^\d{1,15}$/.test(id) && (yield* revokeKey(Number(id)))
  return revoked ? json({ ok: true }) : errorResponse(404, "Key not found, or already revoked.")
})

const showLedger = Effect.gen(function*() {
  const { balanced } = yield* verify
  const journals = yield* (yield* Journals).all
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

const clearRequests = Effect.gen(function*() {
  yield* (yield* RequestLog).clear
  return json({ ok: true })
})

/** Handles a request of a control; `name` is the parameter of its path. */
export type Control = (
  request: Request,
  name: string
) => Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  InvalidBody | StorageUnavailable | HttpServerError,
  EmulatorServices
>

/** The controls by their path below `/_emulator` and method. */
export const CONTROLS: Readonly<Record<string, Readonly<Record<string, Control>>>> = {
  "/reset": { POST: () => reset },
  "/states": { GET: () => listStates },
  "/states/{name}": { POST: saveState },
  "/states/{name}/restore": { POST: restoreState },
  "/clock": { GET: () => showClock, POST: setClock },
  "/deploy": { PUT: setDeploy },
  "/accounts": { POST: addAccount },
  "/faults": { POST: addFault, GET: () => listFaults, DELETE: () => clearFaults },
  "/keys": { POST: addKey },
  "/keys/{id}": { DELETE: removeKey },
  "/wallet": { GET: showWallet, POST: topUpWallet, PUT: setWallet },
  "/wallet/{id}": { GET: showWallet },
  "/ledger": { GET: () => showLedger },
  "/tasks": { GET: () => showTasks },
  "/requests": { GET: () => showRequests, DELETE: () => clearRequests }
}
