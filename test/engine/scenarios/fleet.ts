/** Many instances: requests once per run, and not per resource. */
import { assert } from "vitest"
import type { Environment } from "../Environment.ts"

const SIZE = 300

/** The number of times that each request was sent, without ids. */
const tally = (env: Environment, from: number): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const { method, path } of env.proxy.seen.slice(from)) {
    const name = `${method} ${path.replaceAll(/\/\d+/g, "/N")}`
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

export const FLEET = {
  "300 unchanged instances need no request; buying 300 requests shared data once": async (
    env: Environment
  ) => {
    await env.control("POST", "wallet", { amount: 5_000 })
    // Without a documented status, an instance that is deployed at once may be an earlier one that was powered off.
    if (env.showsAll) await env.control("PUT", "deploy", { mode: "instant" })
    const names = Array.from({ length: SIZE }, (_, index) => `w${index}`)
    env.program(Object.fromEntries(names.map((name) => [name, { serviceId: 1, hostname: `${name}.example.com` }])))
    await env.run("up")
    const { "GET /instances": lists = 0, "GET /instances/N": single = 0, ...rest } = tally(env, 0)
    // The price of the plan once, and a few keys that may have bought before.
    assert.deepStrictEqual(rest, { "GET /whoami": 1, "POST /instances?dry_run=true": 11, "POST /instances": SIZE })
    // Each is looked at by itself twice at most, just after it was bought; from then on waits share their lists.
    assert.isAtMost(single, 2 * SIZE)
    assert.isBelow(lists, SIZE / 10)
    let before = env.proxy.seen.length
    // The plugin compares the account of the key with the state's, once per process.
    const shared = (): Record<string, number> => {
      const { "GET /whoami": accounts = 0, ...rest } = tally(env, before)
      assert.isAtMost(accounts, 1)
      return rest
    }
    await env.run("preview")
    assert.deepStrictEqual(shared(), {})
    before = env.proxy.seen.length
    await env.idle()
    assert.deepStrictEqual(shared(), {})
    before = env.proxy.seen.length
    await env.run("refresh")
    const refreshed = shared()
    // Without a documented status, the feed says if an update of the instance was interrupted.
    const feeds = env.showsAll ? {} : { "GET /instances/N/tasks?limit=100&offset=0": SIZE }
    assert.deepStrictEqual(refreshed, { "GET /instances": 1, ...feeds })
  }
}
