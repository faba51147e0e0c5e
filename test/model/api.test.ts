/** Any history of one customer's calls answers what a small model says: statuses, balances, states. */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Commands from "./Commands.ts"
import { realOf } from "./Real.ts"
import { useService } from "./service.ts"

const plan = fc.constantFrom(1 as const, 2 as const, 3 as const)
const index = fc.nat({ max: 5 })
const seldom = fc.integer({ min: 0, max: 4 }).map((number) => number === 0)
const key = fc.option(fc.constantFrom("k-1", "k-2", "k-3"), { nil: undefined })
const power = fc.constantFrom("start" as const, "stop" as const, "restart" as const)

const ALL = [
  fc.tuple(plan, key, seldom).map((drawn) => Commands.buy(...drawn)),
  fc.tuple(plan, key, seldom).map((drawn) => Commands.buy(...drawn)),
  plan.map(Commands.preview),
  fc.integer({ min: 1, max: 4_000 }).map(Commands.fill),
  fc.tuple(index, power).map((drawn) => Commands.power(...drawn)),
  fc.tuple(index, plan, seldom).map((drawn) => Commands.resize(...drawn)),
  fc.tuple(index, plan, seldom).map((drawn) => Commands.resize(...drawn)),
  index.map(Commands.takeSnapshot),
  index.map(Commands.takeSnapshot),
  index.map(Commands.dropSnapshot),
  fc.tuple(index, fc.boolean()).map((drawn) => Commands.rescue(...drawn))
]

/** `VPS_TEST_SEED=7` selects other histories, and `VPS_TEST_RUNS=5000` more of them. */
const SEED = Number(process.env["VPS_TEST_SEED"] ?? 8)
const RUNS = Number(process.env["VPS_TEST_RUNS"] ?? 60)

/** Money goes that the model knows nothing of. */
const thief = (cents: number): fc.AsyncCommand<Commands.Account, Commands.Real> => ({
  ...Commands.fill(cents),
  run: (_, real) => Commands.fill(cents).run({ cents: 0, keys: new Map(), servers: new Map() }, real),
  toString: () => `steal(${cents})`
})

describe("any history of one customer", () => {
  const service = useService()
  const check = (histories: fc.Arbitrary<Iterable<fc.AsyncCommand<Commands.Account, Commands.Real>>>) =>
    fc.check(
      fc.asyncProperty(fc.nat({ max: 8_000 }), histories, async (cents, commands) => {
        const real = await realOf(service(), cents)
        await fc.asyncModelRun(() => ({ model: { cents, keys: new Map(), servers: new Map() }, real }), commands)
      }),
      { seed: SEED, numRuns: RUNS }
    )

  it("answers what the model says, to the cent and to the state", { timeout: 120_000 }, async () => {
    const found = await check(fc.commands(ALL, { maxCommands: 30 }))
    expect(fc.defaultReportMessage(found) ?? "as the model says").toBe("as the model says")
  })

  it("would not pass if it were otherwise, and the history that shows it would be as short as can be", async () => {
    const found = await check(fc.commands([...ALL, fc.integer({ min: 1, max: 9 }).map(thief)], { maxCommands: 30 }))
    expect(found.failed).toBe(true)
    expect(String(found.counterexample?.[1])).toMatch(/^steal\(\d\)/)
  })
})
