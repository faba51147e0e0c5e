/** Every example for Pulumi does what it says, on the test engine and, where it is on PATH, on the real CLI. */
import { readdirSync, readFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { ROOT } from "../support/consumer.ts"
import { playAutomation } from "../engine/Automation.ts"
import { hasPulumi, pulumiCli } from "../engine/PulumiCli.ts"
import type { Stage } from "../engine/Stage.ts"
import { TestEngine } from "../engine/TestEngine.ts"
import { Theatre } from "../engine/Theatre.ts"

/** ms; ten servers on an engine that starts three processes a run, on a machine that does other things as well. */
const EXAMPLE_TIMEOUT = 300_000

/** A folder with a test of its own is run by that. */
const EXAMPLES = readdirSync(join(ROOT, "examples")).filter((name) => {
  const files = readdirSync(join(ROOT, "examples", name))
  return files.includes("index.ts") && !files.some((file) => file.endsWith(".test.ts"))
    // The plugin's are run by provider-plugin-examples.test.ts.
    && !readFileSync(join(ROOT, "examples", name, "index.ts"), "utf8").includes("pulumi-vps/pulumi")
})

const read = (name: string): string => readFileSync(join(ROOT, "examples", name, "index.ts"), "utf8")

/** The example's program; the engines of the tests run JavaScript. */
const program = (stage: Stage, name: string, edit: (text: string) => string = (text) => text): void =>
  stage.stack.program(stripTypeScriptTypes(edit(read(name))))

/** What each example that is a Pulumi program is to show. */
const SHOWS: Record<string, (stage: Stage) => Promise<void>> = {
  quickstart: async (stage) => {
    program(stage, "quickstart")
    expect((await stage.run("preview")).output).toContain("web: buying VPS S charges 4.99 EUR now")
    await stage.run("up")
    expect(await stage.charges()).toBe(1)
  },
  fleet: async (stage) => {
    program(stage, "fleet")
    expect((await stage.run("preview")).output).toContain("wallet after all 10")
    await stage.run("up")
    expect(await stage.charges()).toBe(10)
    program(stage, "fleet", (source) => source.replace("\"web-1\": \"vps-s\"", "\"web-1\": \"vps-m\""))
    await stage.run("preview")
    await stage.run("up")
    expect(await stage.charges()).toBe(10)
    expect((await stage.stored("web-1")).outputs["serviceId"]).toBe(2)
  },
  snapshots: async (stage) => {
    const because = (reason: string) => (source: string) => source.replace("new Config().get(\"restore\")", reason)
    const restores = async (): Promise<number> => {
      const [instance] = await stage.instances()
      const { items } = await stage.ask<{ items: ReadonlyArray<{ type: string }> }>(
        "GET",
        `/instances/${instance?.id}/tasks?limit=100`
      )
      return items.filter(({ type }) => type === "snapshot_restore").length
    }
    program(stage, "snapshots")
    await stage.run("up")
    expect(await restores()).toBe(0)
    program(stage, "snapshots", because("\"it failed on Monday\""))
    expect((await stage.run("preview")).output).toContain("what was written to it since is lost")
    await stage.run("up")
    await stage.idle()
    expect(await restores()).toBe(1)
    program(stage, "snapshots", because("undefined"))
    await stage.run("up")
    expect(await restores()).toBe(1)
  },
  adopt: async (stage) => {
    for (const hostname of ["a.example.com", "b.example.com"]) {
      await stage.ask("POST", "/instances", { service_id: 2, hostname })
    }
    await expect.poll(async () => (await stage.instances()).map(({ status }) => status)).toEqual(["running", "running"])
    program(stage, "adopt")
    await stage.run("preview")
    await stage.run("up")
    expect(await stage.charges()).toBe(2)
    expect((await stage.resources()).filter(({ type }) => type.endsWith(":Snapshot"))).toHaveLength(2)
  }
}

describe("the examples", () => {
  it("are all here", () => {
    const programs = EXAMPLES.filter((name) => read(name).includes("pulumi-vps/provider"))
    expect(programs.toSorted()).toEqual([...Object.keys(SHOWS), "automation-api"].toSorted())
  })
  it.each(EXAMPLES)("%s says what it shows", (name) => {
    expect(read(name)).toMatch(/^\/\*\*/)
  })
})

describe("the examples on the test engine", () => {
  const engine = new TestEngine()
  const theatre = new Theatre(engine.make)
  afterAll(async () => {
    engine.close()
    await theatre.close()
  })
  it.each(Object.entries(SHOWS))("%s", async (_, show) => {
    await expect(theatre.play(show)).resolves.toBeUndefined()
  }, EXAMPLE_TIMEOUT)
})

describe.skipIf(!hasPulumi)("the examples on the real pulumi CLI (skipped when it is not on PATH)", () => {
  const theatre = new Theatre(pulumiCli)
  afterAll(() => theatre.close())

  it.each(Object.entries(SHOWS))("%s", async (_, show) => {
    await expect(theatre.play(show)).resolves.toBeUndefined()
  }, EXAMPLE_TIMEOUT)

  it("automation-api: up twice, destroy; it finds the server that no stack knows any more", async () => {
    await playAutomation("automation-api", async (run) => {
      const first = await run("up")
      expect(first).toContain("web: buying VPS S charges 4.99 EUR now")
      expect(first).toMatch(
        /The server is at [\d.]+\.\nEvery server of account \d+ that costs anything stands in test\./
      )
      expect(await run("up")).toMatch(/5 unchanged/)
      expect(await run("destroy")).toMatch(/1 server stands in account \d+, and not in test:/)
    })
  }, EXAMPLE_TIMEOUT)
})
