/**
 * The examples for OpenTofu and Terraform, from the packed tarball, on the real `tofu`: each is applied, plans nothing
 * afterwards, and is destroyed. So are the lines that `vps terraform init` prints.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { afterAll, assert, beforeAll, beforeEach, describe, it } from "vitest"
import { SSH_KEY } from "../support/sshKey.ts"
import { hasCommand } from "../engine/terraform/Cli.ts"
import { makeConsumer } from "../support/consumer.ts"
import { type ServiceProcess, startService } from "../support/serviceProcess.ts"
import { control, credentials } from "../support/vps.ts"

/** ms; a day and an hour, in which the service makes a backup. */
const NIGHT = 25 * 3_600_000

interface Printed {
  readonly development_configuration: string
  readonly configuration: string
}

describe.skipIf(!hasCommand("tofu"))("on the real tofu (skipped when it is not on PATH)", () => {
  const folder = makeConsumer()
  const installed = join(folder, "node_modules/pulumi-vps")
  let service: ServiceProcess
  let printed: Printed
  beforeAll(async () => {
    service = await startService("--emulator")
    const vps = join(folder, "node_modules/@pulumi-vps/sdk/dist/cli/bin.js")
    const args = [vps, "terraform", "init", "--mirror", join(folder, "mirror"), "-o", "json"]
    printed = JSON.parse(execFileSync(process.execPath, args, { cwd: folder, encoding: "utf8" })) as Printed
    writeFileSync(join(folder, "rc"), printed.development_configuration)
  })
  afterAll(async () => {
    await service.end()
    rmSync(folder, { recursive: true, force: true })
  })
  beforeEach(async () => {
    await control(service, "POST", "/reset")
    await control(service, "PUT", "/deploy", { mode: "instant" })
  })

  const tofu = (cwd: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) => {
    const own = { ...credentials(service), TF_CLI_CONFIG_FILE: join(folder, "rc"), CHECKPOINT_DISABLE: "1", ...env }
    const options = { cwd, env: { ...process.env, ...own }, encoding: "utf8" } as const
    const { status, stderr, stdout } = spawnSync("tofu", [...args, "-no-color"], options)
    return { status, output: stdout + stderr }
  }

  /** Applies, plans nothing more, and destroys what the policy of the example allows. */
  const play = (cwd: string, env: Readonly<Record<string, string>> = {}): string => {
    const { output, status } = tofu(cwd, ["apply", "-auto-approve", "-input=false"], env)
    assert.strictEqual(status, 0, output)
    const again = tofu(cwd, ["plan", "-detailed-exitcode", "-input=false"], env)
    assert.strictEqual(again.status, 0, again.output)
    const destroyed = tofu(cwd, ["destroy", "-auto-approve", "-input=false"], { VPS_DELETION_POLICY: "stop", ...env })
    assert.strictEqual(destroyed.status, 0, destroyed.output)
    return output
  }

  const own = (name: string, text: string): string => {
    const project = join(folder, name)
    mkdirSync(project)
    writeFileSync(join(project, "main.tf"), text)
    return project
  }

  const buy = (hostname: string) =>
    fetch(`${service.url}/instances`, {
      method: "POST",
      headers: { authorization: `Bearer ${service.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ service_id: 1, hostname })
    })

  it("the lines of `vps terraform init` buy an instance", () => {
    assert.match(
      play(own("init", printed.configuration), { TF_VAR_ssh_public_key: SSH_KEY }),
      /web: buying VPS S charges 4\.99 EUR now[^]*1 added/
    )
  })

  const HEAD = readFileSync(join(installed, "docs/terraform/examples/provider.tf"), "utf8").replace(
    /^ *base_url.*\n/m,
    ""
  )
  const pages = globSync("docs/terraform/examples/*vps_*.tf", { cwd: installed })
  const isOfData = (path: string) => basename(path).startsWith("data.")
  it("the pages of all data sources, in one configuration", async () => {
    await buy("web.example.com")
    const texts = pages.filter(isOfData).map((path) => readFileSync(join(installed, path), "utf8"))
    assert.match(play(own("data", HEAD + texts.join("\n"))), /systems\s+= \[/)
  })
  it.each(pages.filter((path) => !isOfData(path)))("%s", async (path) => {
    const project = own(basename(path), HEAD + readFileSync(join(installed, path), "utf8"))
    if (path.includes("backup_restore")) {
      assert.strictEqual(tofu(project, ["apply", "-auto-approve", "-target=vps_instance.web"]).status, 0)
      await control(service, "POST", "/clock", { advance_ms: NIGHT })
    }
    assert.include(play(project), "Apply complete!")
  })

  const examples = globSync("examples/terraform/*/main.tf", { cwd: installed }).map((path) => path.split("/").at(-2)!)
  it.each(examples)("examples/terraform/%s", async (name) => {
    cpSync(join(installed, "examples/terraform", name), join(folder, name), { recursive: true })
    await buy("old.example.com")
    const other = await control(service, "POST", "/accounts", { email: "blog@example.test", wallet: 100 }) as {
      readonly api_key: string
    }
    const output = play(join(folder, name), {
      TF_VAR_instance_id: "1",
      TF_VAR_shop_key: service.apiKey,
      TF_VAR_blog_key: other.api_key
    })
    assert.match(output, name === "fleet" ? /charge_cents\s+= 1997/ : /Apply complete!/)
  })

  it("have the layout of `tofu fmt`", () => {
    for (const path of ["docs/terraform/examples", "examples/terraform"]) {
      const { output, status } = tofu(installed, ["fmt", "-check", "-recursive", path])
      assert.strictEqual(status, 0, output)
    }
  })
})
