/**
 * A create: one durable transaction, after which a worker is notified. It claims the key, debits the wallet, and writes
 * ledger, order, instance and task; all or nothing. An idempotency key that was used before returns its instance.
 */
import * as Context from "effect/Context"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { admitCreate, arrivalsOf, boundArrivals, type CreateRates } from "../ratelimit/CreateRateLimits.ts"
import { hash } from "node:crypto"
import type { CreateInstance, Instance } from "@pulumi-vps/contract/Instance"
import { PlacesMachines, reserve } from "../catalogue/Capacity.ts"
import { monthsAfter } from "../domain/Period.ts"
import { authorOf, type Caller } from "../domain/Caller.ts"
import { explainVat, type Explanation } from "../domain/Explanation.ts"
import { IdempotencyMismatch, InsufficientFunds } from "../domain/Errors.ts"
import type { Standing } from "../domain/Gcra.ts"
import { type ChargeLimit, toAmount } from "../domain/Money.ts"
import { assertAllowed } from "../instances/Admission.ts"
import { fingerprint, mismatch } from "../idempotency/Fingerprint.ts"
import { charge } from "../ledger/Ledger.ts"
import { price } from "../domain/Vat.ts"
import { post } from "../mail/Outbox.ts"
import { Catalogue, type Version } from "../persistence/Catalogue.ts"
import { Coupons } from "../persistence/Coupons.ts"
import { type Bought, IdempotencyKeys } from "../persistence/IdempotencyKeys.ts"
import { Instances } from "../persistence/Instances.ts"
import { sealPassword } from "../operations/InstalledSystem.ts"
import { Provision } from "../operations/Provision.ts"
import { Orders } from "../persistence/Orders.ts"
import { Tasks } from "../persistence/Tasks.ts"
import { Secret } from "../config/Secret.ts"
import { offerReads, type Quote, quote } from "./Quote.ts"
import { InFlight } from "../idempotency/InFlight.ts"
import { Transaction } from "../persistence/Transaction.ts"
import { WorkerLease, WorkerNotifier } from "../runtime/WorkerNotifier.ts"

export interface OrderPolicy {
  /** The rate limits for creates per account; undefined if rate limits are off. */
  readonly createRates: CreateRates | undefined
  /** An idempotency key that is reused with another body is rejected, instead of answered with the original. */
  readonly strict: boolean
}

