/** Features of the plugin alone, on the real CLI: import, two accounts, Ctrl-C, a move from the dynamic provider. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert } from "vitest"
import { parse, stringify } from "yaml"
import { cliOf, imported, must } from "../engine/OnCli.ts"
import { killedUp, purchases } from "../engine/Purchases.ts"
import type { Scenario } from "../engine/Environment.ts"
import { dynamic, testScenariosByFile, testScenariosOnPulumi } from "../engine/scenarioTests.ts"
import { type Environment, PASSWORD } from "../engine/Environment.ts"
import { assertLike } from "../support/like.ts"
import { until } from "../support/until.ts"

/** ms; longer than any wait here. */
const SLOW = 120_000

const PLUGIN = "import * as vps from \"pulumi-vps/pulumi\""
const DYNAMIC = "import * as vps from \"pulumi-vps/provider\""
const WEB =
  `const web = new vps.Instance("web", { serviceId: 1, hostname: "web.example.com", rootPassword: "${PASSWORD}" })`
const RECORD = "new vps.ReverseDns(\"web\", { instanceId: web.id, ip: web.ipv4, ptr: \"web.example.com\" })"

const program = (env: Environment, ...lines: ReadonlyArray<string>): void => env.stack.program(lines.join("\n"))

/** Nothing to create, change, import or delete. */
const unchanged = async (env: Environment): Promise<void> => {
  const preview = await env.run("preview")
  assert.match(preview.output, /Resources:\n {4}\d+ unchanged/)
}

/** Makes the project one in YAML, whose language host is built with the engine. */
const inYaml = (env: Environment, resources: object = {}): void => {
  const file = join(cliOf(env).folder, "Pulumi.yaml")
  const { name, plugins } = parse(readFileSync(file, "utf8")) as { readonly name: string; readonly plugins: object }
  writeFileSync(file, stringify({ name, runtime: "yaml", plugins, resources }))
}

/** Imports an Instance, a Snapshot and a ReverseDns that were made elsewhere; returns the code of each. */
const importAll = async (env: Environment): Promise<ReadonlyArray<string>> => {
  const { id } = await env.ask<{ id: number }>("POST", "/instances", { service_id: 1, hostname: "web.example.com" })
  await until(() => env.instances(), ([instance]) => instance?.status === "running", { millis: 20_000 })
  await env.ask("POST", `/instances/${id}/snapshots`, { name: "first" })
  const snapshots = () =>
    env.ask<ReadonlyArray<{ readonly id: number; readonly status: string }>>("GET", `/instances/${id}/snapshots`)
  await until(snapshots, ([snapshot]) => snapshot?.status === "available", { millis: 20_000 })
  const [instance] = await env.instances()
  const [snapshot] = await snapshots()
  return [
    await imported(env, "vps:index:Instance", "web", `${id}`),
    await imported(env, "vps:index:Snapshot", "first", `${id}/${snapshot?.id}`),
    await imported(env, "vps:index:ReverseDns", "record", `${id}/${instance?.ipv4}/web.example.com`)
  ]
}

/** The program says what was imported: nothing changes. */
const settled = async (env: Environment): Promise<void> => {
  const before = env.proxy.mutations().length
  await unchanged(env)
  await env.run("up")
  await unchanged(env)
  assert.deepStrictEqual(env.proxy.mutations().slice(before), [])
}

const BY_FILE: Record<string, Scenario> = {
  "imports of an Instance, a Snapshot and a ReverseDns write code that then shows no change": async (env) => {
    program(env, PLUGIN)
    program(env, PLUGIN, ...await importAll(env))
    await settled(env)
  }
}

