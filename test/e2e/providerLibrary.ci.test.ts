/**
 * The dynamic provider in a component library, in a workspace of the real pnpm, which gives each package its own
 * dependencies only: the error says to add the package, and the program works once it has it.
 */
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { VERSION } from "#contract/Version"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { hasPulumi } from "../engine/PulumiCli.ts"
import { readManifest } from "../../.config/build/workspace.ts"
import { personAt, runCommands, writeFiles } from "../support/guide.ts"
import { type Registry, startRegistry } from "../support/registry.ts"
import { type ServiceProcess, startService } from "../support/serviceProcess.ts"
import { control, credentials } from "../support/vps.ts"

/** ms; pnpm downloads Pulumi's SDK. */
const TIMEOUT = 600_000

const PNPM = "npm exec --yes pnpm@10.34.8 --"

const hasNode = hasPulumi && spawnSync("which", ["pulumi-language-nodejs"], { stdio: "ignore" }).status === 0

const PULUMI = readManifest("provider").devDependencies!["@pulumi/pulumi"]!

const LIBRARY = `import { ComponentResource } from "@pulumi/pulumi"
import { Instance } from "pulumi-vps/provider"

export class Web extends ComponentResource {
  constructor(name, options) {
    super("acme:infra:Web", name, {}, options)
    new Instance(name, { serviceId: 1, maxCharge: 10, deletionPolicy: "stop" }, { parent: this })
  }
}
`

const manifest = (name: string, dependencies: Record<string, string>): string =>
  JSON.stringify({ name, version: "1.0.0", private: true, type: "module", main: "index.js", dependencies })

const work = mkdtempSync(join(tmpdir(), "pulumi-vps-library-"))
let registry: Registry
let service: ServiceProcess
beforeAll(async () => {
  registry = await startRegistry()
  service = await startService("--emulator")
  await control(service, "PUT", "/deploy", { mode: "instant" })
})
afterAll(async () => {
  registry.close()
  await service.end()
  rmSync(work, { recursive: true, force: true })
})

describe.skipIf(!hasNode)("a component library in a pnpm workspace (skipped without pulumi-language-nodejs)", () => {
  it("the program has to add the package, and buys an instance once it has it", async () => {
    const workspace = join(work, "workspace")
    const program = join(workspace, "program")
    writeFiles(workspace, {
      "pnpm-workspace.yaml": "packages: [program, library]\n",
      "package.json": manifest("all", {})
    })
    writeFiles(join(workspace, "library"), {
      "package.json": manifest("library", { "@pulumi/pulumi": PULUMI, "pulumi-vps": VERSION }),
      "index.js": LIBRARY
    })
    writeFiles(program, {
      "package.json": manifest("program", { "@pulumi/pulumi": PULUMI, library: "workspace:*" }),
      "Pulumi.yaml":
        "name: shop\nruntime: { name: nodejs, options: { typescript: false, packagemanager: pnpm } }\nmain: index.js\n",
      "index.js": "import { Web } from \"library\"\nnew Web(\"web\")\n"
    })
    mkdirSync(join(work, "home"))
    const env = personAt(join(work, "home"), {
      npm_config_registry: registry.url,
      npm_config_cache: join(work, "npm"),
      PULUMI_HOME: join(work, "home/.pulumi"),
      PULUMI_BACKEND_URL: `file://${work}`,
      PULUMI_CONFIG_PASSPHRASE: "a passphrase of the tests",
      PULUMI_SKIP_UPDATE_CHECK: "true",
      ...credentials(service)
    })
    const run = (folder: string, commands: string): Promise<string> => runCommands(folder, env, commands)
    await run(workspace, `${PNPM} install --ignore-scripts`)
    await run(program, "pulumi stack init dev")
    const up = "pulumi up --yes --skip-preview --non-interactive"
    const refused = await run(program, `! ${up}`)
    assert.include(
      refused.replaceAll(/\s+/g, " "),
      `Pulumi loads pulumi-vps from the program's folder, ${program}, which does not have it`
    )
    const [, advice = ""] = /(pnpm add pulumi-vps@[\d.]+\d)/.exec(refused) ?? []
    await run(program, advice.replace("pnpm", PNPM))
    assert.match(await run(program, up), /buying VPS S charges 4\.99 EUR now[^]*\+ 1 created[^]*2 unchanged/)
  }, TIMEOUT)
})
