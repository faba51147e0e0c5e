/** An operator's acts: on instances, prices, held orders, and accounts that are closed while they are paid into. */
import * as Effect from "effect/Effect"
import { closeAccount, reopenAccount, showAccount } from "#service/admin/commands/Accounts"
import { debitWallet, refundLine, topUpWallet, undoExpiry, undoRenewal } from "#service/admin/commands/Wallet"
import { setAutoRenew, suspend, terminate, unsuspend } from "#service/admin/commands/Instances"
import { repricePlan } from "#service/admin/commands/Prices"
import { approveTask, listTasks, rejectTask } from "#service/admin/commands/Tasks"
import type { Account, Surroundings } from "./CustomerOperations.ts"
import type { Network } from "./Network.ts"

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Time from an announcement to the first period with its price. */
const NOTICE_MILLIS = 31 * DAY

/** Longest time until a period that was brought forward ends, and until its renewal is undone. */
const LEFT_MILLIS = 30 * MINUTE
const UNDO_MILLIS = 2 * HOUR

/** Longest time that the upstream rejects a termination. */
const FAILING_MILLIS = HOUR

type Work = Parameters<Network["inside"]>[0]

/** Executes a command in any process, and notes its outcome. */
const command = ({ network, scheduler }: Surroundings, name: string, work: Work) =>
  Effect.map(network.inside(work), (exit) => scheduler.note(`${name} -> ${exit?._tag ?? "unknown"}`))

const onInstance = (around: Surroundings, id: number) => {
  const { random } = around
  const reason = "unpaid bills"
  const [name, work] = random.pick<readonly [string, Work]>([
    ["suspend", suspend({ id, reason })],
    ["unsuspend", unsuspend({ id })],
    ["unsuspend", unsuspend({ id })],
    ["auto_renew", setAutoRenew({ id, auto_renew: random.chance(0.5) })],
    ["auto_renew", setAutoRenew({ id, auto_renew: true })],
    ["terminate", terminate({ id, reason })],
    ["undo_renewal", undoRenewal({ id })],
    ["undo_expiry", undoExpiry({ id })]
  ])
  return command(around, `${name} ${id}`, work)
}

/** Tries of a resize: the instance may be busy, or have the plan already. */
const RESIZES = 10

const PLANS = [1, 2, 3]

/** A resize that the owner requests, to one of the plans. */
const resize = ({ network, random }: Surroundings, { tokens }: Account, id: number, plans: ReadonlyArray<number>) =>
  Effect.gen(function*() {
    for (let tries = 0; tries < RESIZES; tries++) {
      const { status } = yield* network.ask({
        method: "POST",
        path: `/instances/${id}/resize`,
        token: random.pick(tokens).token,
        body: { service_id: random.pick(plans) }
      })
      if (status === 200) return
      yield* Effect.sleep(random.below(MINUTE))
    }
  })

/** A period ends soon, is renewed, perhaps resized, and then the renewal is undone. */
const renewAndUndo = (around: Surroundings, account: Account) =>
  Effect.gen(function*() {
    const { random } = around
    const id = [...account.instances].find((each) => around.bringForward(each, random.below(LEFT_MILLIS)))
    if (id === undefined) return
    yield* Effect.sleep(LEFT_MILLIS)
    // A larger plan: only that charges for the rest of the period.
    if (random.chance(0.8)) yield* resize(around, account, id, [2, 3])
    yield* Effect.sleep(random.below(UNDO_MILLIS))
    yield* command(around, `auto_renew ${id}`, setAutoRenew({ id, auto_renew: false }))
    yield* command(around, `undo_renewal ${id}`, undoRenewal({ id }))
    if (random.chance(0.5)) yield* command(around, `auto_renew ${id}`, setAutoRenew({ id, auto_renew: true }))
  })

/** A charge empties the wallet, an instance expires for it, and the charge is refunded while its owner acts. */
const expireAndRefund = (around: Surroundings, account: Account) =>
  Effect.gen(function*() {
    const { network, random } = around
    const id = [...account.instances].find((each) => around.bringForward(each, random.below(LEFT_MILLIS)))
    if (id === undefined) return
    yield* command(around, `auto_renew ${id}`, setAutoRenew({ id, auto_renew: true }))
    const charged = yield* network.inside<{ readonly line: number } | undefined, never>(
      Effect.flatMap(showAccount({ id: account.id }), ({ wallet }) =>
        wallet <= 0
          ? Effect.undefined
          : debitWallet({ account_id: account.id, amount: wallet, reason: "a mistake", payout: false }))
    )
    yield* Effect.sleep(LEFT_MILLIS + random.below(UNDO_MILLIS))
    const line = charged?._tag === "Success" ? charged.value?.line : undefined
    if (line !== undefined) yield* command(around, `refund ${line}`, refundLine({ line, reason: "a mistake" }))
  })

