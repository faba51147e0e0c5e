/** Purchases of several instances in one update: the limit of their charges, and what a preview says about them. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert } from "vitest"
import { parse, stringify } from "yaml"
import { adminOf } from "../../support/command.ts"
import { startService } from "../../support/serviceProcess.ts"
import { Environment } from "../Environment.ts"
import { Proxy } from "../Proxy.ts"

const THREE = { a: { serviceId: 1 }, b: { serviceId: 1 }, c: { serviceId: 1 } }

const web = { serviceId: 1, hostname: "web.example.com" }

/** Three more, one after the other: the plan of each is known when the one before is bought. */
const CHAIN = [
  "const d = new vps.Instance(\"d\", { serviceId: 1 }, { dependsOn: [a, b, c] })",
  "const e = new vps.Instance(\"e\", { serviceId: d.id.apply(() => 1) })",
  "new vps.Instance(\"f\", { serviceId: e.id.apply(() => 1) }, { dependsOn: [d] })"
].join("\n")

/** The stack, on an emulator of its own, whose database an operator's command can change. */
const withOperator = async (
  env: Environment,
  scenario: (own: Environment, admin: ReturnType<typeof adminOf>) => Promise<void>
): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "vps-operator-"))
  const database = join(folder, "emulator.db")
  const service = await startService("--emulator", "--database", database)
  const proxy = await Proxy.start(service.origin)
  try {
    env.stack.environment({
      VPS_API_KEY: service.apiKey,
      VPS_BASE_URL: proxy.baseUrl,
      VPS_DELETION_POLICY: "forget"
    })
    const own = new Environment(env.stack, service, proxy)
    await own.control("PUT", "deploy", { mode: "after_ms", value: 100 })
    await scenario(own, adminOf(database))
    await own.settle()
    await own.run("destroy")
    env.ending = "destroyed"
  } finally {
    await proxy.close()
    await service.end()
    rmSync(folder, { recursive: true })
  }
}

export const PURCHASES = {
  "a price that rises during an update is not paid, with any maxCharge; the next preview shows it": (
    env: Environment
  ) =>
    withOperator(env, async (own, admin) => {
      const limited = { serviceId: 1, maxCharge: 100 }
      own.program({ a: limited, b: limited, c: limited })
      let purchases = 0
      own.proxy.pace(async ({ method, path }) => {
        if (method !== "POST" || path !== "/instances" || ++purchases !== 2) return
        const exported = await admin.run(["catalogue", "export", "--emulator"])
        const [plan] = (parse(exported.stdout) as { plans: ReadonlyArray<object> }).plans
        const input = stringify({ plans: [{ ...plan, price: 6.99 }] })
        assert.strictEqual((await admin.run(["catalogue", "import", "-", "--emulator"], { input })).code, 0)
      })
      assert.include(await own.fails("up", { parallel: 1 }), "the charge is 6.99 EUR now, more than the preview showed")
      assert.strictEqual(await own.charges(), 1)
      await own.counts()
      assert.include((await own.run("preview")).output, "buying VPS S charges 6.99 EUR now")
      await own.run("up")
      const paid = await Promise.all(["a", "b", "c"].map((name) => own.stored(name)))
      assert.deepStrictEqual(paid.map(({ outputs }) => outputs["chargeAmount"]).toSorted(), [4.99, 6.99, 6.99])
    }),

  "maxChargePerUpdate limits simultaneous and dependent purchases; the next update has its own limit": async (
    env: Environment
  ) => {
    env.stack.environment({ VPS_MAX_CHARGE_PER_UPDATE: "12" })
    env.program(THREE)
    const limit = env.words.setting("maxChargePerUpdate")
    const refused = `the 3 purchases planned so far cost 14.97 EUR, which exceeds ${limit}`
    assert.include(await env.fails("preview"), refused)
    assert.include(await env.fails("up"), refused)
    assert.isAtMost(await env.charges(), 2)
    await env.counts()
    await env.run("up")
    assert.strictEqual(await env.charges(), 3)
    env.program(THREE, {}, CHAIN)
    const said = await env.fails("up", { parallel: 1 })
    assert.include(said, refused)
    assert.include(said, "this update has already bought d, e for 9.98 EUR")
    assert.strictEqual(await env.charges(), 5)
    await env.counts()
    // The next update has a limit of its own; what an earlier one has bought costs nothing.
    const { output } = await env.run("up")
    assert.include(output, "f: buying VPS S charges 4.99 EUR now (billed monthly); remaining balance: 970.06 EUR")
  },

  "a preview fails where the update would, and announces purchases whose price is unknown": async (
    env: Environment
  ) => {
    const refusals: ReadonlyArray<readonly [object, string]> = [
      [
        { os: "plan-9" },
        env.showsAll ? "is not available for this plan; available: debian-12" : "body.os: not an image"
      ],
      [{ hostname: "-web" }, "body.hostname: "],
      [{ sshPublicKey: "no key" }, "body.ssh_pubkey: "],
      [{ adoptInstanceId: 99 }, "instance 99 not found in "]
    ]
    for (const [inputs, reason] of refusals) {
      env.program({ web: { ...web, ...inputs } })
      assert.include(await env.fails("preview"), reason)
    }
    const next = "const next = new vps.Instance(\"next\", { serviceId: 1 })\n"
    env.program({ web }, {}, `${next}new vps.Instance("last", { serviceId: next.id.apply(() => 1), maxCharge: 9 })`)
    const { output } = await env.run("preview")
    assert.include(output, "last: buys an instance for a charge that is not known yet, at most maxCharge (9.00)")
    await env.run("up")
    assert.strictEqual(await env.charges(), 3)
  },

  "a preview fails for an instance that another resource of the stack has": async (env: Environment) => {
    env.program({ web })
    await env.run("up")
    const front = (options: object): string =>
      `const front = new vps.Instance("front", ${JSON.stringify(web)}, ${JSON.stringify(options)})\n`
    env.program({}, {}, front({ aliases: [{ name: "web" }] }))
    await env.run("up")
    env.program({}, {}, `${front({})}new vps.Instance("web", { serviceId: 1 }, { dependsOn: [front] })`)
    assert.match(await env.fails("preview"), /instance \d+, which this name bought, is already managed by front/)
    env.program(
      {},
      {},
      `${front({})}new vps.Instance("other", { serviceId: 1, adoptInstanceId: front.id.apply(Number) })`
    )
    assert.match(await env.fails("preview"), /instance \d+ is already managed by front in this stack/)
    env.program({}, {}, front({}))
  },

  "a preview warns of an instance that another stack may have; vps:idempotencyScope buys another": async (
    env: Environment
  ) => {
    env.program({ web: { serviceId: 1 } })
    // Another backend: it knows nothing of the purchase.
    const another = env.stack.save()
    await env.run("up")
    const { id } = await env.stored()
    another()
    const { output } = await env.run("preview")
    assert.include(output, `web: already bought (instance ${id} on `)
    assert.include(output, `But if another ${env.words.stack} has it, such as a renamed or copied one`)
    const [again, scope] = [env.words.assign("generation", 2), env.words.setting("idempotencyScope")]
    assert.include(output, `${again}, or another ${scope}, to buy another one`)
    env.stack.environment({ VPS_IDEMPOTENCY_SCOPE: "another" })
    assert.include((await env.run("preview")).output, "web: buying VPS S charges 4.99 EUR now")
    await env.run("up")
    assert.notStrictEqual((await env.stored()).id, id)
    env.unmanaged = 1
  }
}