const SCENARIOS: Record<string, Scenario> = {
  "imports of an Instance, a Snapshot and a ReverseDns write YAML that then shows no change": async (env) => {
    inYaml(env)
    const codes = await importAll(env)
    inYaml(env, Object.assign({}, ...codes.map((code) => (parse(code) as { readonly resources: object }).resources)))
    await settled(env)
  },

  "an instance that the stack manages is not imported under a second name, by the command or by the option": async (
    env
  ) => {
    program(env, PLUGIN, WEB)
    await env.run("up")
    const { id } = await env.stored()
    const command = ["import", "vps:index:Instance", "www", id, "--yes", "--non-interactive", "--stack", "test"]
    const file = join(cliOf(env).folder, "Pulumi.yaml")
    const project = readFileSync(file, "utf8")
    inYaml(env)
    const { code, output } = await cliOf(env).command(command).done
    writeFileSync(file, project)
    assert.notStrictEqual(code, 0)
    assert.include(
      output.replaceAll(/\s+/g, " "),
      `www: instance ${id} is already managed by web in this stack, and was not imported`
    )
    program(env, PLUGIN, WEB, `new vps.Instance("www", { serviceId: 1 }, { import: "${id}" })`)
    assert.include(await env.fails("preview"), `instance ${id} is already managed by`)
    program(env, PLUGIN, WEB)
  },

  "two providers with two keys: each account has its own server, and neither key is stored or printed": async (
    env
  ) => {
    const other = await env.control("POST", "accounts", { email: "other@example.test", wallet: 100 })
    const [mine, theirs] = [env.service.apiKey, String(other["api_key"])]
    env.secrets.push(theirs)
    await env.stack.configure("mine", mine, "secret")
    await env.stack.configure("theirs", theirs, "secret")
    program(
      env,
      PLUGIN,
      "import { Config } from \"@pulumi/pulumi\"",
      "const config = new Config(\"vps\")",
      "const one = new vps.Provider(\"mine\", { apiKey: config.requireSecret(\"mine\") })",
      // It is stored as a secret however it is marked here.
      "const two = new vps.Provider(\"theirs\", { apiKey: config.require(\"theirs\") })",
      "new vps.Instance(\"a\", { serviceId: 1, hostname: \"a.example.com\" }, { provider: one })",
      "new vps.Instance(\"b\", { serviceId: 1, hostname: \"b.example.com\" }, { provider: two })"
    )
    await env.run("up")
    await env.run("refresh")
    const held = (await env.resources()).map(({ outputs, urn }) => [urn.split("::").at(-1), outputs["userId"]])
    const whoami = await env.ask<{ account_id: number }>("GET", "/whoami")
    assert.deepStrictEqual(Object.fromEntries(held), { a: whoami.account_id, b: other["account_id"] })
    env.use(theirs)
    assert.deepStrictEqual((await env.instances()).map(({ user_id: user }) => user), [other["account_id"]])
    env.stack.environment({ VPS_API_KEY: mine })
    assert.notInclude(env.stack.stored(), theirs)
    // One of the two servers, and its charge, is not this account's to see.
    env.unmanaged = -1
    env.deleted = 1
  },

  "an instance that moves to the provider of another account is refused in the preview": async (env) => {
    const other = await env.control("POST", "accounts", { email: "other@example.test", wallet: 100 })
    const theirs = String(other["api_key"])
    env.secrets.push(theirs)
    const site = (options: string): void =>
      program(
        env,
        PLUGIN,
        "import { Config } from \"@pulumi/pulumi\"",
        "const theirs = new vps.Provider(\"theirs\", { apiKey: new Config(\"other\").requireSecret(\"key\") })",
        `new vps.Instance("web", { serviceId: 1, hostname: "web.example.com" }, ${options})`
      )
    await must(env, "config", "set", "--secret", "other:key", theirs, "--stack", "test")
    site("{}")
    await env.run("up")
    site("{ provider: theirs }")
    assert.match(
      await env.fails("preview"),
      /of the provider theirs belong to account \d+, but .* Set apiKey of the provider theirs to a key of account/
    )
    site("{}")
  },

  "the account of a provider is compared before its resources: another one fails the preview": async (env) => {
    const other = await env.control("POST", "accounts", { email: "other@example.test", wallet: 100 })
    env.secrets.push(String(other["api_key"]))
    const useKey = (key: unknown) => must(env, "config", "set", "--secret", "shop:key", String(key), "--stack", "test")
    program(
      env,
      PLUGIN,
      "import { Config } from \"@pulumi/pulumi\"",
      "const provider = new vps.Provider(\"shop\", { apiKey: new Config(\"shop\").requireSecret(\"key\") })",
      "for (const name of [\"a\", \"b\"]) new vps.Instance(name, { serviceId: 1 }, { provider })"
    )
    await useKey(env.key)
    await env.run("up")
    const before = env.proxy.seen.length
    await useKey(other["api_key"])
    const refused = await env.fails("preview")
    assert.match(refused, /resources of the provider shop belong to account 1, but the API key belongs to account \d+/)
    assert.notInclude(refused, "instance 1")
    assert.deepStrictEqual(env.proxy.seen.slice(before).map(({ path }) => path), ["/whoami"])
    await useKey((await env.control("POST", "keys", { scopes: ["vps:write"] }))["api_key"])
    await env.run("preview")
    await useKey(env.key)
  },

  "a key of the environment is in no log, even a verbose one": async (env) => {
    program(env, PLUGIN, WEB, RECORD)
    const up = ["up", "--yes", "--skip-preview", "--non-interactive", "--stack", "test"]
    const { output } = await must(env, ...up, "-v=11", "--logtostderr", "--logflow")
    // The engine logs the inputs of resources at this verbosity only.
    assert.include(output, "web.example.com")
    assert.notInclude(output, env.service.apiKey)
    await env.run("refresh")
  },

  "Ctrl-C during a wait: the ID is in the state, and the next up continues": async (env) => {
    await env.control("PUT", "deploy", { mode: "after_ms", value: SLOW })
    program(env, PLUGIN, WEB, RECORD)
    const held = env.proxy.hold(({ method, path }) => method === "GET" && /^\/instances\/\d+$/.test(path))
    const running = cliOf(env).command(["up", "--yes", "--skip-preview", "--non-interactive", "--stack", "test"])
    await held.reached
    running.interrupt()
    await held.carryOut()
    held.answer()
    const { code, output } = await running.done
    assert.notStrictEqual(code, 0)
    assert.include(output.replaceAll(/\s+/g, " "), "the run was canceled. It is paid for and will not be charged again")
    const [stored] = await env.resources()
    assertLike(stored, { type: "vps:index:Instance", id: String((await env.instances())[0]?.id) })
    await env.control("POST", "clock", { advance_ms: SLOW })
    await env.run("up")
    assert.strictEqual(purchases(env), 1)
  },

  "moving from the dynamic provider is a change of one import: nothing is bought, nothing changes": async (env) => {
    program(env, DYNAMIC, WEB, RECORD)
    await env.run("up")
    const before = env.proxy.mutations().length
    program(env, PLUGIN, WEB, RECORD)
    await unchanged(env)
    await env.run("up")
    await env.run("refresh")
    await unchanged(env)
    assert.deepStrictEqual(env.proxy.mutations().slice(before), [])
    assert.deepStrictEqual((await env.resources()).map(({ type }) => type).toSorted(), [
      "vps:index:Instance",
      "vps:index:ReverseDns"
    ])
  },

  "moving while a purchase is pending, in a component too: the plugin takes the server that was bought": async (
    env
  ) => {
    const site = [
      "import { ComponentResource } from \"@pulumi/pulumi\"",
      "const site = new ComponentResource(\"my:web:Site\", \"site\")",
      "const web = new vps.Instance(\"web\", { serviceId: 1, hostname: \"web.example.com\" }, { parent: site })",
      RECORD
    ]
    program(env, DYNAMIC, ...site)
    await killedUp(env)
    program(env, PLUGIN, ...site)
    await env.run("up")
    assert.strictEqual(purchases(env), 1)
    assert.strictEqual(await env.charges(), 1)
  }
}

testScenariosOnPulumi("what only the plugin can do,", dynamic, SCENARIOS)
testScenariosByFile("imports into a program", dynamic, BY_FILE)
