/**
 * docs/provider-plugin.md on the real `pulumi`, taken literally: the packed package in an empty folder, what is
 * committed from it, and a second clone on another computer, with empty caches of Pulumi.
 */
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { once } from "node:events"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { VERSION } from "#contract/Version"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { hasPulumi } from "../engine/PulumiCli.ts"
import { personAt, pulumiAt, runCommands, sectionOf, writeFiles } from "../support/guide.ts"
import { type Registry, startRegistry } from "../support/registry.ts"
import { type ServiceProcess, startService } from "../support/serviceProcess.ts"
import { homeWithKey } from "../support/sshKey.ts"
import { control, credentials } from "../support/vps.ts"

/** ms; pip installs Pulumi's SDK twice. */
const TIMEOUT = 600_000

const GUIDE = "docs/provider-plugin.md"
const ARCHIVE = `pulumi-resource-vps-v${VERSION}-linux-amd64.tar.gz`

const has = (command: string, ...args: ReadonlyArray<string>): boolean =>
  spawnSync(command, args, { stdio: "ignore" }).status === 0

const hasYaml = hasPulumi && has("which", "pulumi-language-yaml")
const hasPython = hasPulumi && has("which", "pulumi-language-python") && has("python3", "-m", "venv", "--help")

const work = mkdtempSync(join(tmpdir(), "pulumi-vps-plugin-"))
let registry: Registry
let service: ServiceProcess
/** The reader's own server, with the archive that the guide makes. */
let plugins: Server
let requested: Array<string> = []

beforeAll(async () => {
  registry = await startRegistry()
  service = await startService("--emulator")
  await control(service, "PUT", "/deploy", { mode: "instant" })
  plugins = createServer((request, response) => {
    const name = basename(request.url ?? "")
    requested.push(name)
    if (name !== ARCHIVE) return response.writeHead(404).end()
    // The engine refuses an answer without its length.
    return response.end(readFileSync(join(work, "archive", ARCHIVE)))
  }).listen(0, "127.0.0.1")
  await once(plugins, "listening")
})
afterAll(async () => {
  registry.close()
  plugins.close()
  await service.end()
  rmSync(work, { recursive: true, force: true })
})

const serverUrl = (): string => `http://127.0.0.1:${(plugins.address() as AddressInfo).port}`

interface Person {
  readonly home: string
  readonly run: (folder: string, commands: string) => Promise<string>
}

/** A person with an SSH key and a computer without any plugin. */
const person = (name: string): Person => {
  const home = join(work, name)
  homeWithKey(home)
  const env = personAt(home, {
    npm_config_registry: registry.url,
    npm_config_cache: join(work, "npm"),
    PIP_CACHE_DIR: join(work, "pip"),
    ...pulumiAt(home),
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: `${name}@example.com`,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: `${name}@example.com`,
    ...credentials(service)
  })
  return {
    home,
    run: (folder, commands) => runCommands(folder, env, commands.replaceAll(/https:.*\/pulumi$/gm, serverUrl()))
  }
}

/** Buys the instance of a program, which a second run does not change; returns what was printed. */
const assertBuys = async ({ run }: Person, folder: string): Promise<string> => {
  await control(service, "POST", "/reset")
  await control(service, "PUT", "/deploy", { mode: "instant" })
  const printed = await run(folder, "pulumi stack select --create dev && pulumi up && pulumi up")
  assert.match(printed, /charges 4\.99 EUR now[^]*\+ 2 created[^]*2 unchanged/)
  // A plugin on PATH, of this tree's `node_modules/.bin`, would hide that none is found.
  assert.notInclude(printed, "from $PATH")
  return printed
}

/** The archive of the guide, from the package that npm installed in this folder. */
const makeArchive = async ({ run }: Person, folder: string): Promise<string> => {
  const target = join(work, "archive")
  if (existsSync(join(target, ARCHIVE))) return target
  mkdirSync(target)
  await run(folder, `${sectionOf(GUIDE, "From your own server").commands[0]}mv ${ARCHIVE} ${target}`)
  return target
}

describe.skipIf(!hasYaml)("with YAML (skipped without pulumi-language-yaml)", () => {
  let author: Person
  let origin: string
  beforeAll(async () => {
    author = person("yaml")
    origin = join(author.home, "origin")
    mkdirSync(origin)
    await author.run(origin, "npm init --yes && npm install pulumi-vps")
  })

  const INSTANCE = "{ plan: vps-s, hostname: web.example.com, maxCharge: 10, deletionPolicy: stop }"
  const program = (more = "", options = ""): string =>
    `name: shop\nruntime: yaml\n${more}resources:\n  web:\n    type: vps:Instance\n`
    + `    properties: ${INSTANCE}\n${options}`

  /** A folder that has only this file: no package of npm. */
  const alone = (name: string, yaml: string): { readonly who: Person; readonly folder: string } => {
    const who = person(name)
    const folder = join(who.home, "shop")
    writeFiles(folder, { "Pulumi.yaml": yaml })
    return { who, folder }
  }

  it("`pulumi plugin install -f` installs the folder of the package, and a program without a hint runs", async () => {
    const { folder, who } = alone("folder", program())
    const [command = ""] = sectionOf(GUIDE, "From an archive").commands.slice(2)
    assert.include(command, "-f node_modules/pulumi-vps/plugin")
    await who.run(origin, command)
    await assertBuys(who, folder)
  }, TIMEOUT)

  it("an archive that is made from the folder is installed, too", async () => {
    const { folder, who } = alone("archived", program())
    const [command = ""] = sectionOf(GUIDE, "From an archive").commands
    await who.run(await makeArchive(author, origin), command.split("\n")[0] ?? "")
    await assertBuys(who, folder)
  }, TIMEOUT)

  it("`pulumi install` gets it from the server that a resource names", async () => {
    await makeArchive(author, origin)
    const options = `    options: { version: ${VERSION}, pluginDownloadURL: "${serverUrl()}" }\n`
    const { folder, who } = alone("served", program("", options))
    requested = []
    await who.run(folder, "pulumi install")
    assert.deepStrictEqual(requested, [ARCHIVE])
    await assertBuys(who, folder)
  }, TIMEOUT)

  it("`npm ci` is all that a clone needs whose Pulumi.yaml names the folder", async () => {
    const [plugin = ""] = sectionOf(GUIDE, "YAML").blocks
    writeFiles(origin, { "Pulumi.yaml": program(plugin), ".gitignore": "/node_modules/\n" })
    await author.run(origin, "git init -q && git add -A && git commit -qm shop")
    const who = person("clone")
    await who.run(who.home, `git clone -q ${origin} shop`)
    const folder = join(who.home, "shop")
    await who.run(folder, "npm ci")
    await assertBuys(who, folder)
  }, TIMEOUT)

  it("the engine reads the schema of the folder without knowing the provider's name", async () => {
    const printed = await author.run(origin, "pulumi package get-schema ./node_modules/pulumi-vps/plugin 2> /dev/null")
    const schema = JSON.parse(printed) as { readonly name: string; readonly version: string }
    assert.deepStrictEqual([schema.name, schema.version], ["vps", VERSION])
  }, TIMEOUT)
})

