/** The scenarios of the examples that are Pulumi programs. */
import { readFileSync, rmSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import { join } from "node:path"
import { assert, onTestFinished } from "vitest"
import { ROOT } from "../../support/consumer.ts"
import { homeWithKey } from "../../support/sshKey.ts"
import type { Environment, Scenario } from "../Environment.ts"
import { until } from "../../support/until.ts"

/** The source of an example's program. */
export const readExample = (name: string): string => readFileSync(join(ROOT, "examples", name, "index.ts"), "utf8")

/** The example's program; the engines of the tests run JavaScript. */
const program = (env: Environment, name: string, edit: (text: string) => string = (text) => text): void =>
  env.stack.program(stripTypeScriptTypes(edit(readExample(name))))

/** The expected output of each example that is a Pulumi program. */
export const EXAMPLES: Record<string, Scenario> = {
  quickstart: async (env) => {
    const home = homeWithKey()
    onTestFinished(() => rmSync(home, { recursive: true }))
    env.stack.environment({ HOME: home })
    program(env, "quickstart")
    assert.include((await env.run("preview")).output, "web: buying VPS S charges 4.99 EUR now")
    await env.run("up")
    assert.strictEqual(await env.charges(), 1)
  },
  fleet: async (env) => {
    program(env, "fleet")
    assert.include((await env.run("preview")).output, "remaining balance after all 10")
    await env.run("up")
    assert.strictEqual(await env.charges(), 10)
    program(env, "fleet", (source) => source.replace("\"web-1\": \"vps-s\"", "\"web-1\": \"vps-m\""))
    await env.run("preview")
    await env.run("up")
    assert.strictEqual(await env.charges(), 10)
    assert.strictEqual((await env.stored("web-1")).outputs["serviceId"], 2)
  },
  snapshots: async (env) => {
    const because = (reason: string) => (source: string) => source.replace("new Config().get(\"restore\")", reason)
    const restores = async (): Promise<number> => {
      const [instance] = await env.instances()
      const { items } = await env.ask<{ items: ReadonlyArray<{ type: string }> }>(
        "GET",
        `/instances/${instance?.id}/tasks?limit=100`
      )
      return items.filter(({ type }) => type === "snapshot_restore").length
    }
    program(env, "snapshots")
    await env.run("up")
    assert.strictEqual(await restores(), 0)
    program(env, "snapshots", because("\"it failed on Monday\""))
    assert.include((await env.run("preview")).output, "newer data on it is lost")
    await env.run("up")
    await env.idle()
    assert.strictEqual(await restores(), 1)
    program(env, "snapshots", because("undefined"))
    await env.run("up")
    assert.strictEqual(await restores(), 1)
  },
  adopt: async (env) => {
    for (const hostname of ["a.example.com", "b.example.com"]) {
      await env.ask("POST", "/instances", { service_id: 2, hostname })
    }
    await until(async () => (await env.instances()).every(({ status }) => status === "running"))
    program(env, "adopt")
    await env.run("preview")
    await env.run("up")
    assert.strictEqual(await env.charges(), 2)
    assert.lengthOf((await env.resources()).filter(({ type }) => type.endsWith(":Snapshot")), 2)
  }
}
