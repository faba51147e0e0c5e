/** People who install the plugin as docs/provider-plugin.md says: a registry, a service, and a server of their own. */
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { once } from "node:events"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { VERSION } from "#contract/Version"
import { afterAll, assert, beforeAll } from "vitest"
import { hasPulumi } from "../engine/PulumiCli.ts"
import { personAt, pulumiAt, runCommands, sectionOf, writeFiles } from "./guide.ts"
import { type Registry, startRegistry } from "./registry.ts"
import { type ServiceProcess, startService } from "./serviceProcess.ts"
import { homeWithKey } from "./sshKey.ts"
import { control, credentials } from "./vps.ts"

/** ms; pip installs Pulumi's SDK twice. */
export const INSTALL_TIMEOUT = 600_000

export const GUIDE = "docs/provider-plugin.md"
export const ARCHIVE = `pulumi-resource-vps-v${VERSION}-linux-amd64.tar.gz`

export interface Person {
  readonly home: string
  readonly run: (folder: string, commands: string) => Promise<string>
}

export interface PluginInstall {
  readonly serverUrl: () => string
  /** The names that were requested of the reader's own server since the last call. */
  readonly takeRequested: () => ReadonlyArray<string>
  /** A person with an SSH key and a computer without any plugin. */
  readonly person: (name: string) => Person
  /** Buys the instance of a program, which a second run does not change; returns what was printed. */
  readonly assertBuys: (who: Person, folder: string) => Promise<string>
  /** The archive of the guide, from the package that npm installed in this folder. */
  readonly makeArchive: (who: Person, folder: string) => Promise<string>
}

/** For the tests of a file: started before them, and stopped after them. */
export const pluginInstall = (): PluginInstall => {
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
  return {
    serverUrl,
    takeRequested: () => requested.splice(0),
    person: (name) => {
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
    },
    assertBuys: async ({ run }, folder) => {
      await control(service, "POST", "/reset")
      await control(service, "PUT", "/deploy", { mode: "instant" })
      const printed = await run(folder, "pulumi stack select --create dev && pulumi up && pulumi up")
      assert.match(printed, /charges 4\.99 EUR now[^]*\+ 2 created[^]*2 unchanged/)
      // A plugin on PATH, of this tree's `node_modules/.bin`, would hide that none is found.
      assert.notInclude(printed, "from $PATH")
      return printed
    },
    makeArchive: async ({ run }, folder) => {
      const target = join(work, "archive")
      if (existsSync(join(target, ARCHIVE))) return target
      mkdirSync(target)
      await run(folder, `${sectionOf(GUIDE, "From your own server").commands[0]}mv ${ARCHIVE} ${target}`)
      return target
    }
  }
}

/** A project in Python, whose author commits it, and clones on other computers. */
export interface PythonProject {
  readonly author: Person
  readonly origin: string
  /** Commits what Git does not ignore, and follows the guide in a clone of it on another computer. */
  readonly clone: (name: string, commands: string, archive?: string) => Promise<string>
  /** The author's project before `package add`, with the environment that exists already. */
  readonly startAgain: () => void
}

/** The section of the guide that begins the project. */
export const FIRST = sectionOf(GUIDE, "From npm")

export const pythonProject = async ({ assertBuys, person }: PluginInstall): Promise<PythonProject> => {
  const author = person("python")
  const origin = join(author.home, "origin")
  writeFiles(origin, FIRST.files)
  await author.run(origin, `${FIRST.commands[0]}git init -q`)
  return {
    author,
    origin,
    clone: async (name, commands, archive) => {
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
    },
    startAgain: () => {
      rmSync(join(origin, "sdks"), { recursive: true, force: true })
      writeFiles(origin, FIRST.files)
    }
  }
}

const has = (command: string, ...args: ReadonlyArray<string>): boolean =>
  spawnSync(command, args, { stdio: "ignore" }).status === 0

export const hasYaml = hasPulumi && has("which", "pulumi-language-yaml")
export const hasPython = hasPulumi && has("which", "pulumi-language-python") && has("python3", "-m", "venv", "--help")
