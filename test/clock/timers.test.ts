/** Every timer and reader of the clock in the service is one that was decided. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { assert, describe, it } from "@effect/vitest"
import { existsSync, globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { Authentication, layer as authentication } from "#service/auth/Authentication"
import { Database } from "#service/persistence/sqlite/Database"
import { buy } from "../support/service.ts"
import { temporaryFolder } from "../support/temporary.ts"
import { DAY, HOUR, MINUTE, realTime, serviceOn, type WrongClock, YEAR } from "../support/wrongClock.ts"
import { SEED_KEY } from "#service/emulator/Seed"

const ROOT = fileURLToPath(new URL("../..", import.meta.url))

const BEGINNING = Date.parse("2027-01-31T12:00:00Z")

const service = (wrong: WrongClock, path: string) => Layer.provideMerge(authentication, serviceOn(wrong, path))

const AHEAD: Readonly<Record<Situation, number>> = {
  jump: 0,
  start23HoursAhead: 23 * HOUR,
  startYearsAhead: 3 * YEAR,
  startYearsBehind: -3 * YEAR
}

const happens = Effect.fnUntraced(function*({ arrange, count }: Timer, situation: Situation) {
  const path = `${yield* temporaryFolder}/vps.db`
  const wrong = { ahead: 0 }
  const time = yield* realTime
  yield* time.passUntil(BEGINNING)
  const ready = Effect.gen(function*() {
    yield* buy()
    yield* time.pass(2 * MINUTE, 500)
    ;(yield* Database).connection.exec(arrange(BEGINNING + 12 * HOUR))
  })
  if (situation === "jump") {
    return yield* Effect.gen(function*() {
      yield* ready
      for (const ahead of [3 * YEAR, -3 * YEAR]) {
        wrong.ahead = ahead
        // Any request notifies the worker.
        yield* buy()
        yield* time.pass(3_000, 500)
        wrong.ahead = 0
        yield* buy()
        yield* time.pass(MINUTE, 500)
      }
      return yield* count
    }).pipe(Effect.provide(service(wrong, path)))
  }
  yield* Effect.provide(ready, service(wrong, path))
  wrong.ahead = AHEAD[situation]
  return yield* Effect.andThen(time.pass(MINUTE, 500), count).pipe(Effect.provide(service(wrong, path)))
})

/** The situations. `jump`: three seconds of a clock years ahead or behind. Others are starts under a wrong clock. */
const SITUATIONS = ["jump", "start23HoursAhead", "startYearsAhead", "startYearsBehind"] as const
type Situation = typeof SITUATIONS[number]

interface Timer {
  readonly name: string
  /** The sources that read its clock. */
  readonly files: ReadonlyArray<string>
  /** The counted effect: periods charged, instances ended, rows deleted, requests refused. */
  readonly counts: "charged" | "ended" | "deleted" | "refused"
  readonly most: Readonly<Record<Situation, number>>
  /** Sets the timer's moment; statements for an instance with id 1. */
  readonly arrange: (moment: number) => string
  readonly count: Effect.Effect<number, never, Authentication | Effect.Services<ReturnType<typeof buy>> | Database>
}

/** The number in the first column of a query. */
const counted = (sql: string) => Effect.map(Database, ({ one }) => one<[number]>(sql)()![0])

/** A restart under a clock that is at most a day ahead is not noticed: what is due within that day is done early. */
const EARLY = { jump: 0, start23HoursAhead: 1, startYearsAhead: 0, startYearsBehind: 0 }
/** A start follows a clock that is ahead: keys and coupons end early until it is corrected. */
const FOLLOWED = { ...EARLY, startYearsAhead: 1 }
const SCHEDULER = ["service/tasks/Scheduler.ts", "service/tasks/TaskQueue.ts"]
const FEED_RETENTION = 180 * DAY

