/** The plugin in every language and from every place where the engine looks for it, on the real CLI. */
import { spawnSync } from "node:child_process"
import { once } from "node:events"
import { cpSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { stripTypeScriptTypes } from "node:module"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { VERSION } from "#contract/Version"
import { afterAll, assert, describe, it } from "vitest"
import { ROOT } from "../support/consumer.ts"
import { cliOf, generateSdk, installPythonSdk, must } from "../engine/OnCli.ts"
import { playExample } from "../engine/Automation.ts"
import { hasLanguageHost, hasPulumi, pulumiCli } from "../engine/PulumiCli.ts"
import type { Environment } from "../engine/Environment.ts"
import { ScenarioRunner } from "../engine/ScenarioRunner.ts"
import { SSH_KEY } from "../support/sshKey.ts"

/** ms; a Go program is compiled first. */
const TIMEOUT = 600_000

const PLUGIN = join(ROOT, "provider/plugin")

const runs = (command: string, ...args: ReadonlyArray<string>): boolean =>
  spawnSync(command, args, { stdio: "ignore" }).status === 0

const hasNodeHost = hasLanguageHost("nodejs")
const hasPython = hasLanguageHost("python") && runs("python3", "-c", "import pulumi, parver")
const hasGo = hasLanguageHost("go") && runs("which", "go")

const example = (name: string, file: string): string => readFileSync(join(ROOT, "examples", name, file), "utf8")

/** The project's file under the name that the stack was made with. */
const project = (env: Environment, yaml: string): void =>
  writeFileSync(join(cliOf(env).folder, "Pulumi.yaml"), yaml.replace(/^name: .*$/m, "name: project"))

/** A copy of the plugin: some commands write into its folder. */
const copied = (env: Environment): string => {
  const folder = join(cliOf(env).folder, "node_modules/copied-plugin")
  cpSync(PLUGIN, folder, { recursive: true })
  return folder
}

const sdk = (env: Environment, language: string, plugin = copied(env)): Promise<string> =>
  generateSdk(env, language, plugin)

/** The generator for .NET loads a logo, Pulumi's own unless the schema names another: here it comes from this test. */
const withLogo = async (plugin: string, work: () => Promise<void>): Promise<void> => {
  const server = createServer((_, answer) => answer.end("a logo")).listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  const file = join(plugin, "schema.json")
  const logoUrl = `http://127.0.0.1:${port}/logo.png`
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), logoUrl }))
  try {
    await work()
  } finally {
    server.close()
  }
}

/** As the first lines of the examples set it. */
const setKey = (env: Environment) => must(env, "config", "set", "sshKey", SSH_KEY, "--stack", "test")

/** Buys what the example says, once; a second up changes nothing. */
const buys = async (env: Environment, servers: number): Promise<void> => {
  assert.include((await env.run("preview")).output, "charges 4.99 EUR now")
  await env.run("up")
  assert.strictEqual(await env.charges(), servers)
}

const WITHOUT_HINT = "name: project\nruntime:\n  name: nodejs\n  options:\n    typescript: false\nmain: index.js\n"
const PROGRAM = "import * as vps from \"pulumi-vps/pulumi\"\nnew vps.Instance(\"web\", { serviceId: 1 })\n"

