/**
 * The provider from npm, installed by `init` of the real engines: `vps terraform init` of the packed package in an
 * empty folder, then a module, a backend, and a second provider, in the folder and in a colleague's clone.
 */
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { VERSION } from "#contract/Version"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { COMMANDS, hasCommand } from "../engine/terraform/Cli.ts"
import { SSH_KEY } from "../support/sshKey.ts"
import { personAt, runCommands, writeFiles } from "../support/guide.ts"
import { packed } from "../support/packed.ts"
import { type ServiceProcess, startService } from "../support/serviceProcess.ts"
import { control, credentials } from "../support/vps.ts"

/** ms; npm installs, and an engine starts some ten times. */
const TIMEOUT = 240_000

const REGISTRIES = { tofu: "registry.opentofu.org", terraform: "registry.terraform.io" } as const

/** A space, as in the names of people's folders. */
const work = mkdtempSync(join(tmpdir(), "pulumi vps mirror-"))
let service: ServiceProcess
beforeAll(async () => {
  service = await startService("--emulator")
})
afterAll(async () => {
  await service.end()
  rmSync(work, { recursive: true, force: true })
})

const MODULE = `terraform {
  required_providers {
    vps = { source = "pulumi-vps/vps" }
  }
}

data "vps_plans" "all" {}

output "plans" {
  value = length(data.vps_plans.all.plans)
}
`

const MORE = `
terraform {
  backend "local" {
    path = "states/shop.tfstate"
  }
}

module "plans" {
  source = "./plans"
}
`

/** A configuration with a second provider, of another address, which reads with its own process. */
const withOther = (main: string): string =>
  `${main.replace("required_providers {", "required_providers {\n    other = { source = \"acme/vps\" }")}
data "vps_plans" "other" {
  provider = other
}
`

/** An empty folder with the packed package, and a person without a configuration of the engines. */
const project = async (name: string) => {
  const home = join(work, name)
  const folder = join(home, "shop")
  mkdirSync(folder, { recursive: true })
  const env = personAt(home, {
    npm_config_cache: join(work, "npm"),
    CHECKPOINT_DISABLE: "1",
    TF_IN_AUTOMATION: "1",
    TF_INPUT: "0",
    TF_CLI_ARGS: "-no-color",
    TF_VAR_ssh_public_key: SSH_KEY,
    ...credentials(service)
  })
  const run = (commands: string): Promise<string> => runCommands(folder, env, commands)
  await run(`npm init --yes && npm install --no-audit --no-fund "${packed("sdk").path}" "${packed("provider").path}"`)
  return { env, folder, home, run }
}

