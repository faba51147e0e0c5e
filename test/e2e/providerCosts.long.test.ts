/** The costs of instances as data: for policy packs, and in the JSON of the real CLI. */
import { afterAll, assert, describe, it } from "vitest"
import type { Environment } from "../engine/Environment.ts"
import { must } from "../engine/OnCli.ts"
import { fetchPolicySdk, under } from "../engine/Policies.ts"
import { hasLanguageHost, hasPulumi, pulumiCli } from "../engine/PulumiCli.ts"
import { ScenarioRunner } from "../engine/ScenarioRunner.ts"
import { assertLike, isText } from "../support/like.ts"

/** ms; some five runs of an engine at 4 s, and it may have to wait until others have ended. */
const TIMEOUT = 600_000

const hasHost = hasLanguageHost("nodejs")
const sdk = hasHost ? fetchPolicySdk() : undefined
afterAll(() => sdk?.remove())

/** As they are documented in `docs/provider.md`. */
const COSTS = {
  chargeAmount: 4.99,
  renewalPrice: 4.99,
  billingCycle: "monthly",
  currency: "EUR",
  autoRenew: true,
  afterDestroy: "stopped"
}

/** A pack that reports the costs which it reads. */
const pack = (env: Environment, entry: string): string =>
  sdk!.pack(
    env,
    `
    import { PolicyPack, validateStackResourcesOfType } from "@pulumi/policy"
    import { Instance } from "${entry}"
    new PolicyPack("vps", {
      policies: [{
        name: "costs",
        description: "costs",
        enforcementLevel: "advisory",
        validateStack: validateStackResourcesOfType(Instance, (instances, _, report) => {
          for (const one of instances) {
            report("costs " + ${JSON.stringify(Object.keys(COSTS))}.map((name) => name + "=" + one[name]).join(" "))
          }
        })
      }]
    })`
  )

const REPORTED = `costs ${Object.entries(COSTS).map(([name, value]) => `${name}=${String(value)}`).join(" ")}`

interface State {
  readonly type: string
  readonly outputs?: Readonly<Record<string, unknown>>
}

const outputsOf = (states: ReadonlyArray<State | undefined>): unknown =>
  states.findLast((state) => state?.type.endsWith("vps:Instance") === true || state?.type === "vps:index:Instance")
    ?.outputs

const QUIET = ["--json", "--non-interactive", "--stack", "test"]

/** The outputs of the last event of the Instance. */
const streamed = async (env: Environment, ...args: ReadonlyArray<string>): Promise<unknown> => {
  const { output } = await must(env, ...args, ...QUIET)
  const events = output.trim().split("\n").map((line) =>
    JSON.parse(line) as { readonly resOutputsEvent?: { readonly metadata: { readonly new: State } } }
  )
  return outputsOf(events.map(({ resOutputsEvent }) => resOutputsEvent?.metadata.new))
}

const ENTRIES = ["pulumi-vps/pulumi", "pulumi-vps/provider"]

const program = (env: Environment, entry: string): void =>
  env.stack.program(
    `import { Instance } from "${entry}"\nnew Instance("web", { serviceId: 1, deletionPolicy: "stop" })\n`
  )

/** The engine has no outputs of the dynamic provider before an update. */
const isKnownBefore = (entry: string): boolean => entry === "pulumi-vps/pulumi"

describe.skipIf(!hasPulumi)("costs in the JSON of the command (skipped without pulumi)", () => {
  const runner = new ScenarioRunner(pulumiCli)
  afterAll(() => runner.close())

  it.each(ENTRIES)("of %s", async (entry) => {
    const played = runner.play(async (env) => {
      program(env, entry)
      env.stack.environment({ PULUMI_ENABLE_STREAMING_JSON_PREVIEW: "true" })
      assertLike(await streamed(env, "preview"), isKnownBefore(entry) ? COSTS : {})
      assertLike(await streamed(env, "up", "--yes", "--skip-preview"), COSTS)
      env.stack.environment({ PULUMI_ENABLE_STREAMING_JSON_PREVIEW: "" })
      const { output } = await must(env, "destroy", "--preview-only", ...QUIET)
      const { steps } = JSON.parse(output) as { readonly steps: ReadonlyArray<{ readonly oldState: State }> }
      assertLike(outputsOf(steps.map(({ oldState }) => oldState)), {
        ...COSTS,
        expiresAt: isText
      })
    })
    assert.isUndefined(await played)
  }, TIMEOUT)
})

const hasPolicies = sdk?.present === true
const needed = "skipped without pulumi-language-nodejs, or without npm's registry"

describe.skipIf(!hasPolicies)(`costs in policy packs (${needed})`, () => {
  const runner = new ScenarioRunner(pulumiCli)
  afterAll(() => runner.close())

  it.each(ENTRIES)("of %s", async (entry) => {
    const played = runner.play(async (env) => {
      program(env, entry)
      const preview = await under(env, pack(env, entry), "preview")
      assert.strictEqual(preview.output.includes(REPORTED), isKnownBefore(entry))
      assert.include((await under(env, pack(env, entry), "up")).output, REPORTED)
    })
    assert.isUndefined(await played)
  }, TIMEOUT)
})
