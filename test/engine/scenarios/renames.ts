/** Resources under another name. The provider exports the stack, so only the real CLI can play these. */
import { assert } from "vitest"
import type { Environment } from "../Environment.ts"
import { cliOf, must, QUIET } from "../OnCli.ts"

const DAY = 86_400_000
const web = { serviceId: 1, hostname: "web.example.com" }

const program = (env: Environment, name: string, options = ""): void =>
  env.program({}, {}, `new vps.Instance("${name}", ${JSON.stringify(web)}, { ${options} })`)

/** The line that a message says to add. */
const aliasIn = (message: string): string => {
  const [alias = ""] = /aliases: \[\{ [^}]+ \}\]/.exec(message.replaceAll(/\s+/g, " ")) ?? []
  assert.include(alias, "name: \"web\"")
  return alias
}

export const RENAMES = {
  "a renamed instance is recognized in the preview, and with the alias that it shows nothing changes": async (
    env: Environment
  ) => {
    program(env, "web")
    await env.run("up")
    program(env, "frontend")
    const { output } = await env.run("preview")
    assert.include(output.replaceAll(/\s+/g, " "), "frontend: instance 1 has the same host name")
    program(env, "frontend", aliasIn(output))
    await env.run("up")
    assert.strictEqual((await env.stored("frontend")).id, "1")
    assert.lengthOf(await env.instances(), 1)
  },

  "an instance that was bought again under another name: the refusal says how to keep the first": async (
    env: Environment
  ) => {
    program(env, "web")
    await env.run("up")
    program(env, "frontend")
    const refusal = await env.fails("up")
    assert.include(refusal, "frontend (instance 2) has the same host name")
    const { output } = await must(env, "stack", "--show-urns", "--stack", "test")
    const [urn = ""] = /urn:\S+::frontend/.exec(output) ?? []
    await must(env, "state", "delete", urn, "--yes", "--stack", "test")
    program(env, "frontend", aliasIn(refusal.slice(refusal.indexOf("has the same host name. If web"))))
    await env.run("up")
    assert.strictEqual((await env.stored("frontend")).id, "1")
    env.unmanaged = 1
  },

  "an instance that got another name in the state is not taken by the resource of the first name": async (
    env: Environment
  ) => {
    program(env, "web")
    await env.run("up")
    const { output } = await must(env, "stack", "--show-urns", "--stack", "test")
    const [urn = ""] = /urn:\S+::web/.exec(output) ?? []
    await must(env, "state", "rename", urn, "frontend", "--yes", "--stack", "test")
    // The whole program would give the instance back; with --target the stack would have it twice.
    const refused = "is managed by frontend in the state of this stack"
    assert.include(await env.fails("up"), refused)
    const targeted = await cliOf(env).command(["up", "--target", urn, "--skip-preview", ...QUIET]).done
    assert.include(targeted.output.replaceAll(/\s+/g, " "), refused)
    program(env, "frontend")
  },

  "a new stack with the name of one that was renamed does not take its instances": async (env: Environment) => {
    program(env, "web")
    await env.run("up")
    const { id } = await env.stored()
    await must(env, "stack", "rename", "live", "--stack", "test")
    await must(env, "stack", "init", "test", "--non-interactive")
    const refused = `instance ${id}, which this name bought on `
    for (const verb of ["preview", "up"] as const) {
      const said = await env.fails(verb)
      assert.include(said, refused)
      assert.include(said, "is managed by web of stack live. Two stacks must never manage one instance")
    }
    // The renamed stack has what it had.
    const live = await cliOf(env).command(["up", "--skip-preview", "--yes", "--non-interactive", "--stack", "live"])
      .done
    assert.include(live.output, "unchanged")
    assert.strictEqual(await env.charges(), 1)
    env.stack.environment({ VPS_IDEMPOTENCY_SCOPE: "another" })
    await env.run("up")
    assert.notStrictEqual((await env.stored()).id, id)
    env.unmanaged = 1
  },

  "a member of a fleet that grows again buys with the generation in the configuration": async (
    env: Environment
  ) => {
    // Pays for one period.
    const account = await env.control("POST", "accounts", { email: "fleet@example.test", wallet: 4.99 })
    env.use(String(account["api_key"]))
    program(env, "web")
    await env.run("up")
    env.stack.environment({ VPS_DELETION_POLICY: "forget" })
    await env.run("destroy")
    await env.control("POST", "clock", { advance_ms: 32 * DAY })
    await env.control("POST", "clock", { advance_ms: 8 * DAY })
    await env.control("POST", "wallet", { account_id: account["account_id"], amount: 10 })
    const refusal = await env.fails("preview")
    const [, path = "", value = ""] = /pulumi config set --path '([^']+)' (\d+)/.exec(refusal) ?? []
    await must(env, "config", "set", "--path", path, value, "--stack", "test")
    await env.run("up")
    assert.strictEqual((await env.stored()).id, "2")
    env.deleted = 1
  }
}
