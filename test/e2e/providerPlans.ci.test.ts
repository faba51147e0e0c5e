/** Update plans on the real CLI, with both hosts. */
import { assert } from "vitest"
import { must } from "../engine/OnCli.ts"
import { onPlugin } from "../engine/OnPlugin.ts"
import type { Scenario } from "../engine/Environment.ts"
import { dynamic, testScenariosOnPulumi } from "../engine/scenarioTests.ts"

const STACK = ["--non-interactive", "--stack", "test"]

/** Instances of this generation, with attached resources. */
const site = (generation: number): string => `
  import * as vps from "pulumi-vps/provider"
  const args = { serviceId: 1, hostname: "web.example.com", deletionPolicy: "forget", generation: ${generation} }
  const web = new vps.Instance("web", args)
  new vps.ReverseDns("web", { instanceId: web.id, ip: web.ipv4, ptr: "web.example.com" })
  const first = new vps.Snapshot("first", { instanceId: web.id, name: "first" })
  new vps.SnapshotRestore("back", { instanceId: web.id, snapshotId: first.snapshotId, allowDataLoss: true })
  new vps.VpsServer("shop", { ...args, hostname: "shop.example.com", firstSnapshot: "as-installed" })`

const SCENARIOS: Record<string, Scenario> = {
  "`up --plan` does what was previewed when instances and all that is attached to them are replaced": async (env) => {
    env.stack.program(site(1))
    await env.run("up")
    env.stack.program(site(2))
    env.stack.environment({ PULUMI_EXPERIMENTAL: "true" })
    const { output } = await must(env, "preview", "--save-plan", "plan.json", ...STACK)
    assert.match(output, /\+-7 to replace/)
    await must(env, "up", "--yes", "--skip-preview", "--plan", "plan.json", ...STACK)
    env.unmanaged = 2
  }
}

testScenariosOnPulumi("the dynamic provider", dynamic, SCENARIOS)
testScenariosOnPulumi("the plugin", onPlugin, SCENARIOS)