const TIMERS: ReadonlyArray<Timer> = [
  {
    name: "renewal",
    files: SCHEDULER,
    counts: "charged",
    most: EARLY,
    arrange: (moment) => `UPDATE instances SET expires_at = ${moment}`,
    count: counted("SELECT count(*) FROM journals WHERE kind = 'instance_renew'")
  },
  {
    name: "expiry",
    files: SCHEDULER,
    counts: "ended",
    most: EARLY,
    arrange: (moment) => `UPDATE instances SET expires_at = ${moment}, auto_renew = 0`,
    count: counted("SELECT count(*) FROM instances WHERE lifecycle = 'expired'")
  },
  {
    name: "end of the grace period",
    files: SCHEDULER,
    counts: "deleted",
    // A start after an outage makes it longer by that.
    most: { ...EARLY, start23HoursAhead: 0 },
    arrange: (moment) =>
      `UPDATE instances SET lifecycle = 'expired', resume_power = 'on', auto_renew = 0, grace_until = ${moment}`,
    count: counted("SELECT count(*) FROM instances WHERE lifecycle = 'deleted'")
  },
  {
    name: "retention of backups",
    files: SCHEDULER,
    counts: "deleted",
    most: EARLY,
    arrange: (moment) =>
      `INSERT INTO backups (id, instance_id, os, status, created_at, expires_at)
         VALUES (7, 1, 'debian-12', 'available', 0, ${moment});
       UPDATE instances SET next_backup_at = ${moment}`,
    count: counted("SELECT 1 - count(*) FROM backups WHERE id = 7")
  },
  {
    name: "retention of idempotency keys",
    files: SCHEDULER,
    counts: "deleted",
    most: EARLY,
    arrange: (moment) =>
      `INSERT INTO idempotency_keys (instance_id, api_key_id, digest, fingerprint, created_at, forget_at)
         VALUES (1, 1, 'digest', '{}', 0, ${moment})`,
    count: counted("SELECT 1 - count(*) FROM idempotency_keys WHERE digest = 'digest'")
  },
  {
    name: "retention of the feed",
    files: SCHEDULER,
    counts: "deleted",
    most: EARLY,
    arrange: (moment) => `UPDATE tasks SET created_at = ${moment - FEED_RETENTION} WHERE id = 1`,
    count: counted("SELECT 1 - count(*) FROM tasks WHERE id = 1")
  },
  {
    name: "expiry of API keys",
    files: ["service/auth/Authentication.ts"],
    counts: "refused",
    most: FOLLOWED,
    arrange: (moment) => `UPDATE api_keys SET expires_at = ${moment} WHERE id = 1`,
    count: Effect.flatMap(
      Authentication,
      ({ clearCache, identify }) =>
        Effect.andThen(clearCache, Effect.map(identify(SEED_KEY), (found) => typeof found === "string" ? 1 : 0))
    )
  },
  {
    name: "validity of coupons",
    files: ["service/orders/Quote.ts"],
    counts: "refused",
    most: FOLLOWED,
    arrange: (moment) => `UPDATE coupons SET valid_until = ${moment} WHERE code = 'WELCOME10'`,
    count: Effect.match(Effect.exit(buy({ coupon_code: "WELCOME10" })), {
      onSuccess: (exit) => exit._tag === "Success" ? 0 : 1,
      onFailure: () => 1
    })
  }
]

/** The timers whose effect other tests bound. */
const ELSEWHERE: ReadonlyArray<Pick<Timer, "files"> & { readonly most: string; readonly test: string }> = [
  {
    files: ["service/ratelimit/CreateRateLimits.ts"],
    most: "creates are refused for one window",
    test: "test/http/rateLimits.test.ts"
  },
  {
    files: ["service/tasks/Worker.ts", "service/tasks/TaskLeases.ts"],
    most: "a task is repeated, under a new fence; its steps are not",
    test: "test/tasks/lease.test.ts"
  },
  {
    files: ["service/tasks/Execution.ts"],
    most: "a task with ten failed attempts is given up",
    test: "test/tasks/retry.test.ts"
  },
  {
    files: ["service/persistence/JobLeases.ts"],
    most: "two processes check the hosts and the machines at once, or none does for three intervals",
    test: "test/persistence/suite/hosts.ts"
  },
  {
    files: ["service/tasks/ClockWatch.ts"],
    most: "work that was scheduled by a wrong time waits until this process has read that the time was confirmed",
    test: "test/clock/trust.test.ts"
  },
  {
    files: ["service/operations/Resize.ts"],
    most: "a resize is charged between nothing and the difference for a period",
    test: "test/domain/money.test.ts"
  },
  {
    files: ["service/provisioning/drivers/libvirt/HostConnection.ts"],
    most: "a valid certificate is refused, or one that has ended is taken",
    test: "test/provisioning/libvirt/certificates.test.ts"
  },
  {
    files: ["service/mail/MailDelivery.ts"],
    most: "a mail is sent later by the longest pause, or twice with one id",
    test: "test/mail/delivery.test.ts"
  },
  {
    files: ["service/mail/Outbox.ts"],
    most: "a command stops waiting for its mails early, or never while none is sent",
    test: "test/billing/reprice.test.ts"
  },
  {
    files: ["service/panel/http/handlers/Wallet.ts", "service/billing/MoneyAtRisk.ts"],
    most: "a warning about the wallet is early, or late",
    test: "test/panel/wallet.test.ts"
  },
  {
    files: ["service/panel/http/handlers/Instances.ts"],
    most: "the list says for less or more than 30 days what was deleted",
    test: "test/panel/contracts.test.ts"
  },
  {
    files: ["service/panel/http/handlers/Tasks.ts"],
    most: "a failed task is shown for longer, or only in the activity",
    test: "test/panel/failures.test.ts"
  }
]