/** The parts of what the command prints, by their number. */
const partsOf = (printed: string): ReadonlyArray<string> => printed.split(/^# \d\. .*$/m)

/** The command without the rest of what it prints. */
const INIT = "npx vps terraform init"

/** Fails as a command does that has to fail. */
const failure = async (ran: Promise<string>): Promise<string> => {
  try {
    await ran
  } catch (error) {
    return (error as Error).message
  }
  throw new Error("the command should fail")
}

const reset = async (): Promise<void> => {
  await control(service, "POST", "/reset")
  await control(service, "PUT", "/deploy", { mode: "instant" })
}

for (const engine of COMMANDS) {
  describe.skipIf(!hasCommand(engine))(`on the real ${engine} (skipped when it is not on PATH)`, () => {
    it(
      "with a module and a backend, `init` needs no setting; the program buys an instance that can be entered",
      async () => {
        await reset()
        const { folder, run } = await project(`${engine}-plain`)
        const [, , main = "", steps = ""] = partsOf(await run(INIT))
        writeFiles(folder, { "main.tf": main + MORE })
        writeFiles(join(folder, "plans"), { "main.tf": MODULE })
        assert.include(steps, "# tofu init\n# tofu apply\n")
        await run(`${engine} init && ${engine} validate`)
        const applied = await run(`${engine} apply -auto-approve`)
        assert.match(applied, /buying VPS S charges 4\.99 EUR now[^]*1 added/)
        assert.match(await run(`${engine} output -raw login`), /^ssh root@[\d.]+$/)
        assert.isTrue(existsSync(join(folder, "states/shop.tfstate")))
        // The engine links to the mirror: the copy of npm may go.
        rmSync(join(folder, "node_modules"), { recursive: true })
        await run(`${engine} plan -detailed-exitcode`)
      },
      TIMEOUT
    )

    // Mirrors, lock files and `-upgrade` are code that the two engines share.
    if (engine !== "tofu") return

    it("a second provider comes from where it came from before, with the printed configuration", async () => {
      await reset()
      const { env, folder, home, run } = await project(`${engine}-second`)
      const [, configuration = "", main = ""] = partsOf(await run(INIT))
      const registry = REGISTRIES[engine]
      // Of the second provider there is no other than this one, under another name.
      const own = join(folder, "terraform.d/plugins", registry, "pulumi-vps/vps")
      const elsewhere = join(home, "mirror")
      cpSync(own, join(elsewhere, registry, "acme/vps"), { recursive: true })
      const second = `  filesystem_mirror {\n    path    = ${
        JSON.stringify(elsewhere)
      }\n    include = ["${registry}/acme/vps"]\n  }\n`
      const file = join(home, "rc")
      // The engine tries every source that is not excluded.
      const both = configuration.replace("exclude = [", `exclude = ["${registry}/acme/vps", `)
      writeFileSync(file, both.replace("  direct {", `${second}  direct {`))
      env["TF_CLI_CONFIG_FILE"] = file
      writeFiles(folder, { "main.tf": withOther(main) })
      const printed = await run(`${engine} init`)
      assert.match(
        printed,
        /Installed pulumi-vps\/vps v[^]*Installed acme\/vps v|Installed acme\/vps v[^]*Installed pulumi-vps\/vps v/
      )
      assert.include(await run(`${engine} apply -auto-approve`), "1 added")
      // All other providers are still looked up in their registries.
      const unknown =
        "terraform {\n  required_providers {\n    no = { source = \"registry.invalid/acme/no\" }\n  }\n}\n"
      writeFiles(folder, { "main.tf": unknown })
      assert.match(await failure(run(`${engine} init`)), /registry\.invalid/)
    }, TIMEOUT)

    it("a colleague's clone accepts the committed lock file, and another platform's hash can be added", async () => {
      await reset()
      const author = await project(`${engine}-author`)
      const [, , main = ""] = partsOf(await author.run(`${INIT} --platform darwin_arm64 --platform windows_amd64`))
      writeFiles(author.folder, { "main.tf": main })
      await author.run(`${engine} init`)
      const lock = join(author.folder, ".terraform.lock.hcl")
      const hashes = () => readFileSync(lock, "utf8").match(/"h1:[^"]+"/g) ?? []
      assert.lengthOf(hashes(), 1)
      const add = `${engine} providers lock -fs-mirror=terraform.d/plugins`
      await author.run(`${add} -platform=linux_amd64 -platform=darwin_arm64`)
      assert.lengthOf(hashes(), 1)
      await author.run(`${add} -platform=windows_amd64`)
      assert.lengthOf(hashes(), 2)
      const colleague = await project(`${engine}-colleague`)
      for (const name of ["main.tf", ".terraform.lock.hcl"]) {
        cpSync(join(author.folder, name), join(colleague.folder, name))
      }
      await colleague.run(`${INIT} && ${engine} init -lockfile=readonly && ${engine} plan`)
    }, TIMEOUT)

    it("an update of the package is installed by the same command and `init -upgrade`", async () => {
      await reset()
      const { folder, run } = await project(`${engine}-update`)
      const [, , main = ""] = partsOf(await run(INIT))
      writeFiles(folder, { "main.tf": main })
      // An older version of the package has left its provider there.
      for (const path of globSync(`terraform.d/plugins/*/pulumi-vps/vps/${VERSION}`, { cwd: folder })) {
        cpSync(join(folder, path), join(folder, path.replace(VERSION, "0.0.9")), { recursive: true })
        rmSync(join(folder, path), { recursive: true })
      }
      assert.match(await run(`${engine} init`), /Installed pulumi-vps\/vps v0\.0\.9/)
      await run(INIT)
      assert.include(await run(`${engine} init`), "v0.0.9")
      assert.include(await run(`${engine} init -upgrade`), `Installed pulumi-vps/vps v${VERSION}`)
      await run(`${engine} plan`)
    }, TIMEOUT)
  })
}