describe.skipIf(!hasPython)("with Python (skipped without pulumi-language-python and venv)", () => {
  const FIRST = sectionOf(GUIDE, "From npm")
  let author: Person
  let origin: string
  beforeAll(async () => {
    author = person("python")
    origin = join(author.home, "origin")
    writeFiles(origin, FIRST.files)
    await author.run(origin, `${FIRST.commands[0]}git init -q`)
  }, TIMEOUT)

  /** Commits what Git does not ignore, and follows the guide in a clone of it on another computer. */
  const clone = async (name: string, commands: string, archive?: string): Promise<string> => {
    await author.run(origin, `git checkout -q --orphan ${name} && git add -A && git commit -qm ${name}`)
    const who = person(name)
    const folder = join(who.home, "shop")
    await who.run(who.home, `git clone -q -b ${name} ${origin} shop`)
    if (archive !== undefined) {
      await who.run(folder, `cp ${archive}/${ARCHIVE} . && echo /${ARCHIVE} >> .git/info/exclude`)
    }
    await who.run(folder, commands)
    const printed = await assertBuys(who, folder)
    assert.match(await who.run(folder, FIRST.commands[1]!.split("\n").at(-2) ?? ""), /^ssh root@[\d.]+$/m)
    assert.strictEqual(await who.run(folder, "git status --porcelain | grep -v Pulumi.dev.yaml || true"), "")
    return printed
  }

  it(
    "from npm: the author runs the guide's program, and a clone runs it after `npm ci` and `pulumi install`",
    async () => {
      assert.include(
        readFileSync(join(origin, "Pulumi.yaml"), "utf8"),
        sectionOf(GUIDE, "What `pulumi package add` writes").blocks[0]!
      )
      assert.match(readFileSync(join(origin, "requirements.txt"), "utf8"), /^sdks\/vps$/m)
      await assertBuys(author, origin)
      assert.match(await author.run(origin, FIRST.commands[1]!.split("\n").at(-2) ?? ""), /^ssh root@[\d.]+$/m)
      await clone("npm", FIRST.commands[2]!)
    },
    TIMEOUT
  )

  /** The author's project before `package add`, with the environment that exists already. */
  const startAgain = async (): Promise<void> => {
    rmSync(join(origin, "sdks"), { recursive: true, force: true })
    writeFiles(origin, FIRST.files)
  }

  it("from a server: `package add` writes its URL, and a clone needs `pulumi install` only", async () => {
    await makeArchive(author, origin)
    await startAgain()
    const { commands: [, add = "", install = ""] } = sectionOf(GUIDE, "From your own server")
    await author.run(origin, add)
    assert.include(readFileSync(join(origin, "Pulumi.yaml"), "utf8"), `pluginDownloadURL: ${serverUrl()}`)
    requested = []
    await clone("server", install)
    assert.deepStrictEqual(requested, [ARCHIVE])
  }, TIMEOUT)

  it("from an archive: a clone installs it first", async () => {
    const archive = await makeArchive(author, origin)
    await startAgain()
    const { commands: [add = "", install = ""] } = sectionOf(GUIDE, "From an archive")
    const first = person("archiver")
    await author.run(origin, `cp ${archive}/${ARCHIVE} . && echo /${ARCHIVE} >> .git/info/exclude`)
    await first.run(origin, add)
    assert.include(readFileSync(join(origin, "Pulumi.yaml"), "utf8"), `vps: vps@${VERSION}`)
    await clone("archive", install, archive)
  }, TIMEOUT)

  it("with a committed SDK, generated from the schema", async () => {
    await startAgain()
    const { commands: [add = "", install = ""] } = sectionOf(GUIDE, "A committed SDK")
    writeFiles(origin, { ".gitignore": FIRST.files[".gitignore"]!.replace("/sdks/\n", "") })
    await author.run(origin, add)
    assert.notInclude(readFileSync(join(origin, "Pulumi.yaml"), "utf8"), "packages:")
    await clone("committed", install)
    assert.include(await author.run(origin, "git ls-files"), "sdks/vps/pulumi_vps/instance.py")
  }, TIMEOUT)
})
