/** A service that fails: too little money, too busy, too slow, answers that get lost. */
import { expect } from "vitest"
import { isPurchase } from "../Purchases.ts"
import { type Environment, PASSWORD } from "../Environment.ts"

const web = { serviceId: 1, hostname: "web.example.com", rootPassword: PASSWORD, os: "debian-12" }
const TEN = Array.from({ length: 10 }, (_, index) => `w${index}`)
const isRename = ({ method }: { method: string }): boolean => method === "PATCH"

const fault = (env: Environment, rule: object): Promise<unknown> => env.control("POST", "faults", rule)

/** Tasks of one type that the service has begun. */
const begun = async (env: Environment, type: string): Promise<number> =>
  (await env.control("GET", "tasks") as unknown as ReadonlyArray<{ type: string }>)
    .filter((task) => task.type === type).length

export const FAULTS = {
  "402 in the middle of ten creates: what was bought is in the state, the rest is named; the next up buys it": async (
    env: Environment
  ) => {
    env.program(Object.fromEntries(TEN.map((name) => [name, { serviceId: 1 }])))
    // Random under a seed: the same half of them every time.
    await fault(env, { operation: "instances.create", status: 402, probability: 0.5, seed: 7 })
    const said = await env.fails("up", { continueOnError: true })
    const bought = (await env.resources()).map(({ urn }) => urn.slice(urn.lastIndexOf("::") + 2))
    expect(bought.length).toBeGreaterThan(0)
    expect(bought.length).toBeLessThan(TEN.length)
    for (const name of TEN.filter((one) => !bought.includes(one))) {
      expect(said).toMatch(new RegExp(`${name}[: ].{0,200}402`))
    }
    await env.counts()
    await env.control("DELETE", "faults")
    await env.run("up")
    expect(await env.charges()).toBe(TEN.length)
  },

  "402 without --continue-on-error: those under way end and are saved": async (env: Environment) => {
    env.program(Object.fromEntries(TEN.map((name) => [name, { serviceId: 1 }])))
    await fault(env, { operation: "instances.create", status: 402, probability: 0.5, seed: 7 })
    expect(await env.fails("up")).toContain("402")
    await env.counts()
    await env.control("DELETE", "faults")
    await env.run("up")
    expect(await env.charges()).toBe(TEN.length)
  },

  "429 with Retry-After: waited for, bought once": async (env: Environment) => {
    env.program({ web })
    await fault(env, { operation: "instances.create", status: 429, count: 2 })
    await env.run("up")
    expect(await env.charges()).toBe(1)
  },

  "429 for the dry run: the preview warns, the purchase is made": async (env: Environment) => {
    env.program({ web })
    await fault(env, { operation: "instances.dry_run", status: 429 })
    expect((await env.run("preview")).output).toContain("the charge is not available in the preview")
    await env.run("up")
    expect(await env.charges()).toBe(1)
  },

  "502 after the purchase was made: the same server, one charge": async (env: Environment) => {
    env.program({ web })
    const held = env.proxy.hold(isPurchase)
    const running = env.start("up")
    await held.reached
    await held.carryOut()
    expect(await env.charges()).toBe(1)
    held.answerWith(502)
    expect((await running.done).code).toBe(0)
    expect(await env.charges()).toBe(1)
  },

  "the answer to the purchase is lost again and again: the error says so, and the next up takes the server": async (
    env: Environment
  ) => {
    env.program({ web })
    await fault(env, { operation: "instances.create", drop_connection: "after" })
    await env.fails("up")
    expect(await env.charges()).toBe(1)
    await env.control("DELETE", "faults")
    await env.run("up")
    expect(await env.charges()).toBe(1)
  },

  "every answer of an update is lost once: each step is done once": async (env: Environment) => {
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
    const changed = await env.run("up")
    expect(changed.output).toContain("the response with it was lost")
    for (const type of ["resize", "reinstall", "snapshot_create", "reset_password"]) {
      expect([type, await begun(env, type)]).toEqual([type, 1])
    }
    expect((await env.stored()).outputs).toMatchObject({
      serviceId: 2,
      os: "debian-13",
      isoId: 2,
      hostname: "www.example.com",
      status: "running"
    })
  },

  "a resize that the host refuses: refunded, powered on again, and said": async (env: Environment) => {
    env.program({ web })
    await env.control("PUT", "deploy", { mode: "instant" })
    await env.run("up")
    await fault(env, { operation: "driver.resize", driver: "rejected", count: 1 })
    env.program({ web: { ...web, serviceId: 2 } })
    expect(await env.fails("up")).toMatch(/could not resize to plan 2.*refunded.*powered on again/)
    expect((await env.instances()).map(({ order, status }) => [order.service_id, status])).toEqual([[1, "running"]])
    await env.run("up")
    expect((await env.stored()).outputs["serviceId"]).toBe(2)
  },

  "provisioning fails: refunded, and the error asks for a new generation, which buys": async (env: Environment) => {
    env.program({ web })
    await fault(env, { operation: "driver.provision", driver: "rejected", count: 1 })
    expect(await env.fails("up")).toMatch(/could not be provisioned, and the purchase was refunded.* generation: 2/)
    expect(await env.charges()).toBe(0)
    expect(await env.fails("up")).toContain("generation: 2")
    env.program({ web: { ...web, generation: 2 } })
    await env.run("up")
    expect(await env.charges()).toBe(1)
  }
}

/** These wait for a minute and do nothing meanwhile. */
export const PATIENT = {
  "409 busy ten times: waited for, and named; then it is done": async (env: Environment) => {
    env.program({ web })
    await env.run("up")
    env.program({ web: { ...web, hostname: "www.example.com" } })
    env.proxy.refuse(isRename, 10, 409, { "retry-after": "1" })
    const { output } = await env.run("up")
    expect(output).toMatch(/web: .*409.*retrying in/)
    expect(env.proxy.seen.filter(isRename)).toHaveLength(11)
    expect((await env.stored()).outputs["hostname"]).toBe("www.example.com")
  },

  "409 busy for longer than the timeout: the error says so, and the next up goes on": async (env: Environment) => {
    env.program({ web: { ...web, timeouts: { update: "3s" } } })
    await env.run("up")
    env.program({ web: { ...web, timeouts: { update: "3s" }, hostname: "www.example.com" } })
    env.proxy.refuse(isRename, 10, 409, { "retry-after": "1" })
    expect(await env.fails("up")).toMatch(/could not set the host name www\.example\.com: gave up after 3 ?s/)
    env.proxy.refuse(isRename, 0, 409)
    await env.run("up")
    expect((await env.stored()).outputs["hostname"]).toBe("www.example.com")
  }
}
