/** Policy packs that judge our resources by their classes, on the real CLI. */
import { spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { ROOT } from "../support/consumer.ts"
import { cliOf, must } from "../engine/OnCli.ts"
import { fetchPolicySdk, under } from "../engine/Policies.ts"
import { hasLanguageHost, hasPulumi, pulumiCli } from "../engine/PulumiCli.ts"
import { type Environment, PASSWORD } from "../engine/Environment.ts"
import { ScenarioRunner } from "../engine/ScenarioRunner.ts"
import { assertLike, containing } from "../support/like.ts"
import { SSH_KEY } from "../support/sshKey.ts"

/** ms; some ten runs of an engine at 4 s, and it may have to wait until others have ended. */
const TIMEOUT = 600_000

const EXAMPLE = readFileSync(join(ROOT, "examples/policies/index.mts"), "utf8")
const HOSTS = ["pulumi-vps/pulumi", "pulumi-vps/provider"] as const
type Entry = typeof HOSTS[number]

const sdk = hasPulumi ? fetchPolicySdk() : undefined
// A pack in TypeScript is a program by file.
const hasHost = sdk?.present === true && hasLanguageHost("nodejs")
afterAll(() => sdk?.remove())

/** The example's pack, for the classes of this entry. */
const examplePack = (env: Environment, entry: Entry): string =>
  sdk!.pack(env, EXAMPLE.replace("pulumi-vps/pulumi", entry))

/** A pack that changes an Instance's properties, by the statement. */
const changingPack = (env: Environment, entry: Entry, statement: string): string =>
  sdk!.pack(
    env,
    `
    import { PolicyPack, remediateResourceOfType } from "@pulumi/policy"
    import { Instance } from "${entry}"
    new PolicyPack("vps", {
      policies: [{
        name: "limit",
        description: "limited",
        enforcementLevel: "remediate",
        remediateResource: remediateResourceOfType(Instance, (_, { props }) => {
          ${statement}
          return props
        })
      }]
    })`
  )

const program = (env: Environment, entry: Entry, args: object): void =>
  env.stack.program(`import { Instance } from "${entry}"\nnew Instance("web", ${JSON.stringify(args)})\n`)

describe.skipIf(!hasHost)("policies (skipped without pulumi-language-nodejs, or without npm's registry)", () => {
  const runner = new ScenarioRunner(pulumiCli)
  afterAll(() => runner.close())

  it.each(HOSTS)("the example's judge the classes of %s: nothing is bought against them", async (entry) => {
    const played = runner.play(async (env) => {
      const pack = examplePack(env, entry)
      const plans = { preview: { serviceId: 2 }, up: { plan: "vps-m" } }
      for (const verb of ["preview", "up"] as const) {
        program(env, entry, plans[verb])
        const { code, output } = await under(env, pack, verb)
        assert.notStrictEqual(code, 0)
        assert.match(
          output,
          /approved-plans .*: web\) Instances must use an approved plan\. serviceId 2 is not one of 1, 3/
        )
        assert.match(output, /limited-charge .*: web\) Instances must have a maximum charge\. maxCharge is missing/)
      }
      assert.strictEqual(await env.charges(), 0)
      program(env, entry, { serviceId: 1, maxCharge: 5 })
      assertLike(await under(env, pack, "up"), {
        code: 0,
        output: containing("✅ vps@v1.0.0")
      })
      assert.strictEqual(await env.charges(), 1)
    })
    assert.isUndefined(await played)
  }, TIMEOUT)

  it.each(HOSTS)("a limit that a policy sets holds for %s, and secrets stay secret", async (entry) => {
    const played = runner.play(async (env) => {
      program(env, entry, { serviceId: 1, rootPassword: PASSWORD })
      const tooLow = await under(env, changingPack(env, entry, "props.maxCharge = 4.98"), "up")
      assert.notStrictEqual(tooLow.code, 0)
      assert.include(tooLow.output, "the charge of 4.99 EUR exceeds maxCharge 4.98 EUR. Nothing was charged.")
      assert.strictEqual(await env.charges(), 0)
      const enough = await under(env, changingPack(env, entry, "props.maxCharge = 4.99"), "up")
      assertLike(enough, { code: 0 })
      assertLike((await env.stored("web")).inputs, { maxCharge: 4.99 })
      // Where nothing sets it any more, the program's word counts again.
      await env.run("up")
      assert.isUndefined((await env.stored("web")).inputs["maxCharge"])
    })
    assert.isUndefined(await played)
  }, TIMEOUT)

  it.each<[object, string]>([
    [{ serviceId: 1 }, "props.serviceId = 2"],
    [{ plan: "vps-s" }, "props.serviceId = 2"],
    [{ plan: "vps-s" }, "props.plan = 'vps-m'"]
  ])("a plan that a policy sets is previewed, with the plugin, at its own charge: %j, %s", async (args, statement) => {
    const played = runner.play(async (env) => {
      program(env, "pulumi-vps/pulumi", { ...args, maxCharge: 9 })
      const pack = changingPack(env, "pulumi-vps/pulumi", statement)
      const { code, output } = await under(env, pack, "preview")
      assert.notStrictEqual(code, 0)
      assert.include(output, "web cannot be bought: the charge of 9.99 EUR exceeds maxCharge 9.00 EUR.")
      env.ending = "refused"
    })
    assert.isUndefined(await played)
  }, TIMEOUT)

  it.skipIf(!hasLanguageHost("yaml"))(
    "they judge programs in YAML, too (skipped without pulumi-language-yaml)",
    async () => {
      const played = runner.play(async (env) => {
        const pack = examplePack(env, "pulumi-vps/pulumi")
        const yaml = readFileSync(join(ROOT, "examples/yaml/Pulumi.yaml"), "utf8").replace(
          /^name: .*$/m,
          "name: project"
        )
        const project = (text: string): void => writeFileSync(join(cliOf(env).folder, "Pulumi.yaml"), text)
        project(yaml.replace("serviceId: 1", "serviceId: 2"))
        await must(env, "config", "set", "sshKey", SSH_KEY, "--stack", "test")
        const refused = await under(env, pack, "preview")
        assert.notStrictEqual(refused.code, 0)
        assert.include(refused.output, "serviceId 2 is not one of 1, 3")
        assert.notInclude(refused.output, "maxCharge is missing")
        project(yaml)
        assertLike(await under(env, pack, "up"), { code: 0 })
      })
      assert.isUndefined(await played)
    },
    TIMEOUT
  )
})

describe.skipIf(sdk?.present !== true)("a policy pack (skipped without pulumi, or without npm's registry)", () => {
  const runner = new ScenarioRunner(pulumiCli)
  afterAll(() => runner.close())

  it("of the example is type-checked by a strict compiler", async () => {
    const played = runner.play(async (env) => {
      const pack = examplePack(env, "pulumi-vps/pulumi")
      const flags = "--noEmit --strict --exactOptionalPropertyTypes --skipLibCheck --module nodenext --target es2024"
      const compile = (): string =>
        spawnSync(process.execPath, [
          join(ROOT, "node_modules/@typescript/native/bin/tsc"),
          ...flags.split(" "),
          join(pack, "index.mts")
        ], { cwd: pack, encoding: "utf8" }).stdout
      assert.strictEqual(compile(), "")
      writeFileSync(join(pack, "index.mts"), EXAMPLE.replace("({ maxCharge }", "({ maxCharged: maxCharge }"))
      assert.include(compile(), "maxCharged")
      env.ending = "refused"
    })
    assert.isUndefined(await played)
  }, TIMEOUT)
})