describe.skipIf(!hasPulumi)("the plugin is found (skipped without pulumi)", () => {
  const runner = new ScenarioRunner(pulumiCli)
  afterAll(() => runner.close())
  it("on PATH", async () => {
    const played = runner.play(async (env) => {
      project(env, WITHOUT_HINT)
      env.stack.program(PROGRAM)
      env.stack.environment({ PATH: `${join(ROOT, "node_modules/.bin")}:${PLUGIN}:${process.env["PATH"]}` })
      await buys(env, 1)
    })
    assert.isUndefined(await played)
  }, TIMEOUT)

  // For a folder, the engine has the language host install what the plugin depends on.
  it.skipIf(!hasNodeHost)("after `pulumi plugin install -f` (skipped without pulumi-language-nodejs)", async () => {
    const played = runner.play(async (env) => {
      project(env, WITHOUT_HINT)
      env.stack.program(PROGRAM)
      await must(env, "plugin", "install", "resource", "vps", VERSION, "-f", copied(env))
      await buys(env, 1)
    })
    assert.isUndefined(await played)
  }, TIMEOUT)

  it("by `packages`, as a hand writes it", async () => {
    const played = runner.play(async (env) => {
      project(env, `${WITHOUT_HINT}packages:\n  vps: ./node_modules/pulumi-vps/plugin\n`)
      env.stack.program(PROGRAM)
      await buys(env, 1)
    })
    assert.isUndefined(await played)
  }, TIMEOUT)
})

/** A file of each language's SDK, and what it must hold. */
const GENERATED = {
  nodejs: ["instance.ts", "class Instance"],
  python: ["pulumi_vps/instance.py", "class Instance"],
  go: ["vps/instance.go", "type Instance struct"],
  java: [
    "src/main/java/com/pulumi/vps/Instance.java",
    "public class Instance extends com.pulumi.resources.CustomResource"
  ]
} as const

