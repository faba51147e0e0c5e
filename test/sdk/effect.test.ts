/** The Effect client against the real service: every call, each response checked against the contract. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { operations } from "../support/operations.ts"
import { type AttemptEvent, Vps, type VpsOptions } from "#sdk/effect"
import { type ServiceProcess, startService } from "../support/serviceProcess.ts"

/** Each test waits for a dozen tasks, a second or so each. */
const TIMEOUT_MS = 60_000
const KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl me"

describe("@pulumi-vps/sdk/effect", () => {
  let service: ServiceProcess
  const sent = new Set<string>()
  const note = ({ method, path }: AttemptEvent) => {
    sent.add(`${method} ${path.replace(/\/\d+/g, "/:id")}`)
  }

  const live = (options: VpsOptions = {}) =>
    Vps.layer({
      apiKey: Redacted.make(service.apiKey),
      baseUrl: service.url,
      decode: "strict",
      hooks: { beforeRequest: note },
      ...options
    })
  const against = <A, E>(use: (vps: Vps["Service"]) => Effect.Effect<A, E>) =>
    Effect.suspend(() => Effect.provide(Effect.flatMap(Vps, use), live()))

  beforeAll(async () => {
    service = await startService("--emulator")
    const deploy = { method: "PUT", headers: { "content-type": "application/json" }, body: "{\"mode\":\"instant\"}" }
    assert.isTrue((await fetch(`${service.origin}/_emulator/deploy`, deploy)).ok)
  })
  afterAll(() => service.end())

  it.live("reads the service, the key and the plans", () =>
    against((vps) =>
      Effect.gen(function*() {
        assert.strictEqual((yield* vps.account.root()).version, "1.0.0")
        assert.strictEqual((yield* vps.account.whoami()).account_id, 1)
        const [plan] = yield* vps.services.list()
        assert.strictEqual(plan?.slug, "vps-s")
        assert.isNotEmpty((yield* vps.services.osOptions(1)).os_options ?? [])
      })
    ))

  it.live(
    "buys and changes an instance, and waits for each change",
    () =>
      against((vps) =>
        Effect.gen(function*() {
          assert.isTrue((yield* vps.instances.dryRun({ service_id: 1 })).would_create)
          const { id, ipv4 } = yield* vps.instances.createAndWait({ service_id: 1 }, { idempotencyKey: "web-1" })
          yield* vps.instances.hostname(id, { hostname: "web.example.com" })
          yield* vps.instances.waitUntilIdle(id)
          yield* vps.instances.rdns(id, { ip: ipv4 ?? "", ptr: "web.example.com" })
          yield* vps.instances.waitUntilIdle(id)
          yield* vps.power.stop(id)
          assert.strictEqual((yield* vps.instances.waitUntilIdle(id)).power, "off")
          yield* vps.power.start(id)
          yield* vps.instances.waitUntil(id, ({ status }) => status === "running")
          yield* vps.instances.waitUntilIdle(id)
          yield* vps.power.restart(id)
          yield* vps.instances.waitUntilIdle(id)
          const [plan] = yield* vps.monitoring.availablePlans(id)
          yield* vps.instances.resize(id, { service_id: plan!.id })
          yield* vps.instances.waitUntilIdle(id)
          assert.strictEqual((yield* vps.instances.get(id)).order.service.id, plan!.id)
          assert.isTrue((yield* vps.instances.resetPassword(id)).show_once)
          yield* vps.instances.reinstall(id, { os: "debian-12", ssh_pubkey: KEY })
          assert.strictEqual((yield* vps.instances.waitUntilIdle(id)).status, "running")
        })
      ),
    TIMEOUT_MS
  )

  it.live(
    "manages snapshots, backups and ISOs, and boots the rescue system",
    () =>
      against((vps) =>
        Effect.gen(function*() {
          const { id } = yield* vps.instances.createAndWait({ service_id: 1 })
          const { snapshot } = yield* vps.snapshots.create(id, { name: "before" })
          yield* vps.instances.waitUntilIdle(id)
          assert.strictEqual((yield* vps.snapshots.list(id))[0]?.status, "available")
          yield* vps.snapshots.restore(id, snapshot.id)
          yield* vps.instances.waitUntilIdle(id)
          yield* vps.snapshots.delete(id, snapshot.id)
          yield* vps.instances.waitUntilIdle(id)
          assert.deepStrictEqual(yield* vps.backups.list(id), [])
          const none = yield* Effect.flip(vps.backups.restore(id, 1))
          assert.strictEqual(none._tag, "NotFoundError")
          const [iso] = yield* vps.isos.list(id)
          yield* vps.isos.mount(id, { iso_id: iso!.id })
          yield* vps.instances.waitUntilIdle(id)
          yield* vps.isos.unmount(id)
          yield* vps.instances.waitUntilIdle(id)
          assert.strictEqual((yield* vps.rescue.enterAndWait(id)).status, "rescue")
          assert.strictEqual((yield* vps.rescue.exitAndWait(id)).status, "running")
          yield* vps.monitoring.metrics(id, { range: "6h" })
          assert.strictEqual((yield* vps.monitoring.status(id)).instance_id, id)
          const types = yield* Stream.runCollect(Stream.map(vps.tasks.iterate(id, { pageSize: 3 }), ({ type }) => type))
          assert.deepStrictEqual(types.slice(0, 2), ["rescue_exit", "rescue_enter"])
          assert.include(types, "provision")
          assert.include((yield* vps.instances.list()).map((one) => one.id), id)
        })
      ),
    TIMEOUT_MS
  )

  it("has sent every operation by now", () => {
    const all = Object.values(operations).map(({ method, path }) => `${method} ${path.replace(/:\w+/g, ":id")}`)
    assert.sameMembers([...sent], [...new Set(all)])
  })

  it.live("returns the response with withResponse", () =>
    against((vps) =>
      Effect.gen(function*() {
        const { data, response } = yield* vps.withResponse.instances.create({ service_id: 1 }, { idempotencyKey: "a" })
        assert.deepInclude(response, { status: 201, attempts: 1, idempotencyKey: "a" })
        const again = yield* vps.withResponse.instances.create({ service_id: 1 }, { idempotencyKey: "a" })
        assert.deepStrictEqual([again.data.id, again.response.headers["idempotent-replayed"]], [data.id, "true"])
      })
    ))

  it.live("reads key and URL from the program's configuration", () =>
    Effect.gen(function*() {
      const env = { VPS_API_KEY: service.apiKey, VPS_BASE_URL: service.url }
      const provider = ConfigProvider.layer(ConfigProvider.fromUnknown(env))
      const whoami = Effect.flatMap(Vps, (vps) => vps.account.whoami())
      const { account_id } = yield* Effect.provide(whoami, Layer.provide(Vps.layerConfig(), provider))
      assert.strictEqual(account_id, 1)
      const empty = ConfigProvider.layer(ConfigProvider.fromUnknown({}))
      const error = yield* Effect.flip(Effect.provide(whoami, Layer.provide(Vps.layerConfig(), empty)))
      assert.strictEqual(error._tag, "ConfigError")
      assert.include(String(error), "VPS_API_KEY")
    }))

  it.live("is closed with its layer", () =>
    Effect.gen(function*() {
      const vps = yield* Effect.provide(Vps, live())
      const error = yield* Effect.flip(vps.account.whoami())
      assert.deepStrictEqual([error._tag, error.message], ["ConfigurationError", "The client is closed"])
    }))
})
