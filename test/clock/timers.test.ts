/** Each timer of the service under a wrong clock: what it charges, ends, deletes, refuses, and repeats at most. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { existsSync, globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { layer as authentication } from "#service/auth/Authentication"
import { Database } from "#service/persistence/sqlite/Database"
import { buy } from "../support/service.ts"
import { temporaryFolder } from "../support/temporary.ts"
import { HOUR, MINUTE, realTime, serviceOn, type WrongClock, YEAR } from "../support/wrongClock.ts"
import { ELSEWHERE, RECORDS, type Situation, SITUATIONS, type Timer, TIMERS } from "./timers.ts"

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
