/** Promises on the real OpenTofu and Terraform: saved plans, taint, workspaces, destroy. */
import { assert } from "vitest"
import { assertLike } from "../../support/like.ts"
import type { Environment, Scenario } from "../Environment.ts"
import { isPurchase, purchases } from "../Purchases.ts"
import { ATTACHED, instance, must, refused, snapshots, stackOf, write } from "../terraform/Hcl.ts"
import { ARGUMENTS } from "./terraformArguments.ts"

/** ms; longer than any wait here. */
const SLOW = 120_000

type Replacement = readonly [shown: RegExp, replace: (env: Environment) => Promise<string>]

const STAYS = /instance 1 is not replaced.*It stays, and nothing is bought or deleted/

const REPLACEMENTS: Readonly<Record<string, Replacement>> = {
  "a taint": [STAYS, async (env) => {
    await must(env, "taint", "vps_instance.web")
    return await must(env, "apply", "-auto-approve")
  }],
  // The engine drops the warnings of a plan with -replace; those of the apply are shown.
  "-replace": [STAYS, (env) => must(env, "apply", "-auto-approve", "-replace=vps_instance.web")],
  "a taint after a rename": [STAYS, async (env) => {
    write(env, instance("web").replace("\"web\"\n", "\"www\"\n") + ATTACHED)
    await must(env, "apply", "-auto-approve")
    await must(env, "taint", "vps_instance.web")
    return await must(env, "apply", "-auto-approve")
  }],
  "-replace with create_before_destroy, more than a day later": [/already bought \(instance 1 /, async (env) => {
    write(env, instance("web", "lifecycle {\n    create_before_destroy = true\n  }") + ATTACHED)
    await must(env, "apply", "-auto-approve")
    await env.control("POST", "clock", { advance_ms: 2 * 86_400_000 })
    return await must(env, "apply", "-auto-approve", "-replace=vps_instance.web")
  }],
  "-replace of a saved plan": [/ id = "1"/, async (env) => {
    const output = await must(env, "plan", "-out=saved", "-replace=vps_instance.web")
    await must(env, "apply", "saved")
    return output
  }]
}

/** The instance stays, nothing is bought or deleted, and what depends on it stays as well. */
const keeps = ([shown, replace]: Replacement): Scenario => async (env) => {
  write(env, instance("web") + ATTACHED)
  await must(env, "apply", "-auto-approve")
  const ids = async () => (await env.resources()).map(({ id, type }) => `${type} ${id}`).toSorted()
  const before = await ids()
  const changes = env.proxy.mutations().length
  assert.match(await replace(env), shown)
  assert.deepStrictEqual(await ids(), before)
  assert.deepStrictEqual(env.proxy.mutations().slice(changes), [])
}

const PROMISES: Readonly<Record<string, Scenario>> = {
  "a plan shows each charge, ten warnings at most, and the sum in minor units; no more is paid": async (env) => {
    const fleet = `resource "vps_instance" "web" {
  count = 12
  name  = "web-\${count.index}"
  plan  = "vps-s"
}
output "cents" {
  value = sum(vps_instance.web[*].charge_amount_minor)
}`
    write(env, fleet)
    const plan = await must(env, "plan")
    assert.lengthOf(plan.match(/Warning: web-\d+: buying VPS S charges 4\.99 EUR now/g) ?? [], 10)
    assert.include(plan, "More charges than those above: the plan shows each as charge_amount")
    assert.match(plan, /and one more similar warning elsewhere/)
    assert.match(plan, /cents = 5988/)
    await must(env, "apply", "-auto-approve")
    assert.strictEqual(await env.charges(), 12)
  },
  "max_charge_per_apply stops the plan and the apply of a saved one; a higher one buys": async (env) => {
    const three = ["a", "b", "c"].map((name) => instance(name)).join("")
    write(env, three, "max_charge_per_apply = 12")
    const message = /the 3 purchases planned so far cost 14\.97 EUR, which exceeds max_charge_per_apply of the provider/
    assert.match(await refused(env, "plan"), message)
    assert.match(await refused(env, "apply", "-auto-approve"), message)
    write(env, three)
    await must(env, "plan", "-out=saved")
    env.stack.environment({ VPS_MAX_CHARGE_PER_APPLY: "12" })
    assert.match(await refused(env, "apply", "saved"), /which exceeds max_charge_per_apply/)
    assert.isAtMost(await env.charges(), 2)
    env.stack.environment({ VPS_MAX_CHARGE_PER_APPLY: "15" })
    await must(env, "apply", "-auto-approve")
    assert.strictEqual(await env.charges(), 3)
  },
  "a saved plan is killed after its purchase, and applied again: the same instance, one charge": async (env) => {
    write(env, instance("web"))
    await must(env, "plan", "-out=saved")
    const held = env.proxy.hold(isPurchase)
    const running = stackOf(env).command(["apply", "-no-color", "saved"])
    await held.reached
    await held.carryOut()
    await running.kill()
    const [bought] = await env.instances()
    await must(env, "apply", "saved")
    assert.strictEqual((await env.stored()).id, String(bought?.id))
    assert.strictEqual(purchases(env), 1)
  },
  "plan -destroy refuses under the policy fail; an instance that stays keeps its snapshots": async (env) => {
    write(env, instance("web") + ATTACHED)
    await must(env, "apply", "-auto-approve")
    const { id } = await env.stored()
    const changes = env.proxy.mutations().length
    assert.match(await refused(env, "plan", "-destroy"), /cannot be destroyed: its deletion policy is "fail"/)
    await refused(env, "destroy", "-auto-approve")
    assert.deepStrictEqual(env.proxy.mutations().slice(changes), [])
    assert.lengthOf(await env.resources(), 3)
    env.stack.environment({ VPS_DELETION_POLICY: "stop" })
    assert.match(await must(env, "plan", "-destroy"), /because its deletion policy is "stop".*paid until 20/)
    await must(env, "destroy", "-auto-approve")
    assertLike(await snapshots(env, id), [{ name: "first" }])
    env.ending = "destroyed"
    env.unmanaged = 1
  },
  "a name that is known at the apply only buys once; a password is changed, and rotated": async (env) => {
    const named = instance("web").replace("\"web\"\n", "\"web-${terraform_data.suffix.id}\"\n")
    const body = `resource "terraform_data" "suffix" {}\n${named}`
    write(env, body)
    assert.match(await must(env, "apply", "-auto-approve"), /Warning: .*: buying VPS S charges 4\.99 EUR now/)
    for (const lines of ["root_password = \"second-pass-22\"", "password_rotation = \"b\""]) {
      write(env, body.replace("plan ", `${lines}\n  plan `))
      await must(env, "apply", "-auto-approve")
      assert.match(await must(env, "plan"), /No changes/)
    }
    assert.strictEqual(await env.charges(), 1)
  },
  "a snapshot with on_delete = \"delete\" is deleted": async (env) => {
    write(env, instance("web") + ATTACHED.replace("name        =", "on_delete   = \"delete\"\n  name        ="))
    await must(env, "apply", "-auto-approve")
    const { id } = await env.stored()
    write(env, instance("web"))
    await must(env, "apply", "-auto-approve")
    assert.deepStrictEqual(await snapshots(env, id), [])
  },
  "no scope, no purchase; with the workspace in it, each workspace has an instance of its own": async (env) => {
    env.stack.environment({ VPS_IDEMPOTENCY_SCOPE: "" })
    write(env, instance("web"))
    assert.match(await refused(env, "plan"), /web: no idempotency_scope is set.*shop-\$\{terraform\.workspace\}/)
    assert.strictEqual(await env.charges(), 0)
    write(env, instance("web"), "idempotency_scope = \"shop-${terraform.workspace}\"")
    await must(env, "apply", "-auto-approve")
    await must(env, "workspace", "new", "other")
    assert.include(await must(env, "plan"), "web: buying VPS S charges 4.99 EUR now")
    await must(env, "apply", "-auto-approve")
    assert.strictEqual(await env.charges(), 2)
    assert.lengthOf(await env.instances(), 2)
    await must(env, "workspace", "select", "default")
    env.unmanaged = 1
  },
  "a new generation replaces what is attached, and says so in the plan": async (env) => {
    write(env, instance("web", "deletion_policy = \"forget\"") + ATTACHED)
    await must(env, "apply", "-auto-approve")
    const { id } = await env.stored()
    write(env, instance("web", "deletion_policy = \"forget\"\n  generation = 2") + ATTACHED)
    assert.include(await must(env, "plan"), "3 to add, 0 to change, 3 to destroy")
    await must(env, "apply", "-auto-approve")
    const now = (await env.stored()).id
    assert.notStrictEqual(now, id)
    assertLike(await snapshots(env, id), [{ name: "first" }])
    assertLike(await snapshots(env, now), [{ name: "first" }])
    env.unmanaged = 1
  },
  "a moved block gives the instance another address, and changes nothing": async (env) => {
    write(env, instance("web"))
    await must(env, "apply", "-auto-approve")
    const changes = env.proxy.mutations().length
    const moved = "moved {\n  from = vps_instance.web\n  to   = vps_instance.www\n}"
    write(env, instance("web").replace("\"vps_instance\" \"web\"", "\"vps_instance\" \"www\"") + moved)
    assert.include(await must(env, "apply", "-auto-approve"), "0 added, 0 changed, 0 destroyed")
    assert.deepStrictEqual(env.proxy.mutations().slice(changes), [])
  },
  "Ctrl-C during a wait: the id is in the state, and the next apply continues": async (env) => {
    await env.control("PUT", "deploy", { mode: "after_ms", value: SLOW })
    write(env, instance("web"))
    const held = env.proxy.hold(({ method, path }) => method === "GET" && /^\/instances\/\d+$/.test(path))
    const running = stackOf(env).command(["apply", "-auto-approve", "-no-color"])
    await held.reached
    running.interrupt()
    await held.carryOut()
    held.answer()
    const { code, output } = await running.done
    assert.notStrictEqual(code, 0)
    assert.include(output.replaceAll(/\s+/g, " "), "It is paid for and will not be charged again")
    assert.strictEqual((await env.stored()).id, String((await env.instances())[0]?.id))
    await env.control("POST", "clock", { advance_ms: SLOW })
    await must(env, "apply", "-auto-approve")
    assert.strictEqual(purchases(env), 1)
  },
  "a create that times out keeps its instance; the next apply waits again": async (env) => {
    await env.control("PUT", "deploy", { mode: "after_ms", value: SLOW })
    write(env, instance("web", "timeouts = { create = \"1s\" }") + ATTACHED)
    assert.match(
      await refused(env, "apply", "-auto-approve"),
      /created but is not ready yet: timed out after (1s|9\d\dms)/
    )
    await env.control("POST", "clock", { advance_ms: SLOW })
    assert.match(await must(env, "apply", "-auto-approve"), STAYS)
    assertLike((await env.stored()).outputs, { status: "running" })
    assert.strictEqual(purchases(env), 1)
  }
}

export const ON_REAL_ENGINES: Readonly<Record<string, Scenario>> = {
  ...PROMISES,
  ...ARGUMENTS,
  ...Object.fromEntries(
    Object.entries(REPLACEMENTS).map((
      [name, replace]
    ) => [`${name} keeps the instance and what is attached`, keeps(replace)])
  )
}
