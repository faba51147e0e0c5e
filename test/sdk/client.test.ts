/** The Promise client: a facade over the core, as people use it. */
import { afterEach, assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ApiPromise } from "#sdk/client/promise/ApiPromise"
import * as Sdk from "#sdk/index"
import { json, startHost } from "./support/host.ts"

const withHost = <A>(use: (vps: Sdk.Vps, host: { readonly seen: ReadonlyArray<unknown> }) => Promise<A>) =>
  Effect.gen(function*() {
    const host = yield* startHost((request, response) => {
      response.setHeader("x-request-id", "r1")
      if (request.url?.endsWith("/instances/404") === true) return json(response, 404, { detail: "No such instance" })
      json(response, request.method === "POST" ? 201 : 200, { id: 7, ok: true })
    })
    return yield* Effect.promise(async () => {
      await using vps = new Sdk.Vps({ apiKey: "key-1", baseUrl: host.baseUrl })
      return await use(vps, host)
    })
  })

const unhandled: Array<unknown> = []
const note = (reason: unknown) => {
  unhandled.push(reason)
}

describe("a call", () => {
  afterEach(() => {
    process.off("unhandledRejection", note)
    unhandled.length = 0
  })

  it.live("is awaited for its data", () =>
    withHost(async (vps) => {
      const instance = await vps.instances.get(7)
      assert.strictEqual(instance.id, 7)
    }))

  it.live("gives its response too", () =>
    withHost(async (vps) => {
      const call = vps.instances.create({ service_id: 1 }, { idempotencyKey: "web-1" })
      const { data, response } = await call.withResponse()
      assert.strictEqual(data.id, 7)
      assert.deepInclude(response, { status: 201, requestId: "r1", attempts: 1, idempotencyKey: "web-1" })
      assert.strictEqual(response.headers["x-request-id"], "r1")
    }))

  it.live("is sent once, however often it is looked at", () =>
    withHost(async (vps, host) => {
      const call = vps.instances.get(7)
      await Promise.all([call, call.withResponse(), call, call.then((instance) => instance.id)])
      assert.strictEqual(host.seen.length, 1)
    }))

  it.live("works as a promise in all ways", () =>
    withHost(async (vps) => {
      assert.instanceOf(vps.instances.get(7), Promise)
      assert.strictEqual(await vps.instances.get(7).then(({ id }) => id + 1), 8)
      assert.strictEqual(await vps.instances.get(404).catch(() => "caught"), "caught")
      const order: Array<string> = []
      await vps.instances.get(7).finally(() => order.push("finally"))
      assert.deepStrictEqual(order, ["finally"])
      const [a, b] = await Promise.all([vps.instances.get(7), vps.instances.get(7)])
      assert.deepStrictEqual([a.id, b.id], [7, 7])
      const settled = await Promise.allSettled([vps.instances.get(404)])
      assert.strictEqual(settled[0]?.status, "rejected")
      assert.notInstanceOf(vps.instances.get(7).then(String), ApiPromise)
    }))

  it.live("that fails rejects once: looking at the response alone leaves nothing unhandled", () =>
    withHost(async (vps) => {
      process.on("unhandledRejection", note)
      const call = vps.instances.get(404)
      const error = await call.withResponse().then(() => undefined, (reason: unknown) => reason)
      assert.instanceOf(error, Sdk.NotFoundError)
      // Node reports unhandled rejections after the microtasks of this turn.
      await new Promise(setImmediate)
      assert.deepStrictEqual(unhandled, [])
    }))

  it.live("fails with the stack of its caller", () =>
    withHost(async (vps) => {
      const nameOfMine = () => vps.instances.get(404)
      const error = await nameOfMine().catch((reason: unknown) => reason)
      assert(error instanceof Sdk.NotFoundError)
      const [head, ...frames] = (error.stack ?? "").split("\n")
      assert.strictEqual(head, "NotFoundError: 404 GET /instances/404: No such instance (request id r1)")
      assert.match(frames[0] ?? "", /nameOfMine.*client\.test\.ts/)
    }))

  it.live("stops when its signal fires", () =>
    withHost(async (vps, host) => {
      const error = await vps.instances.get(7, { signal: AbortSignal.abort() }).catch((reason: unknown) => reason)
      assert.instanceOf(error, Sdk.AbortError)
      assert.strictEqual(host.seen.length, 0)
    }))
})

describe("a client", () => {
  it.live("has every call of the core", () =>
    withHost(async (vps, host) => {
      const calls: ReadonlyArray<() => Promise<unknown>> = [
        () => vps.account.root(),
        () => vps.account.whoami(),
        () => vps.services.osOptions(1),
        () => vps.instances.get(7),
        () => vps.instances.hostname(7, { hostname: "web" }),
        () => vps.instances.rdns(7, { ip: "10.0.0.7", ptr: "web" }),
        () => vps.monitoring.tasks(7, { limit: 1 }),
        () => vps.power.start(7),
        () => vps.power.stop(7),
        () => vps.power.restart(7)
      ]
      for (const call of calls) await call()
      assert.deepStrictEqual(
        (host.seen as ReadonlyArray<Record<string, string>>).map(({ method, url }) => [method, url]),
        [
          ["GET", "/api/v1/"],
          ["GET", "/api/v1/whoami"],
          ["GET", "/api/v1/services/1/os-options"],
          ["GET", "/api/v1/instances/7"],
          ["PATCH", "/api/v1/instances/7/hostname"],
          ["POST", "/api/v1/instances/7/rdns"],
          ["GET", "/api/v1/instances/7/tasks?limit=1"],
          ["POST", "/api/v1/instances/7/start"],
          ["POST", "/api/v1/instances/7/stop"],
          ["POST", "/api/v1/instances/7/restart"]
        ]
      )
      for (const list of [vps.services.list(), vps.instances.list()]) {
        assert.instanceOf(await list.catch((reason: unknown) => reason), Sdk.DecodeError)
      }
    }))

  it("is made without a word when its settings are wrong; the first call says it", async () => {
    const vps = new Sdk.Vps({ apiKey: "", baseUrl: "nonsense" })
    const error = await vps.account.whoami().catch((reason: unknown) => reason)
    assert.instanceOf(error, Sdk.ConfigurationError)
    await vps.close()
    await vps.close()
  })
})
