/** Runs every Pulumi example on the test engine and, if it is on PATH, on the real CLI. */
import { readdirSync, readFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import { join } from "node:path"
import { afterAll, assert, describe, it, vi } from "vitest"
import { ROOT } from "../support/consumer.ts"
import { playExample } from "../engine/Automation.ts"
import { hasPulumi, pulumiCli } from "../engine/PulumiCli.ts"
import type { Environment } from "../engine/Environment.ts"
import { TestEngine } from "../engine/TestEngine.ts"
import { ScenarioRunner } from "../engine/ScenarioRunner.ts"

/** ms; ten servers on an engine that starts three processes a run, on a machine that does other things as well. */
const EXAMPLE_TIMEOUT = 300_000

/** A folder with a test of its own is run by that. */
const FOLDERS = readdirSync(join(ROOT, "examples"), { withFileTypes: true }).filter((one) => one.isDirectory())
const EXAMPLES = FOLDERS.map(({ name }) => name).filter((name) => {
  const files = readdirSync(join(ROOT, "examples", name))
  return files.includes("index.ts") && !files.some((file) => file.endsWith(".test.ts"))
    // The plugin's are run by providerPluginExamples.ci.test.ts.
    && !readFileSync(join(ROOT, "examples", name, "index.ts"), "utf8").includes("pulumi-vps/pulumi")
})

const read = (name: string): string => readFileSync(join(ROOT, "examples", name, "index.ts"), "utf8")

/** The example's program; the engines of the tests run JavaScript. */
const program = (env: Environment, name: string, edit: (text: string) => string = (text) => text): void =>
  env.stack.program(stripTypeScriptTypes(edit(read(name))))

/** The expected output of each example that is a Pulumi program. */
const SHOWS: Record<string, (env: Environment) => Promise<void>> = {
  quickstart: async (env) => {
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
    await vi.waitFor(async () =>
      assert.deepStrictEqual((await env.instances()).map(({ status }) => status), ["running", "running"])
    )
    program(env, "adopt")
    await env.run("preview")
    await env.run("up")
    assert.strictEqual(await env.charges(), 2)
    assert.lengthOf((await env.resources()).filter(({ type }) => type.endsWith(":Snapshot")), 2)
  }
}

describe("the examples", () => {
  it("are all here", () => {
    const programs = EXAMPLES.filter((name) => read(name).includes("pulumi-vps/provider"))
    assert.deepStrictEqual(programs.toSorted(), [...Object.keys(SHOWS), "automation-api"].toSorted())
  })
  it.each(EXAMPLES)("%s says what it shows", (name) => {
    assert.match(read(name), /^\/\*\*/)
  })
})

describe("the examples on the test engine", () => {
  const engine = new TestEngine()
  const runner = new ScenarioRunner(engine.make)
  afterAll(async () => {
    engine.close()
    await runner.close()
  })
  it.each(Object.entries(SHOWS))("%s", async (_, show) => {
    assert.isUndefined(await runner.play(show))
  }, EXAMPLE_TIMEOUT)
})

describe.skipIf(!hasPulumi)("the examples on the real pulumi CLI (skipped when it is not on PATH)", () => {
  const runner = new ScenarioRunner(pulumiCli)
  afterAll(() => runner.close())

  it.each(Object.entries(SHOWS))("%s", async (_, show) => {
    assert.isUndefined(await runner.play(show))
  }, EXAMPLE_TIMEOUT)

  it("automation-api: up twice, destroy; finds the instance in no stack", async () => {
    await playExample("automation-api", async (run) => {
      const first = await run("up")
      assert.include(first, "web: buying VPS S charges 4.99 EUR now")
      assert.match(first, /The instance is at [\d.]+\.\nEvery instance you pay for in account \d+ is in test\./)
      assert.match(await run("up"), /5 unchanged/)
      assert.match(await run("destroy"), /1 instance in account \d+ is not in test:/)
    })
  }, EXAMPLE_TIMEOUT)
})