/** Sources that record the time, count with it, or keep it: a wrong clock makes them write wrong dates. */
const RECORDS = [
  "service/audit/Audit.ts",
  "service/auth/Keys.ts",
  "service/auth/MissingSecrets.ts",
  "service/billing/Renewals.ts",
  "service/billing/Reprice.ts",
  "service/catalogue/Capacity.ts",
  "service/instances/Announcements.ts",
  "service/instances/Monitoring.ts",
  "service/ledger/Books.ts",
  "service/mail/MailedNotices.ts",
  "service/mail/TestMails.ts",
  "service/observability/Metrics.ts",
  "service/operations/DeploymentHold.ts",
  "service/operations/Enqueue.ts",
  "service/operations/HostFencing.ts",
  "service/operations/MachineAudit.ts",
  "service/operations/Relocation.ts",
  "service/operations/ResetPassword.ts",
  "service/operations/Snapshots.ts",
  "service/orders/PlaceOrder.ts",
  "service/panel/http/handlers/Keys.ts",
  "service/panel/http/handlers/Members.ts",
  "service/people/AccountKeys.ts",
  "service/people/Links.ts",
  "service/people/RefusedSignIns.ts",
  "service/persistence/clock/ServiceClock.ts",
  "service/provisioning/drivers/libvirt/Console.ts",
  "service/provisioning/drivers/libvirt/Freeze.ts",
  "service/provisioning/drivers/libvirt/HostWatch.ts",
  "service/provisioning/drivers/libvirt/Libvirt.ts",
  "service/provisioning/drivers/libvirt/Listing.ts",
  "service/provisioning/drivers/libvirt/Moves.ts",
  "service/provisioning/drivers/libvirt/Progress.ts",
  "service/provisioning/drivers/libvirt/metrics/Sampler.ts",
  "service/provisioning/drivers/simulated/DeployClock.ts",
  "service/provisioning/drivers/simulated/Simulated.ts"
]

describe.each(TIMERS)("the $name", (timer) => {
  it.effect.each(SITUATIONS)("has at most this effect under a wrong clock: %s", (situation) =>
    Effect.gen(function*() {
      assert.strictEqual(yield* happens(timer, situation), timer.most[situation])
    }))
})

describe("the table of timers", () => {
  it("has every source of the service that reads the wall clock", () => {
    const listed = new Set([...[...TIMERS, ...ELSEWHERE].flatMap(({ files }) => files), ...RECORDS])
    const reading = globSync("service/**/*.ts", { cwd: ROOT })
      .filter((path) => !/^service\/(?:emulator|admin)\//.test(path))
      .filter((path) => readFileSync(`${ROOT}/${path}`, "utf8").includes("currentTimeMillis"))
    assert.isAbove(reading.length, 20)
    assert.deepStrictEqual(reading.filter((path) => !listed.has(path)), [])
    assert.deepStrictEqual([...listed].filter((path) => !existsSync(`${ROOT}/${path}`)), [])
    assert.deepStrictEqual(ELSEWHERE.filter(({ test }) => !existsSync(`${ROOT}/${test}`)), [])
  })
})
