/**
 * The paths of README.md and docs/getting-started.md as a new user takes them: in an empty folder, each command and
 * file as written there. `npm install` gets the package of this tree, and all others from the registry.
 */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { text } from "node:stream/consumers"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { readDocument } from "../support/documents.ts"
import { type Registry, startRegistry } from "../support/registry.ts"
import { homeWithKey } from "../support/sshKey.ts"
import { type ServiceProcess, startService } from "../support/serviceProcess.ts"
import { control, credentials } from "../support/vps.ts"
import { hasLanguageHost } from "../engine/PulumiCli.ts"

/** ms; an installation downloads Pulumi's SDK, and each pulumi command takes some 5 s. */
const TIMEOUT = 600_000

const folder = mkdtempSync(join(tmpdir(), "pulumi-vps-first-minute-"))
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
  rmSync(folder, { recursive: true, force: true })
})

/** A file, or commands. */
type Step = { readonly file: string; readonly code: string } | { readonly commands: string }

/** The code blocks below a heading: one after a line that ends in a file's name is that file. */
const stepsOf = (document: string, heading: string) => {
  const [, section = ""] = readDocument(document).split(new RegExp(`^#+ ${heading}$`, "m"))
  const [own = ""] = section.split(/^#{1,3} /m)
  return [...own.matchAll(/(?:`([\w./-]+)`:\n\n)?^```(\w+)\n([^]*?)^```$/gm)].flatMap((
    [, file, language, code = ""]
  ): Array<Step> => file !== undefined ? [{ file, code }] : language === "sh" ? [{ commands: code }] : [])
}

/** The developer's own settings. All other variables, such as certificates and proxies, are the computer's. */
const OWN = /^(npm_|VPS_|PULUMI_|NODE_OPTIONS|NODE_ENV|VITEST)/i

/** Go's own caches: without them, Go downloads and compiles Pulumi's SDK again, which takes minutes. */
const GO = Object.fromEntries(
  ["GOCACHE", "GOPATH"].map((name) => [name, spawnSync("go", ["env", name], { encoding: "utf8" }).stdout?.trim()])
)

const variables = (home: string) => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !OWN.test(name))),
  PATH: [join(home, "bin"), dirname(process.execPath), process.env["PATH"]].join(":"),
  HOME: home,
  NO_COLOR: "1",
  ...GO,
  npm_config_registry: registry.url,
  npm_config_prefix: home,
  npm_config_cache: join(folder, "npm"),
  PULUMI_HOME: join(home, "pulumi"),
  PULUMI_BACKEND_URL: `file://${home}`,
  PULUMI_CONFIG_PASSPHRASE: "a passphrase of the tests",
  PULUMI_SKIP_UPDATE_CHECK: "true",
  // The prompts that people confirm.
  PULUMI_SKIP_CONFIRMATIONS: "true",
  ...credentials(service)
})

/** Takes the steps in an empty folder and returns what each of the commands printed. */
const take = async (steps: ReadonlyArray<Step>): Promise<string> => {
  const home = mkdtempSync(join(folder, "user-"))
  homeWithKey(home)
  const project = join(home, "project")
  mkdirSync(project)
  let output = ""
  for (const step of steps) {
    if ("file" in step) writeFileSync(join(project, step.file), step.code)
    else {
      // It keeps the state in the home of the system's user: HOME does not move it.
      const commands = step.commands.replace("pulumi login --local", "true")
      const child = spawn("bash", ["-euc", commands], { cwd: project, env: variables(home), timeout: TIMEOUT / 2 })
      const ended = once(child, "close")
      const [printed, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), ended])
      assert.deepStrictEqual({ code, report: code === 0 ? "" : printed + errors }, { code: 0, report: "" })
      output += printed
    }
  }
  return output
}

const PULUMI = [
  ["README.md", "An infrastructure repository"],
  ["docs/getting-started.md", "An infrastructure repository with Pulumi"]
] as const

describe.skipIf(!hasLanguageHost("nodejs"))("with Pulumi (skipped without pulumi-language-nodejs)", () => {
  it.each(PULUMI)("%s: %s", async (document, heading) => {
    // The pages have the same project and names, and a name buys once.
    await control(service, "POST", "/reset", {})
    await control(service, "PUT", "/deploy", { mode: "instant" })
    const printed = await take(stepsOf(document, heading))
    assert.include(printed, "web: buying VPS S charges 4.99 EUR now (billed monthly)")
    assert.match(printed, /login: "ssh root@[\d.]+"[^]*3 created[^]*3 unchanged[^]*3 deleted/)
  }, TIMEOUT)
})

/** Examples whose first lines have the commands, behind the language's mark of a comment. */
const LANGUAGES = [
  ["yaml", "Pulumi.yaml", /^# {3}(.*)$/gm],
  ["python", "__main__.py", /^ {4}(.*)$/gm],
  ["go", "main.go", /^\/\/\t(.*)$/gm]
] as const

describe("in other languages", () => {
  for (const [name, file, marked] of LANGUAGES) {
    // Pulumi's SDK for Node.js is not installed here: the plugin must work without it.
    it.skipIf(!hasLanguageHost(name))(`examples/${name} (skipped without pulumi-language-${name})`, async () => {
      const [head = ""] = readDocument(`examples/${name}/${file}`).split(/^(?:name: |import |package )/m)
      const lines = [...head.matchAll(marked)].map(([, line = ""]) => line.replace(/^VPS_BASE_URL=\S+ \S+ /, ""))
      assert.include(lines, "pulumi up")
      const copy = `npm install pulumi-vps && cp -r node_modules/pulumi-vps/examples/${name} . && cd ${name}`
      const printed = await take([{ commands: [copy, ...lines, "pulumi up"].join("\n") }])
      assert.match(printed, /charges 4\.99 EUR now[^]*[34] created[^]*[34] unchanged/)
    }, TIMEOUT)
  }
})

describe("without Pulumi", () => {
  it("docs/getting-started.md: An automation script", async () => {
    assert.match(
      await take(stepsOf("docs/getting-started.md", "An automation script")),
      /^instance \d+: ssh root@[\d.]+$/m
    )
  }, TIMEOUT)
  it("docs/getting-started.md: A terminal", async () => {
    assert.include(await take(stepsOf("docs/getting-started.md", "A terminal")), "vps-s")
  }, TIMEOUT)
  it("docs/getting-started.md: Tests", async () => {
    assert.match(await take(stepsOf("docs/getting-started.md", "Tests")), /^1 10\.02$/m)
  }, TIMEOUT)
  it("examples/README.md: an example is copied out, and installs what it needs", async () => {
    const [{ commands } = { commands: "" }] = stepsOf("examples/README.md", "Examples") as [{ commands: string }]
    const script = commands.replaceAll("fleet", "automation-script")
    assert.include(script, "cp -r")
    assert.include(await take([{ commands: `${script}\nnpm start` }]), "Its hostname is web-1.example.com")
  }, TIMEOUT)
})

/** Without an installation, `npx vps` would run another package of the registry. */
it("npx -p pulumi-vps runs the commands without an installation", async () => {
  const line = /^npx -p pulumi-vps (\S+)/m.exec(readDocument("docs/api.md"))
  assert.strictEqual(line?.[1], "vps-service")
  const printed = await take([{ commands: "npx --yes -p pulumi-vps vps --version" }])
  assert.match(printed, /\d+\.\d+\.\d+/)
}, TIMEOUT)
