/**
 * The packed package as npm installs it into an empty folder, beside exactly the packages that an entry needs: each
 * entry and command, in both module systems, buys an instance. Versions of other packages are those of users' projects.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { PULUMI_SDK } from "../../.config/build/entryChecks.ts"
import { type Folder, FOLDERS } from "../../.config/build/workspace.ts"
import { hasPulumi } from "../engine/PulumiCli.ts"
import { exact, install } from "../support/consumer.ts"
import { tarballs } from "../support/packed.ts"
import { personAt, runCommands, writeFiles } from "../support/guide.ts"
import { type ServiceProcess, startService } from "../support/serviceProcess.ts"
import { control, credentials } from "../support/vps.ts"
import { Vps } from "#sdk/index"

/** ms; npm installs Pulumi's SDK, and an engine runs five times. */
const TIMEOUT = 300_000

/** The oldest that the entries accept. */
const OLDEST_SDK = `${PULUMI_SDK.name}@${PULUMI_SDK.major}.${PULUMI_SDK.minor}.0`

const work = mkdtempSync(join(tmpdir(), "pulumi-vps-consumers-"))
let service: ServiceProcess
beforeAll(async () => {
  service = await startService("--emulator")
  await control(service, "PUT", "/deploy", { mode: "instant" })
})
afterAll(async () => {
  await service.end()
  rmSync(work, { recursive: true, force: true })
})

const countInstances = async (): Promise<number> => {
  await using vps = new Vps({ apiKey: service.apiKey, baseUrl: service.url })
  return (await vps.instances.list()).length
}

/** Those that need no version of another package; the contract needs effect's. */
const INDEPENDENT = FOLDERS.filter((folder) => folder !== "sdk/contract")

/** A folder of its own in which npm has installed our packages beside these, with these programs. */
const consumer = (
  packages: ReadonlyArray<string>,
  files: Readonly<Record<string, string>>,
  own: ReadonlyArray<Folder> = INDEPENDENT
) => {
  const folder = mkdtempSync(join(work, "consumer-"))
  install(folder, ...tarballs(own), ...packages)
  writeFiles(folder, files)
  return (commands: string): Promise<string> => {
    mkdirSync(join(folder, "home/states"), { recursive: true })
    const env = personAt(join(folder, "home"), {
      ...credentials(service),
      npm_config_update_notifier: "false",
      PULUMI_HOME: join(folder, "home/pulumi"),
      PULUMI_BACKEND_URL: `file://${folder}/home/states`,
      PULUMI_CONFIG_PASSPHRASE: "a passphrase of the tests",
      PULUMI_SKIP_UPDATE_CHECK: "true"
    })
    return runCommands(folder, env, commands)
  }
}
type Run = ReturnType<typeof consumer>

/** Runs commands that buy one instance. */
const assertBuys = async (run: Run, commands: string, bought = 1): Promise<string> => {
  const owned = await countInstances()
  const output = await run(commands)
  assert.strictEqual(await countInstances(), owned + bought, output)
  return output
}

const BUY = "new Vps().instances.createAndWait({ service_id: 1 }).then(({ status }) => console.log(status))"
const TEST = `startEmulator({ seed: { deploy: { mode: "instant" } } }).then(async (emulator) => {
  const instance = await emulator.client().instances.createAndWait({ service_id: 1 })
  console.log(instance.status)
  await emulator.stop()
})`

describe("the packages alone", () => {
  let run: Run
  beforeAll(() => {
    run = consumer([], {
      "root.mjs": `import { Vps } from "@pulumi-vps/sdk"\n${BUY}`,
      "root.cjs": `const { Vps } = require("@pulumi-vps/sdk")\n${BUY}`,
      "fetch.mjs": `import { Vps } from "@pulumi-vps/sdk/fetch"\n${BUY}`,
      "testing.mjs": `import { startEmulator } from "@pulumi-vps/testing"\n${TEST}`,
      "testing.cjs": `const { startEmulator } = require("@pulumi-vps/testing")\n${TEST}`,
      "state.json": JSON.stringify({ version: 3, deployment: { resources: [] } })
    })
  }, TIMEOUT)

  it.each(["root.mjs", "root.cjs", "fetch.mjs"])("buys with the SDK: %s", async (file) => {
    assert.strictEqual(await assertBuys(run, `node ${file}`), "running\n")
  })
  it.each(["testing.mjs", "testing.cjs"])("buys on an emulator in the program's process: %s", async (file) => {
    assert.strictEqual(await run(`node ${file}`), "running\n")
  })
  it("buys with the vps command, which finds instances in no stack", async () => {
    await assertBuys(run, "npx vps instance create --plan 1 --hostname orphan.example.com --wait")
    assert.include(await run("npx vps pulumi orphans state.json"), "orphan.example.com")
  })
  it.each(["vps", "vps-service", "pulumi-resource-vps"])("has the command %s", async (command) => {
    assert.include(await run(`npx ${command} --help`), command)
  })
})

