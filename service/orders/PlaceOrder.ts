/**
 * A create: one durable transaction, after which a worker is notified. It claims the key, debits the wallet, and writes
 * ledger, order, instance and task; all or nothing. An idempotency key that was used before returns its instance.
 */
import * as Context from "effect/Context"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { admitCreate, boundArrivals, type CreateRates, takeCreate } from "../ratelimit/CreateRateLimits.ts"
import { hash } from "node:crypto"
import type { CreateInstance, Instance } from "#contract/Instance"
import { reserve } from "../catalogue/Capacity.ts"
import { monthsAfter } from "../domain/Calendar.ts"
import { authorOf, type Caller } from "../domain/Caller.ts"
import { explainVat, type Explanation } from "../domain/Explanation.ts"
import { IdempotencyMismatch, InsufficientFunds } from "../domain/Errors.ts"
import type { Standing } from "../domain/Gcra.ts"
import { type ChargeLimit, toAmount } from "../domain/Money.ts"
import { assertAllowed } from "../instances/Admission.ts"
import { fingerprint, mismatch } from "../idempotency/Fingerprint.ts"
import { charge } from "../ledger/Ledger.ts"
import { Catalogue } from "../persistence/Catalogue.ts"
import { Coupons } from "../persistence/Coupons.ts"
import { IdempotencyKeys } from "../persistence/IdempotencyKeys.ts"
import { Instances } from "../persistence/Instances.ts"
import { sealPassword } from "../operations/InstalledSystem.ts"
import { Provision } from "../operations/Provision.ts"
import { Orders } from "../persistence/Orders.ts"
import { Tasks } from "../persistence/Tasks.ts"
import { Secret } from "../config/Secret.ts"
import { type Quote, quote } from "./Quote.ts"
import { InFlight } from "../idempotency/InFlight.ts"
import { Transaction } from "../persistence/Transaction.ts"
import { WorkerNotifier } from "../runtime/WorkerNotifier.ts"

export interface OrderPolicy {
  /** The rate limits for creates per account; undefined if rate limits are off. */
  readonly createRates: CreateRates | undefined
  /** An idempotency key that is reused with another body is rejected, instead of answered with the original. */
  readonly strict: boolean
}

/** Permissive unless configured. */
export const OrderPolicy = Context.Reference<OrderPolicy>("pulumi-vps/service/OrderPolicy", {
  defaultValue: () => ({ createRates: undefined, strict: false })
})

export interface PlaceOrder {
  readonly caller: Caller
  /** Well-formed. */
  readonly body: CreateInstance
  /** The idempotency key without quotes. */
  readonly key: string | undefined
  /** Absent: any charge is allowed. A replay charges nothing. */
  readonly maxCharge?: ChargeLimit | undefined
}

export interface Placed {
  readonly instance: Instance
  readonly replayed: boolean
  /** The fields in which a replayed request differs from the original one. */
  readonly mismatch: ReadonlyArray<string>
  /** The state of the account's rate limits for creates; absent for a replay, which does not count. */
  readonly rates?: ReadonlyArray<Standing>
}

/** The command with the digest of its key. */
interface Keyed extends PlaceOrder {
  readonly digest: string | undefined
}

/** The order without secrets: of the SSH key only its fingerprint, as `ssh-keygen -l` prints it. */
const orderConfig = ({ discount, image }: Quote, { body, digest }: Keyed): string =>
  JSON.stringify({
    service_id: body.service_id,
    hostname: body.hostname ?? null,
    os: image.slug,
    ssh_key_fingerprint: typeof body.ssh_pubkey === "string" ? sshFingerprint(body.ssh_pubkey) : null,
    idempotency_key_sha256: digest ?? null,
    coupon_code: discount?.coupon.code ?? null,
    discount_amount: toAmount(discount?.amount ?? 0)
  })

const sshFingerprint = (key: string): string => {
  const blob = Buffer.from(key.trim().split(/[ \t]+/)[1]!, "base64")
  return `SHA256:${hash("sha256", blob, "base64").replace("=", "")}`
}

const insufficient = ({ account, plan, price }: Quote) =>
  new InsufficientFunds({ charge: price.charge, wallet: account.wallet, currency: plan.currency })

/** The period is not part of it, because it begins with the deployment. */
const explain = ({ account, discount, plan }: Quote): Explanation => ({
  plan: plan.name,
  price: plan.price,
  ...explainVat(account.vat),
  ...(discount === undefined ? {} : { coupon: discount.coupon.code, discount: discount.amount })
})