describe("SDKs are generated", () => {
  const runner = new ScenarioRunner(pulumiCli)
  afterAll(() => runner.close())

  for (const [language, [file, content]] of Object.entries(GENERATED)) {
    const hasHost = hasLanguageHost(language as keyof typeof GENERATED)
    it.skipIf(!hasHost)(`for ${language} (skipped without pulumi-language-${language})`, async () => {
      const played = runner.play(async (env) => {
        const out = await sdk(env, language)
        assert.include(readFileSync(join(out, file), "utf8"), content)
        env.ending = "destroyed"
      })
      assert.isUndefined(await played)
    }, TIMEOUT)
  }

  it.skipIf(!hasLanguageHost("dotnet"))(
    "for dotnet, all of it (skipped without pulumi-language-dotnet; nothing compiles it)",
    async () => {
      const played = runner.play(async (env) => {
        const plugin = copied(env)
        await withLogo(plugin, async () => {
          const out = await sdk(env, "dotnet", plugin)
          const schema = JSON.parse(readFileSync(join(PLUGIN, "schema.json"), "utf8")) as Record<string, object>
          const namesOf = (kind: string): Array<string> =>
            Object.keys(schema[kind] ?? {}).map((token) => token.split(":").at(-1) ?? "")
          assert.include(namesOf("resources"), "Instance")
          for (const name of namesOf("resources")) {
            const text = readFileSync(join(out, `${name}.cs`), "utf8")
            assert.include(text, `[VpsResourceType("vps:index:${name}")]`)
            assert.include(text, `public partial class ${name} : global::Pulumi.CustomResource`)
          }
          assert.include(namesOf("functions"), "getPlans")
          for (const name of namesOf("functions")) {
            const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}`
            assert.include(readFileSync(join(out, `${type}.cs`), "utf8"), `public static class ${type}`)
          }
          assert.include(readFileSync(join(out, "Pulumi.Vps.csproj"), "utf8"), "<Authors>pulumi-vps</Authors>")
          const instance = readFileSync(join(out, "Instance.cs"), "utf8")
          assert.include(instance, "[Input(\"serviceId\")]")
          assert.match(instance, /AdditionalSecretOutputs =\s*\{\s*"rootPassword",\s*\}/)
        })
        env.ending = "destroyed"
      })
      assert.isUndefined(await played)
    },
    TIMEOUT
  )
})

describe("the plugin's examples", () => {
  const runner = new ScenarioRunner(pulumiCli)
  afterAll(() => runner.close())

  it.skipIf(!hasLanguageHost("yaml"))("YAML (skipped without pulumi-language-yaml)", async () => {
    const played = runner.play(async (env) => {
      project(env, example("yaml", "Pulumi.yaml"))
      await setKey(env)
      await buys(env, 1)
    })
    assert.isUndefined(await played)
  }, TIMEOUT)

  it.skipIf(!hasNodeHost)("YAML, with a package that was added (skipped without pulumi-language-nodejs)", async () => {
    const played = runner.play(async (env) => {
      project(env, example("yaml", "Pulumi.yaml").replace(/^plugins:[^]*?(?=^config)/m, ""))
      await must(env, "package", "add", copied(env))
      await setKey(env)
      await buys(env, 1)
    })
    assert.isUndefined(await played)
  }, TIMEOUT)

  it.skipIf(!hasPython)("Python (skipped without pulumi-language-python and its packages)", async () => {
    const played = runner.play(async (env) => {
      const { folder } = cliOf(env)
      // The environment that `pulumi package add` would make needs PyPI: here Python's own packages do.
      project(env, example("python", "Pulumi.yaml").replace(/^runtime:\n(?: .*\n)*/m, "runtime: python\n"))
      writeFileSync(join(folder, "__main__.py"), example("python", "__main__.py"))
      await installPythonSdk(env, copied(env))
      await setKey(env)
      await buys(env, 1)
    })
    assert.isUndefined(await played)
  }, TIMEOUT)

  it.skipIf(!hasGo)("Go (skipped without pulumi-language-go)", async () => {
    const played = runner.play(async (env) => {
      const { folder } = cliOf(env)
      project(env, example("go", "Pulumi.yaml"))
      const generated = join(await sdk(env, "go"), "vps")
      writeFileSync(join(generated, "go.mod"), "module example.com/pulumi-vps/sdk/go/vps\n\ngo 1.24\n")
      writeFileSync(join(folder, "main.go"), example("go", "main.go"))
      const module = `${example("go", "go.mod")}\nrequire example.com/pulumi-vps/sdk/go/vps v0.0.0\n`
        + `replace example.com/pulumi-vps/sdk/go/vps => ${generated}\n`
      writeFileSync(join(folder, "go.mod"), module)
      env.stack.environment({ GOFLAGS: "-mod=mod", GOWORK: "off" })
      await setKey(env)
      await buys(env, 1)
    })
    assert.isUndefined(await played)
  }, TIMEOUT)

  it.skipIf(!hasPulumi)("two accounts in one program (skipped without pulumi)", async () => {
    const played = runner.play(async (env) => {
      const keys: Record<string, string> = {}
      for (const name of ["shop", "blog"]) {
        const { account_id: id, api_key: key } = await env.control("POST", "accounts", {
          email: `${name}@example.test`,
          wallet: 100
        })
        keys[`${name}Key`] = String(key)
        env.secrets.push(String(key))
        assert.typeOf(id, "number")
      }
      for (const [name, key] of Object.entries(keys)) {
        await must(env, "config", "set", "--secret", `two-accounts:${name}`, key, "--stack", "test")
      }
      env.stack.program(stripTypeScriptTypes(example("two-accounts", "index.ts")))
      await buys(env, 2)
      const owners = (await env.resources()).map(({ outputs }) => outputs["userId"])
      assert.strictEqual(new Set(owners).size, 2)
      // Neither of the two servers, nor its charge, is this account's.
      env.unmanaged = -2
      env.deleted = 2
    })
    assert.isUndefined(await played)
  }, TIMEOUT)

  it.skipIf(!hasPulumi)("automation-plugin: up twice, and destroy (skipped without pulumi)", async () => {
    await playExample("automation-plugin", async (run) => {
      assert.match(await run("up"), /The instance is at [\d.]+\. The charge was 4\.99\./)
      assert.include(await run("up"), "3 unchanged")
      assert.include(await run("destroy"), "is powered off and is no longer in the state")
    })
  }, TIMEOUT)
})