const EFFECT = `
const program = Effect.flatMap(Vps, (vps) => vps.instances.createAndWait({ service_id: 1 })).pipe(
  Effect.provide(Vps.layer({ apiKey: process.env.VPS_API_KEY, baseUrl: process.env.VPS_BASE_URL }))
)
Effect.runPromise(program).then(({ status }) => console.log(status))`
const EFFECT_TEST = `
const program = Effect.flatMap(Vps, (vps) => vps.instances.createAndWait({ service_id: 1 }))
const emulator = Emulator.layer({ seed: { deploy: { mode: "instant" } } })
Effect.runPromise(program.pipe(Effect.provide(Emulator.client().pipe(Layer.provideMerge(emulator)))))
  .then(({ status }) => console.log(status))`
const CONTRACT = `
HttpApiClient.make(Api, { baseUrl: new URL(process.env.VPS_BASE_URL).origin }).pipe(
  Effect.flatMap((client) => Effect.succeed(Object.keys(client).length > 5)),
  Effect.provide(FetchHttpClient.layer), Effect.runPromise).then((isComplete) => console.log(isComplete))`

describe("the packages beside effect", () => {
  let run: Run
  beforeAll(() => {
    const required = `const Effect = require("effect/Effect")\nconst Layer = require("effect/Layer")\n`
    const imported = `import * as Effect from "effect/Effect"\nimport * as Layer from "effect/Layer"\n`
    run = consumer([exact("effect")], {
      "effect.mjs": `${imported}import { Vps } from "@pulumi-vps/sdk/effect"${EFFECT}`,
      "effect.cjs": `${required}const { Vps } = require("@pulumi-vps/sdk/effect")${EFFECT}`,
      "testing.mjs": `${imported}import { Vps } from "@pulumi-vps/sdk/effect"
        import { Emulator } from "@pulumi-vps/testing/effect"${EFFECT_TEST}`,
      "testing.cjs": `${required}const { Vps } = require("@pulumi-vps/sdk/effect")
        const { Emulator } = require("@pulumi-vps/testing/effect")${EFFECT_TEST}`,
      "contract.mjs": `${imported}import * as HttpApiClient from "effect/http-api/HttpApiClient"
        import * as FetchHttpClient from "effect/http/FetchHttpClient"
        import { Api } from "@pulumi-vps/contract"${CONTRACT}`
    }, FOLDERS)
  }, TIMEOUT)
  it.each(["effect.mjs", "effect.cjs"])("buys with the SDK for Effect: %s", async (file) => {
    assert.strictEqual(await assertBuys(run, `node ${file}`), "running\n")
  })
  it.each(["testing.mjs", "testing.cjs"])("buys on an emulator in a layer: %s", async (file) => {
    assert.strictEqual(await run(`node ${file}`), "running\n")
  })
  it("makes a client of its own from the contract", async () => {
    assert.strictEqual(await run("node contract.mjs"), "true\n")
  })
})

describe.each(["effect@3.18.4", "effect@4.0.5"])("the packages beside %s", (other) => {
  it("buys with the SDK, and its entries for Effect say which version they need", async () => {
    const run = consumer([other], {
      "root.mjs": `import { Vps } from "@pulumi-vps/sdk"\n${BUY}`,
      "refused.mjs": "await import(process.argv[2]).catch(({ message }) => console.log(message))"
    })
    await assertBuys(run, "node root.mjs")
    for (const entry of ["@pulumi-vps/sdk/effect", "@pulumi-vps/testing/effect"]) {
      const has = `this project has ${other.replace("effect@", "")}. Install it: npm install effect@^4.1.0\n`
      const sentence = `${entry} needs effect 4.1 or a later 4.x; ${has}`
      assert.strictEqual(await run(`node refused.mjs ${entry}`), sentence)
    }
  }, TIMEOUT)
})

/** Buys twice with the real engine, and then nothing. The engine loads the dynamic provider from the work folder. */
const automation = (load: string): string => `
const { LocalWorkspace } = require("@pulumi/pulumi/automation")
const program = async () => {
  const vps = ${load}
  const plan = await vps.getPlan({ slug: "vps-s" })
  const web = new vps.Instance("web", { serviceId: plan.id, deletionPolicy: "stop" })
  new vps.Snapshot("installed", { instanceId: web.id, name: "installed" })
  new vps.VpsServer("shop", { serviceId: plan.id, hostname: "shop.example.com", deletionPolicy: "stop" })
}
const main = async () => {
  const workDir = process.cwd()
  const plugins = { providers: [{ name: "vps", path: workDir + "/node_modules/pulumi-vps/plugin" }] }
  const projectSettings = { name: "p", runtime: "nodejs", plugins }
  const given = { stackName: process.argv[2], projectName: "p", program }
  const stack = await LocalWorkspace.createOrSelectStack(given, { workDir, projectSettings })
  await stack.preview()
  await stack.up()
  console.log(JSON.stringify((await stack.up()).summary.resourceChanges))
  await stack.destroy()
}
main()`