const writeOrder = Effect.fnUntraced(function*(command: Keyed, bought: Quote, at: number) {
  const { caller, body } = command
  const accountId = caller.accountId
  const config = orderConfig(bought, command)
  const orderId = yield* (yield* Orders).insert({
    accountId,
    planId: bought.plan.id,
    soldId: yield* (yield* Catalogue).sell(bought.plan),
    price: bought.plan.price,
    charge: bought.price.charge,
    config,
    at
  })
  if (bought.discount !== undefined) {
    const { amount, coupon } = bought.discount
    yield* (yield* Coupons).redeem({ coupon, accountId, orderId, discount: amount, at })
  }
  const instance = yield* (yield* Instances).insert({
    account: bought.account,
    plan: bought.plan,
    orderId,
    config,
    hostname: body.hostname ?? null,
    os: bought.image.slug,
    expiresAt: monthsAfter(at, 1),
    at
  })
  const paid = yield* charge({
    accountId,
    orderId,
    price: bought.price,
    currency: bought.plan.currency,
    instanceId: instance.id,
    explanation: explain(bought),
    at
  })
  if (!paid) return yield* insufficient(bought)
  yield* reserve(bought.plan, { accountId, instanceId: instance.id, image: bought.image.slug }, at)
  yield* queueProvision(command, bought, instance.id, at)
  return instance
})

const queueProvision = Effect.fnUntraced(function*(command: PlaceOrder, bought: Quote, instanceId: number, at: number) {
  const { body, caller } = command
  yield* (yield* Tasks).insert({
    instanceId,
    ...Provision.task({ ssh_pubkey: body.ssh_pubkey ?? null }),
    ...authorOf(caller),
    sealed: yield* sealPassword(body.root_password),
    // The task of a plan that is not deployed automatically waits for an operator.
    runAt: bought.plan.autoDeploy ? at : null,
    leaseUntil: null,
    at
  })
})

/**
 * Runs in one transaction. A key that was used before returns its instance, regardless of the body.
 * Fails in the order of the specification; a failure writes nothing, so the same key works once the reason is resolved.
 */
export const placeOrder = Effect.fnUntraced(function*(command: PlaceOrder) {
  const { body, caller, key, maxCharge } = command
  const digest = key === undefined ? undefined : keyDigest(key)
  const replay = digest === undefined ? undefined : yield* findReplay(caller, body, digest)
  if (replay !== undefined) return { ...replay, replayed: true } satisfies Placed
  const bought = yield* quote(caller, body)
  yield* assertAllowed({ charge: bought.price.charge, currency: bought.plan.currency }, maxCharge)
  const at = yield* Clock.currentTimeMillis
  const { createRates } = yield* OrderPolicy
  const rates = createRates && (yield* admitCreate(bought.account.creates, createRates, at))
  // Checked before anything is written: a failure that wrote nothing costs the shared transaction nothing.
  if (bought.account.wallet < bought.price.charge) return yield* insufficient(bought)
  const instance = yield* writeOrder({ ...command, digest }, bought, at)
  if (rates !== undefined) yield* takeCreate(caller.accountId, rates)
  if (digest !== undefined) {
    yield* (yield* IdempotencyKeys).insert({
      owner: caller,
      digest,
      fingerprint: fingerprint(body, (yield* Secret).markers[0]),
      instanceId: instance.id,
      at
    })
  }
  return {
    instance,
    replayed: false,
    mismatch: [],
    ...(rates === undefined ? {} : { rates })
  } satisfies Placed
})

/** Fails as `placeOrder` does, or with `CreateInProgress`. */
export const buy = Effect.fnUntraced(function*(command: PlaceOrder) {
  const { caller, key } = command
  const { run } = yield* Transaction
  const { notify } = yield* WorkerNotifier
  // A client that disconnects must not come between the commit and the notification.
  const create = Effect.uninterruptible(
    run(placeOrder(command)).pipe(
      Effect.tap(({ replayed }) => replayed ? Effect.void : notify),
      Effect.tapErrorTag(
        "CreateLimitExceeded",
        ({ clockWasAhead }) => clockWasAhead ? run(boundArrivals(caller.accountId)) : Effect.void
      )
    )
  )
  return yield* key === undefined ? create : (yield* InFlight).under(caller, key, create)
})

export interface Replay {
  /** Its current state, even if it is deleted. */
  readonly instance: Instance
  /** The fields in which this body differs from the original one. */
  readonly mismatch: ReadonlyArray<string>
}

/** SHA-256 in hex: the stored form of a key, which `order.config` shows, too. */
export const keyDigest = (key: string): string => hash("sha256", key, "hex")

/**
 * Runs before plan, coupon and balance are checked: a purchase stays valid. Fails with `IdempotencyMismatch` for
 * another body, if the operator's policy says so. `digest` is the key's.
 */
export const findReplay = Effect.fnUntraced(function*(caller: Caller, body: CreateInstance, digest: string) {
  const claim = yield* (yield* IdempotencyKeys).find(caller, digest)
  if (claim === undefined) return undefined
  const instance = yield* (yield* Instances).showAny(caller.accountId, claim.instanceId)
  if (instance === undefined) {
    return yield* Effect.die(new Error(`instance ${claim.instanceId} of a claimed key is missing`))
  }
  const differing = mismatch(claim.fingerprint, body, (yield* Secret).markers)
  if (differing.length > 0 && (yield* OrderPolicy).strict) {
    return yield* new IdempotencyMismatch({ instanceId: claim.instanceId, fields: differing })
  }
  return { instance, mismatch: differing } satisfies Replay
})