/** An instance that its owner does not renew expires soon. */
const letExpire = (around: Surroundings, account: Account) =>
  Effect.gen(function*() {
    const id = [...account.instances].find((each) => around.bringForward(each, around.random.below(LEFT_MILLIS)))
    if (id === undefined) return
    yield* command(around, `auto_renew ${id}`, setAutoRenew({ id, auto_renew: false }))
    yield* Effect.sleep(LEFT_MILLIS)
  })

/** The upstream rejects a termination for a while, in which payments arrive and renewal is turned on. */
const terminateInVain = (around: Surroundings, account: Account, id: number) =>
  Effect.gen(function*() {
    const { random } = around
    around.setDeletable(id, false)
    yield* command(around, `terminate ${id}`, terminate({ id, reason: "asked" }))
    yield* Effect.sleep(random.below(FAILING_MILLIS))
    yield* command(around, `auto_renew ${id}`, setAutoRenew({ id, auto_renew: true }))
    yield* command(around, `top-up ${account.id}`, topUpWallet({ account_id: account.id, amount: 20 }))
    around.setDeletable(id, true)
  })

/** Sometimes two announcements at once, or a resize meanwhile. The model knows every price that may be stored. */
const reprice = (around: Surroundings, account: Account, instanceId: number | undefined) =>
  Effect.suspend(() => {
    const { model, random, scheduler } = around
    const id = random.pick(PLANS)
    const announce = Effect.suspend(() => {
      const price = id * 100 + random.between(1, 9_999) / 100
      const from = new Date(scheduler.now + NOTICE_MILLIS + random.below(DAY)).toISOString()
      model.announce(id, Math.round(price * 100))
      return command(around, `reprice ${id} ${price} ${from}`, repricePlan({ id, price, from }))
    })
    if (instanceId === undefined) return announce
    const both = Effect.all([announce, random.chance(0.5) ? announce : resize(around, account, instanceId, PLANS)], {
      concurrency: "unbounded",
      discard: true
    })
    return random.chance(0.5) ? both : announce
  })

/** Approves or rejects each order that waits. */
export const decide = (around: Surroundings) =>
  Effect.gen(function*() {
    const { network, random } = around
    const listed = yield* network.inside<ReadonlyArray<{ readonly id: number; readonly held: boolean }>, never>(
      listTasks({ status: "held", limit: 1_000 })
    )
    if (listed?._tag !== "Success") return
    for (const { held, id } of listed.value) {
      if (!held) continue
      const isApproved = random.chance(0.5)
      yield* command(
        around,
        `${isApproved ? "approve" : "reject"} ${id}`,
        isApproved ? approveTask({ id }) : rejectTask({ id, reason: "no" })
      )
    }
  })

/** Empties a wallet, without which its account cannot be closed. */
const payOut = (around: Surroundings, id: number) =>
  command(
    around,
    `pay out ${id}`,
    Effect.flatMap(showAccount({ id }), ({ wallet }) =>
      wallet === 0
        ? Effect.void
        : debitWallet({ account_id: id, amount: wallet, reason: "asked", payout: true }))
  )

/** An account without instances is closed and opened again, while payments arrive. */
const closeAndPay = (around: Surroundings) =>
  Effect.suspend(() => {
    const { random, spare: id } = around
    const pay = command(
      around,
      `top-up ${id}`,
      topUpWallet({ account_id: id, amount: 1 })
    )
    const close = command(around, `close ${id}`, closeAccount({ id, reason: "asked" }))
    const reopen = command(around, `reopen ${id}`, reopenAccount({ id }))
    return Effect.andThen(
      payOut(around, id),
      Effect.all(random.pick([[pay, close], [close, pay], [reopen, pay], [close, reopen]]), {
        concurrency: "unbounded",
        discard: true
      })
    )
  })

/** One act. */
export const govern = (around: Surroundings, account: Account): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { random } = around
    const id = account.instances.size === 0 ? undefined : random.pick([...account.instances])
    const acts: ReadonlyArray<Effect.Effect<unknown>> = [
      ...id === undefined ? [] : [
        onInstance(around, id),
        onInstance(around, id),
        onInstance(around, id),
        renewAndUndo(around, account),
        renewAndUndo(around, account),
        expireAndRefund(around, account),
        letExpire(around, account),
        terminateInVain(around, account, id)
      ],
      reprice(around, account, id),
      decide(around),
      closeAndPay(around)
    ]
    return Effect.asVoid(random.pick(acts))
  })