/** A stack of this name buys its own instances: a name buys once. */
const stackOf = (sdk: string): string => sdk.replaceAll(/\W/g, "-")

/**
 * The newest SDK by `import`, with the dynamic provider, and the oldest one by `require`, with the plugin's classes: no
 * way depends on the SDK's version.
 */
const SDKS = [
  [exact("@pulumi/pulumi"), "import", "provider", `await import("pulumi-vps/provider")`],
  [OLDEST_SDK, "require", "pulumi", `require("pulumi-vps/pulumi")`]
] as const

describe.skipIf(!hasPulumi).each(SDKS)(
  `the package beside %s (skipped without pulumi)`,
  (sdk, name, entry, load) => {
    let run: Run
    beforeAll(() => {
      run = consumer([sdk], { "buys.cjs": automation(load) })
    }, TIMEOUT)
    it(`buys with the real engine: ${name} of pulumi-vps/${entry}`, { timeout: TIMEOUT }, async () => {
      assert.strictEqual(await assertBuys(run, `node buys.cjs ${name}-${entry}-${stackOf(sdk)}`, 2), `{"same":6}\n`)
    })
  }
)

describe("programs in CommonJS", () => {
  it("buy in Jest's default mode, and create resources of Pulumi's mocks", async () => {
    const run = consumer([exact("@pulumi/pulumi"), "jest@30.5.2"], {
      "sdk.test.js": `const { NotFoundError, Vps } = require("@pulumi-vps/sdk")
        test("buys", async () => {
          const vps = new Vps({ decode: "strict" })
          expect((await vps.instances.createAndWait({ service_id: 1 })).status).toBe("running")
          await expect(vps.instances.get(9999)).rejects.toBeInstanceOf(NotFoundError)
        })`,
      "pulumi.test.js": `const pulumi = require("@pulumi/pulumi")
        test.each(["provider", "pulumi"])("create %s", async (entry) => {
          const made = []
          pulumi.runtime.setMocks({
            call: ({ inputs }) => inputs,
            newResource: ({ inputs, name, type }) => (made.push(type), { id: name, state: inputs })
          }, "project", "stack", false)
          const { Instance } = require("pulumi-vps/" + entry)
          const web = new Instance("web", { serviceId: 1 })
          await new Promise((done) => web.urn.apply(done))
          expect(made).toEqual([expect.stringContaining("Instance")])
        })`
    })
    assert.match(await assertBuys(run, "npx jest"), /Tests: +3 passed/)
  }, TIMEOUT)

  it("buy when esbuild has bundled them", async () => {
    const run = consumer([exact("esbuild")], {
      "import.mjs": `import { Vps } from "@pulumi-vps/sdk"\n${BUY}`,
      "require.cjs": `const { Vps } = require("@pulumi-vps/sdk")\n${BUY}`
    })
    for (const file of ["import.mjs", "require.cjs"]) {
      const bundle = `npx esbuild ${file} --bundle --platform=node --format=cjs --log-level=error --outfile=out.cjs`
      assert.strictEqual(await assertBuys(run, `${bundle}\nnode out.cjs`), "running\n")
    }
  }, TIMEOUT)

  it.skipIf(!hasPulumi)("buy with the real engine when esbuild has bundled them (skipped without pulumi)", async () => {
    const program = (entry: string) => automation(`(await import("pulumi-vps/${entry}"))`)
    const entries = ["provider", "pulumi"]
    const files = entries.map((entry) => [`${entry}.cjs`, program(entry)])
    const run = consumer([exact("esbuild"), exact("@pulumi/pulumi")], Object.fromEntries(files))
    const flags = "--bundle --platform=node --format=cjs --external:@pulumi/pulumi --log-level=error"
    for (const entry of entries) {
      const commands = `npx esbuild ${entry}.cjs ${flags} --outfile=out.cjs\nnode out.cjs bundled-${entry}`
      assert.strictEqual(await assertBuys(run, commands, 2), `{"same":6}\n`)
    }
  }, TIMEOUT)
})

describe("the types of the testing kit", () => {
  it("compile without effect, every declaration checked, and refuse a wrong input", async () => {
    const run = consumer(["typescript@5.9.3", "@types/node@22.19.1"], {
      "use.mts": `import { startEmulator } from "@pulumi-vps/testing"
        const emulator = await startEmulator({ seed: { deploy: { mode: "instant" } } })
        for (const task of await emulator.tasks()) console.log(task.id, task.type, task.status)
        await emulator.clock.advance({ days: 31 })
        // @ts-expect-error the field is "id"
        await emulator.admin("instances.suspend", { idd: 1, reason: "abuse" })
        const plans: number = (await emulator.admin("plans.list", {}))[0]!.price
        await emulator.stop()
        export { plans }`
    })
    const flags =
      "--noEmit --strict --target es2022 --lib es2023,dom --module nodenext --types node --skipLibCheck false"
    assert.strictEqual(await run(`npx tsc ${flags} use.mts`), "")
  }, TIMEOUT)
})