/** Permissive unless configured. */
export const OrderPolicy = Context.Reference<OrderPolicy>("@pulumi-vps/service/OrderPolicy", {
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
  /** The task that deploys it; null for a replay, and while the task waits for an operator. */
  readonly taskId: number | null
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
  new InsufficientFunds({
    accountId: account.id,
    charge: price.charge,
    wallet: account.wallet,
    currency: plan.currency
  })

/** The period is not part of it, because it begins with the deployment. */
const explain = ({ account, discount, plan }: Quote): Explanation => ({
  plan: plan.name,
  price: plan.price,
  ...explainVat(account.vat),
  ...(discount === undefined ? {} : { coupon: discount.coupon.code, discount: discount.amount })
})

const writeOrder = Effect.fnUntraced(function*(command: Keyed, bought: Quote, last: Version | undefined, at: number) {
  const { caller, body } = command
  const accountId = caller.accountId
  const config = orderConfig(bought, command)
  const orderId = yield* (yield* Orders).insert({
    accountId,
    planId: bought.plan.id,
    soldId: yield* (yield* Catalogue).sell(bought.plan, last),
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
  yield* reserve(bought.plan, { accountId, instanceId: instance.id, image: bought.image.slug }, at)
  return { orderId, instanceId: instance.id, instance }
})

const mailOrdered = ({ body }: Keyed, { account, image, plan, price: paid }: Quote, instanceId: number, at: number) =>
  post(
    "ordered",
    { accountId: account.id, instanceId, email: account.email },
    String(instanceId),
    {
      instanceId,
      hostname: body.hostname ?? null,
      planName: plan.name,
      image: `${image.label} ${image.version}`,
      charge: paid.charge,
      wallet: account.wallet - paid.charge,
      currency: plan.currency,
      renewal: { at: monthsAfter(at, 1), charge: price(plan.price, account.vat).charge },
      isHeld: !plan.autoDeploy
    },
    at
  )

/** Writes the purchase; fails with `InsufficientFunds`. */
const purchase = Effect.fnUntraced(function*(
  command: Keyed,
  bought: Quote,
  last: Version | undefined,
  rates: readonly [minute: Standing, hour: Standing] | undefined,
  at: number
) {
  const { accountId } = command.caller
  // Not before: a create that is refused leaves no gap in the ids.
  yield* (yield* Transaction).reserveIds(["orders", "instances", "journals", "tasks"])
  const payment = { accountId, price: bought.price, currency: bought.plan.currency, explanation: explain(bought), at }
  const arrivals = arrivalsOf(bought.account.creates, rates)
  const ordered = yield* charge(payment, arrivals, writeOrder(command, bought, last, at))
  if (ordered === undefined) return yield* insufficient(bought)
  const id = yield* queueProvision(command, bought, ordered.instanceId, at)
  yield* mailOrdered(command, bought, ordered.instanceId, at)
  return { instance: ordered.instance, taskId: bought.plan.autoDeploy ? id : null }
})

const queueProvision = Effect.fnUntraced(function*(command: PlaceOrder, bought: Quote, instanceId: number, at: number) {
  const { body, caller } = command
  const lease = yield* WorkerLease
  // The task of a plan that is not deployed automatically waits for an operator.
  const { autoDeploy } = bought.plan
  return yield* (yield* Tasks).insert({
    instanceId,
    ...Provision.task({ ssh_pubkey: body.ssh_pubkey ?? null }),
    ...authorOf(caller),
    sealed: yield* sealPassword(body.root_password),
    runAt: autoDeploy ? at : null,
    leaseUntil: autoDeploy && lease !== null ? at + lease : null,
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
  const { claim, last, ...offer } = yield* (yield* Transaction).together({
    claim: digest === undefined ? Effect.undefined : (yield* IdempotencyKeys).find(caller, digest),
    last: (yield* Catalogue).lastSold(body.service_id),
    ...yield* offerReads(caller, body)
  })
  if (claim !== undefined) {
    return { ...yield* replayOf(caller, body, claim), replayed: true, taskId: null } satisfies Placed
  }
  const bought = yield* quote(body, offer)
  yield* assertAllowed({ charge: bought.price.charge, currency: bought.plan.currency }, maxCharge)
  const at = yield* Clock.currentTimeMillis
  const { createRates } = yield* OrderPolicy
  const rates = createRates && (yield* admitCreate(bought.account.creates, createRates, at))
  // Checked before anything is written: a failure that wrote nothing costs the shared transaction nothing.
  if (bought.account.wallet < bought.price.charge) return yield* insufficient(bought)
  const { instance, taskId } = yield* purchase({ ...command, digest }, bought, last, rates, at)
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
    taskId,
    ...(rates === undefined ? {} : { rates })
  } satisfies Placed
})

/** Fails as `placeOrder` does, or with `CreateInProgress`. */
export const buy = Effect.fnUntraced(function*(command: PlaceOrder) {
  const { caller, key } = command
  const { run, runLocking } = yield* Transaction
  // Coupons and hosts are shared by accounts, so that their rules need more than the lock of one.
  const isShared = typeof command.body.coupon_code === "string" || (yield* PlacesMachines)
  const transact = isShared ? run : runLocking({ account: caller.accountId })
  const { commit } = yield* WorkerNotifier
  // A client that disconnects must not come between the commit and the start of the task.
  const create = Effect.uninterruptible(
    commit(transact(placeOrder(command)), ({ taskId }) => taskId).pipe(
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
export const replayOf = Effect.fnUntraced(function*(caller: Caller, body: CreateInstance, claim: Bought) {
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
