/** The Promise client. */
import { afterEach, assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ApiPromise } from "#sdk/client/promise/ApiPromise"
import * as Sdk from "#sdk/index"
import { json, startServer } from "./support/server.ts"

const withServer = <A>(use: (vps: Sdk.Vps, server: { readonly seen: ReadonlyArray<unknown> }) => Promise<A>) =>
  Effect.gen(function*() {
    const server = yield* startServer((request, response) => {
      response.setHeader("x-request-id", "r1")
      if (request.url?.endsWith("/instances/404") === true) return json(response, 404, { detail: "No such instance" })
      json(response, request.method === "POST" ? 201 : 200, { id: 7, ok: true })
    })
    return yield* Effect.promise(async () => {
      await using vps = new Sdk.Vps({ apiKey: "key-1", baseUrl: server.baseUrl })
      return await use(vps, server)
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

  it.live("resolves to its data", () =>
    withServer(async (vps) => {
      const instance = await vps.instances.get(7)
      assert.strictEqual(instance.id, 7)
    }))

  it.live("returns its response with withResponse()", () =>
    withServer(async (vps) => {
      const call = vps.instances.create({ service_id: 1 }, { idempotencyKey: "web-1" })
      const { data, response } = await call.withResponse()
      assert.strictEqual(data.id, 7)
      assert.deepInclude(response, { status: 201, requestId: "r1", attempts: 1, idempotencyKey: "web-1" })
      assert.strictEqual(response.headers["x-request-id"], "r1")
    }))

  it.live("is sent once, no matter how often it is awaited", () =>
    withServer(async (vps, server) => {
      const call = vps.instances.get(7)
      await Promise.all([call, call.withResponse(), call, call.then((instance) => instance.id)])
      assert.strictEqual(server.seen.length, 1)
    }))

  it.live("works without its receiver", () =>
    withServer(async (vps) => {
      const { get } = vps.instances
      assert.strictEqual((await get(7)).id, 7)
    }))

  it.live("works like any promise", () =>
    withServer(async (vps) => {
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

  it.live("rejects once: awaiting only the response leaves nothing unhandled", () =>
    withServer(async (vps) => {
      process.on("unhandledRejection", note)
      const call = vps.instances.get(404)
      const error = await call.withResponse().then(() => undefined, (reason: unknown) => reason)
      assert.instanceOf(error, Sdk.NotFoundError)
      // Node reports unhandled rejections after the microtasks of this turn.
      await new Promise(setImmediate)
      assert.deepStrictEqual(unhandled, [])
    }))

  it.live("fails with the stack of its caller", () =>
    withServer(async (vps) => {
      const nameOfMine = () => vps.instances.get(404)
      const error = await nameOfMine().catch((reason: unknown) => reason)
      assert(error instanceof Sdk.NotFoundError)
      const [head, ...frames] = (error.stack ?? "").split("\n")
      assert.strictEqual(head, "NotFoundError: 404 GET /instances/404: No such instance (request id r1)")
      assert.match(frames[0] ?? "", /nameOfMine.*client\.test\.ts/)
    }))

  it.live("is aborted by its signal", () =>
    withServer(async (vps, server) => {
      const error = await vps.instances.get(7, { signal: AbortSignal.abort() }).catch((reason: unknown) => reason)
      assert.instanceOf(error, Sdk.AbortError)
      assert.strictEqual(server.seen.length, 0)
    }))
})

describe("a client", () => {
  it("with invalid settings is created without an error; its first call fails", async () => {
    const vps = new Sdk.Vps({ apiKey: "", baseUrl: "nonsense" })
    const error = await vps.account.whoami().catch((reason: unknown) => reason)
    assert.instanceOf(error, Sdk.ConfigurationError)
    await vps.close()
    await vps.close()
  })
})
