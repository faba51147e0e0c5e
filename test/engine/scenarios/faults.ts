/** A service that fails: too little money, too busy, too slow, answers that get lost. */
import { assert } from "vitest"
import { type Environment, PASSWORD } from "../Environment.ts"
import { assertLike } from "../../support/like.ts"

const web = { serviceId: 1, hostname: "web.example.com", rootPassword: PASSWORD, os: "debian-12" }
const TEN = Array.from({ length: 10 }, (_, index) => `w${index}`)

const fault = (env: Environment, rule: object): Promise<unknown> => env.control("POST", "faults", rule)

/** Tasks of one type that the service has begun on the instance. */
const begun = async (env: Environment, type: string): Promise<number> =>
  (await env.tasks((await env.stored()).id)).filter((task) => task.type === type).length

/** Updates again until one succeeds; each other one says that a response was lost. */
const repeated = async (env: Environment): Promise<void> => {
  for (let attempt = 0; attempt < TEN.length; attempt++) {
    const { code, output } = await env.start("up").done
    if (code === 0) return
    assert.include(output.replaceAll(/\s+/g, " "), "the response was lost")
  }
  assert.fail("the update did not succeed")
}

export const FAULTS = {
  "402 during ten creates: the state has the purchases, errors name the rest, the next up buys them": async (
    env: Environment
  ) => {
    env.program(Object.fromEntries(TEN.map((name) => [name, { serviceId: 1 }])))
    // Random under a seed: the same half of them every time.
    await fault(env, { operation: "instances.create", status: 402, probability: 0.5, seed: 7 })
    const said = await env.fails("up", { continueOnError: true })
    const bought = (await env.resources()).map(({ urn }) => urn.slice(urn.lastIndexOf("::") + 2))
    assert.isAbove(bought.length, 0)
    assert.isBelow(bought.length, TEN.length)
    for (const name of TEN.filter((one) => !bought.includes(one))) {
      assert.match(said, new RegExp(`${name}[: ].{0,200}402`))
    }
    await env.counts()
    await env.control("DELETE", "faults")
    await env.run("up")
    assert.strictEqual(await env.charges(), TEN.length)
  },

  "all responses to a purchase are lost: the error says so, and the next up continues": async (
    env: Environment
  ) => {
    env.program({ web })
    await fault(env, { operation: "instances.create", drop_connection: "after" })
    await env.fails("up")
    assert.strictEqual(await env.charges(), 1)
    await env.control("DELETE", "faults")
    await env.run("up")
    assert.strictEqual(await env.charges(), 1)
  },

  "each response during an update is lost once: each step runs once": async (env: Environment) => {
    env.program({ web: { ...web, passwordRotation: "1" } })
    await env.control("PUT", "deploy", { mode: "instant" })
    await env.run("up")
    const operations =
      "instances.hostname instances.resize instances.reinstall power.stop power.start snapshots.create "
      + "isos.mount instances.reset_password"
    for (const operation of operations.split(" ")) {
      await fault(env, { operation, drop_connection: "after", count: 1 })
    }
    const all = { serviceId: 2, os: "debian-13", allowDataLoss: true, snapshotBefore: "before", isoId: 2 }
    env.program({ web: { ...web, ...all, hostname: "www.example.com", passwordRotation: "2" } })
    if (env.showsAll) assert.include((await env.run("up")).output, "the response with it was lost")
    else await repeated(env)
    // Without the feed, what loses nothing more runs again.
    for (const type of ["resize", "snapshot_create", ...env.showsAll ? ["reinstall", "reset_password"] : []]) {
      assert.deepStrictEqual([type, await begun(env, type)], [type, 1])
    }
    assertLike((await env.stored()).outputs, {
      serviceId: 2,
      os: "debian-13",
      isoId: 2,
      hostname: "www.example.com",
      ...env.showsAll ? { status: "running" } : {}
    })
  }
}
