/** The promises of the provider for OpenTofu and Terraform, on the engine of this folder and a real emulator. */
import { afterAll, assert, beforeEach, describe, it } from "vitest"
import { UNKNOWN } from "#provider/definition/Properties"
import type { State } from "#provider/terraform-host/Schema"
import { type RunningEmulator, startEmulator } from "#sdk/testing/index"
import { assertFollows, Engine, type Stored } from "./Engine.ts"

const WEB = { name: "web", plan: "vps-s", hostname: "web.example.com" }

describe("vps_instance", () => {
  let emulator: RunningEmulator | undefined
  const service = async (): Promise<RunningEmulator> =>
    emulator ??= await startEmulator({ seed: { wallet: 100, deploy: { mode: "instant" } } })
  beforeEach(async () => (await service()).reset())
  afterAll(async () => emulator?.stop())

  const start = async (settings: State = {}, type?: string, environment?: Record<string, string>) => {
    const { apiKey, url } = await service()
    return await Engine.start(
      { api_key: apiKey, base_url: url, idempotency_scope: "shop", ...settings },
      type,
      environment
    )
  }
  const balance = async (): Promise<number> => (await (await service()).wallet.statement()).balance

  /** A whole command: refresh, plan, and in another process plan and apply. */
  const up = async (config: State, before?: Stored, unknown: State = {}) => {
    const first = await start()
    const refreshed = before === undefined ? undefined : await first.refresh(before)
    const { planned } = await first.plan(refreshed, { ...config, ...unknown })
    const engine = await start()
    if (refreshed !== undefined) await engine.refresh(refreshed)
    const last = await engine.plan(refreshed, config)
    assertFollows("final plan", planned ?? {}, last.planned)
    const stored = await engine.apply(refreshed, config, last)
    return { stored, engine, first }
  }

  it("shows the charge in the plan, buys once, and plans nothing after it", async () => {
    const engine = await start()
    const { planned } = await engine.plan(undefined, WEB)
    assert.deepInclude(planned, { charge_amount: "4.99", charge_amount_minor: 499, currency: "EUR", id: UNKNOWN })
    assert.include(engine.lines[0], "warning web: buying VPS S charges 4.99 EUR now")
    const { stored } = await up(WEB)
    assert.deepInclude(stored?.state, { id: "1", name: "web", charge_amount_minor: 499, service_id: 1 })
    assert.strictEqual(await balance(), 95.01)
    const again = await start()
    const { planned: second } = await again.plan(await again.refresh(stored!), WEB)
    assert.deepStrictEqual(second, (await again.refresh(stored!))?.state)
    assert.deepStrictEqual(again.lines, [])
  })
  it("continues with the purchase after a lost state, with one charge and the plan's known values", async () => {
    await up(WEB)
    const engine = await start()
    const { planned } = await engine.plan(undefined, WEB)
    assert.deepInclude(planned, { id: "1", charge_amount: "4.99", currency: "EUR" })
    const stored = await engine.apply(undefined, WEB, await (await start()).plan(undefined, WEB))
    assert.strictEqual(stored?.state["id"], "1")
    assert.strictEqual(await balance(), 95.01)
  })
  it("a name is bought once, at any time: two days later, too", async () => {
    await up(WEB)
    await (await service()).clock.advance("2 days")
    const { stored } = await up(WEB)
    assert.strictEqual(stored?.state["id"], "1")
    assert.strictEqual(await balance(), 95.01)
  })
  it("a taint keeps the instance: the same id in the plan, nothing bought, nothing deleted", async () => {
    const { stored } = await up(WEB)
    const tainted = { ...stored!, isTainted: true }
    const engine = await start()
    await engine.refresh(tainted)
    const plan = await engine.plan(tainted, WEB)
    assert.strictEqual(plan.planned?.["id"], "1")
    assert.include(engine.lines.join("\n"), "web: instance 1 is not replaced")
    assert.isNull(await engine.destroy(stored!, plan.private))
    const after = await engine.apply(undefined, WEB, plan)
    assert.deepInclude(after?.state, { id: "1", status: "running" })
    assert.strictEqual(await balance(), 95.01)
  })
  it("a replacement by request keeps it, too, after a rename in between", async () => {
    const { stored } = await up(WEB)
    const renamed = { ...WEB, name: "www" }
    const { stored: second } = await up(renamed, stored)
    const engine = await start()
    const refreshed = (await engine.refresh(second!))!
    const plan = await engine.replace(await engine.plan(refreshed, renamed), renamed)
    assert.deepStrictEqual(engine.errors, [])
    assert.strictEqual(plan.planned?.["id"], "1")
    assert.strictEqual((await engine.apply(undefined, renamed, plan))?.state["id"], "1")
    assert.strictEqual(await balance(), 95.01)
  })
  it("a new generation replaces it only if the old instance may go", async () => {
    const { stored } = await up(WEB)
    const engine = await start()
    await engine.plan(await engine.refresh(stored!), { ...WEB, generation: 2 })
    assert.include(engine.errors[0], "which the deletion policy \"fail\" forbids")
    assert.strictEqual(await balance(), 95.01)
  })
  it("with the policy stop, a new generation buys another instance, and powers off the old one", async () => {
    const { stored } = await up(WEB)
    const next = { ...WEB, generation: 2, deletion_policy: "stop" }
    const planning = await start()
    const plan = await planning.plan(await planning.refresh(stored!), next)
    assert.deepStrictEqual([plan.replaces, planning.errors], [true, []])
    const engine = await start()
    // The engine deletes the old one first, with the state's policy, which is fail.
    assert.isNull(await engine.destroy(stored!, plan.private))
    const { state } = (await engine.apply(stored, next, plan))!
    assert.strictEqual(state["id"], "2")
    const { instances } = (await service()).client()
    assert.deepStrictEqual([(await instances.get(1)).status, (await instances.get(2)).status], ["stopped", "running"])
  })
  it("a changed plan, host name and system are shown, and made in place in one power cycle", async () => {
    const { stored } = await up({ ...WEB, os: "debian-12" })
    const next = { ...WEB, plan: "vps-m", hostname: "www.example.com", os: "debian-13", allow_data_loss: true }
    const planning = await start()
    const { planned, replaces } = await planning.plan(await planning.refresh(stored!), next)
    assert.isFalse(replaces)
    assert.deepInclude(planned, { id: "1", plan: "vps-m", hostname: "www.example.com", os: "debian-13" })
    assert.include(
      planning.lines.join("\n"),
      "power off, resize to plan 2, reinstall with debian-13, set the host name"
    )
    const { engine, stored: changed } = await up(next, stored)
    assert.deepStrictEqual(engine.errors, [])
    assert.deepInclude(changed?.state, { id: "1", service_id: 2, hostname: "www.example.com", os: "debian-13" })
    const { order, status } = await (await service()).client().instances.get(1)
    assert.deepStrictEqual([order.service.slug, status], ["vps-m", "running"])
  })
  it.each([["stop", "stopped"], ["forget", "running"]])(
    "the policy %s: the plan says it, and the instance is %s",
    async (
      policy,
      status
    ) => {
      const { stored } = await up({ ...WEB, deletion_policy: policy })
      const engine = await start()
      const bytes = await engine.planDestroy(stored!)
      assert.include(engine.lines[0], `because its deletion policy is "${policy}"`)
      assert.isNull(await (await start()).destroy(stored!, bytes))
      assert.strictEqual((await (await service()).client().instances.get(1)).status, status)
    }
  )
  it("the plan of a destroy fails under the policy fail", async () => {
    const { stored } = await up(WEB)
    const engine = await start()
    await engine.planDestroy(stored!)
    assert.match(engine.errors[0] ?? "", /web: instance 1 cannot be destroyed[\s\S]*deletion_policy of the provider/)
  })
  it("an import has a name, and its configuration plans no purchase", async () => {
    await (await service()).client().instances.createAndWait({ service_id: 1, hostname: "old.example.com" }, {
      idempotencyKey: "elsewhere"
    })
    const engine = await start()
    const stored = await engine.import("1")
    assert.deepInclude(stored?.state, { id: "1", name: "old.example.com", plan: "vps-s", service_id: 1 })
    const config = { name: "old.example.com", plan: "vps-s", service_id: 1, hostname: "old.example.com" }
    const { planned } = await engine.plan(await engine.refresh(stored!), config)
    assert.deepStrictEqual(engine.errors, [])
    assert.strictEqual(planned?.["id"], "1")
    // It was not bought under this name: a replacement must not buy another one.
    const { plan: _, ...named } = config
    const again = await start()
    const refreshed = (await again.refresh(stored!))!
    const plan = await again.plan({ ...refreshed, isTainted: true }, named)
    assert.deepStrictEqual(again.errors, [])
    assert.strictEqual(plan.planned?.["id"], "1")
    assert.strictEqual((await again.apply(undefined, named, plan))?.state["id"], "1")
    assert.lengthOf(await (await service()).client().instances.list(), 1)
  })

  const PASSWORD = { ...WEB, root_password: "initial-pass-1", password_rotation: "a" }
  const OTHER_SYSTEM = { os: "ubuntu-24.04", allow_data_loss: true }
  it.each<[string, State, boolean]>([
    ["the password is changed: the old one holds until a reinstall", { root_password: "second-pass-22" }, true],
    ["the password is rotated", { password_rotation: "b" }, true],
    ["both", { root_password: "second-pass-22", password_rotation: "b" }, true],
    ["it is changed with a reinstall", { root_password: "second-pass-22", ...OTHER_SYSTEM }, false],
    ["it is rotated with a reinstall", { password_rotation: "b", ...OTHER_SYSTEM }, true],
    ["both, with a reinstall", { root_password: "second-pass-22", password_rotation: "b", ...OTHER_SYSTEM }, true],
    ["it is removed", { root_password: null }, true]
  ])("shows after the apply what the plan allows when %s", async (_, change, isShown) => {
    const { stored } = await up(PASSWORD)
    assert.isNull(stored?.state["current_root_password"])
    const { engine, stored: changed } = await up({ ...PASSWORD, ...change }, stored)
    assert.deepStrictEqual(engine.errors, [])
    const shown = changed?.state["current_root_password"] ?? null
    assert.strictEqual(shown !== null && shown !== changed?.state["root_password"], isShown)
    const again = await start()
    const refreshed = (await again.refresh(changed!))!
    const { planned } = await again.plan(refreshed, { ...PASSWORD, ...change })
    assert.deepStrictEqual(planned, refreshed.state, "the next plan is empty")
  })

  describe("with a name that is known at the apply only", () => {
    it.each<[string, State]>([["name", { name: UNKNOWN }], ["generation", { generation: UNKNOWN }]])(
      "buys once, and the plan shows the charge: %s",
      async (_, unknown) => {
        const config = { ...WEB, generation: 1 }
        const { first, stored } = await up(config, undefined, unknown)
        assert.match(first.lines[0] ?? "", /^warning .*: buying VPS S charges 4\.99 EUR now/)
        assert.strictEqual(stored?.state["id"], "1")
        assert.strictEqual(await balance(), 95.01)
        // After a lost state, the purchase is continued.
        const { stored: again } = await up(config, undefined, unknown)
        assert.strictEqual(again?.state["id"], "1")
        assert.strictEqual(await balance(), 95.01)
      }
    )
    it("counts each instance towards the ceiling", async () => {
      const engine = await start({ max_charge_per_apply: 12 })
      for (const hostname of ["a", "b", "c"]) await engine.plan(undefined, { ...WEB, name: UNKNOWN, hostname })
      assert.lengthOf(engine.errors, 1)
      assert.match(engine.errors[0]!, /the 3 purchases planned so far cost 14\.97 EUR/)
    })
    it("keeps an instance that gets such a name", async () => {
      const { stored } = await up(WEB)
      const engine = await start()
      for (const one of [1, 2]) {
        const { planned } = await engine.plan(await engine.refresh(stored!), { ...WEB, name: UNKNOWN })
        assert.strictEqual(planned?.["id"], "1", String(one))
      }
      assert.deepStrictEqual(engine.errors, [])
      const { stored: renamed } = await up({ ...WEB, name: "www" }, stored, { name: UNKNOWN })
      assert.deepInclude(renamed?.state, { id: "1", name: "www" })
      assert.strictEqual(await balance(), 95.01)
    })
  })

  it("the plan says when an instance gets the name of another one that is still there", async () => {
    const { stored: b } = await up({ ...WEB, name: "b" })
    await up({ ...WEB, name: "c", hostname: "c.example.com" })
    const engine = await start()
    await engine.plan(await engine.refresh(b!), { ...WEB, name: "c" })
    assert.match(
      engine.lines.join("\n"),
      /^warning c: instance 1, bought as b, takes the name .* instance, 2, which is/m
    )
    const other = await start()
    await other.plan(await other.refresh(b!), { ...WEB, name: "d" })
    assert.deepStrictEqual(other.lines.filter((line) => line.includes("takes the name")), [])
  })

  describe("refuses in the plan", () => {
    it.each<[string, State, State, RegExp]>([
      ["a purchase without a scope", { idempotency_scope: null }, WEB, /^error web: no idempotency_scope is set/],
      ["an unknown plan", {}, { ...WEB, plan: "vps-x" }, /^error at plan web: there is no plan "vps-x"/],
      ["a charge over the ceiling", { max_charge_per_apply: 4 }, WEB, /exceeds max_charge_per_apply of the provider/],
      [
        "a charge over its own limit",
        {},
        { ...WEB, max_charge: 1 },
        /^error at max_charge web: .* exceeds max_charge 1/
      ],
      ["an empty host name", {}, { ...WEB, hostname: "" }, /^error at hostname web: hostname must have 1 to 253/]
    ])("%s", async (_, settings, config, message) => {
      const engine = await start(settings)
      await engine.plan(undefined, config)
      assert.match(engine.errors[0] ?? "", message)
      assert.strictEqual(await balance(), 100)
    })
    it("two resources with one name", async () => {
      const engine = await start()
      await engine.plan(undefined, WEB)
      await engine.plan(undefined, WEB)
      assert.include(engine.errors[0], "web: another vps_instance has this name")
    })
    it("a key that is not known before the apply", async () => {
      for (
        const [environment, advice] of [
          [{}, /or remove api_key from the provider block, and set VPS_API_KEY$/],
          [
            { VPS_API_KEY: "vps_live_x" },
            /or remove api_key from the provider block: VPS_API_KEY is set, and then holds$/
          ]
        ] as const
      ) {
        const engine = await start({ api_key: UNKNOWN }, undefined, environment)
        assert.match(engine.errors[0] ?? "", /^error at api_key api_key of the provider is not known before the apply/)
        assert.match(engine.errors[0] ?? "", advice)
      }
    })
  })
})
