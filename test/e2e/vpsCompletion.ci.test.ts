/** The completion scripts in real shells: commands, plans, images, hostnames, contexts and files. */
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { ROOT } from "../support/consumer.ts"
import { type ServiceProcess, startService } from "../support/serviceProcess.ts"
import { hasTerminal, runInTerminal } from "../support/terminal.ts"
import { control, credentials, runVps, VPS, vpsOf } from "../support/vps.ts"

let service: ServiceProcess
let folder: string
let env: Readonly<Record<string, string>>
const { run } = vpsOf(() => service)

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "pulumi-vps-completion-"))
  service = await startService("--emulator")
  await control(service, "PUT", "/deploy", { mode: "instant" })
  await run("instance create --plan vps-s --hostname web.example.com --wait")
  mkdirSync(join(folder, "bin"))
  symlinkSync(VPS, join(folder, "bin/vps"))
  const contexts = { staging: { base_url: service.url, api_key: service.apiKey } }
  writeFileSync(join(folder, "contexts.json"), JSON.stringify({ current: "staging", contexts }), { mode: 0o600 })
  writeFileSync(join(folder, "key_file.pub"), "")
  const path = [join(folder, "bin"), join(ROOT, "node_modules/.bin"), process.env["PATH"]].join(delimiter)
  env = {
    ...credentials(service),
    PATH: path,
    VPS_CONFIG: join(folder, "contexts.json"),
    HOME: folder,
    ZDOTDIR: folder
  }
  for (const shell of ["bash", "zsh", "fish"]) {
    writeFileSync(join(folder, `completion.${shell}`), (await runVps(["completions", shell])).stdout)
  }
  const start = `cd ${folder}; PS1="READY> "; source completion`
  writeFileSync(join(folder, "bashrc"), `${start}.bash\n`)
  writeFileSync(join(folder, ".zshrc"), `autoload -Uz compinit; compinit -u -D; ${start}.zsh\n`)
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await service.end()
})

const isInstalled = (shell: string): boolean => spawnSync(shell, ["--version"]).status === 0

/** A line that is typed up to a Tab, and what Tab completes. */
const LINES = [
  ["vps inst", "ance"],
  ["vps instance get we", "b.example.com"],
  ["vps instance create --plan vps-m-", "hel"],
  ["vps instance create --plan=ded", "-1"],
  ["vps instance create --os fre", "ebsd-14"],
  ["vps context use sta", "ging"],
  ["vps serv", "er"],
  ["vps server get we", "b.example.com"],
  ["vps instance create --ssh-key key_", "file.pub"],
  ["vps instance create --dry", "-run"]
] as const

const TAB = "\t"
const CLEAR = "\u0015"

describe.skipIf(!hasTerminal)("Tab (needs script of util-linux)", () => {
  it.skipIf(!isInstalled("bash")).each(LINES)("in bash, %s is completed", async (typed, rest) => {
    const keys = [["READY> ", `${typed}${TAB}`], [`${typed}${rest}`, `${CLEAR}exit\n`]] as const
    const { stdout } = await runInTerminal(["--noprofile", "--rcfile", join(folder, "bashrc"), "-i"], env, keys, "bash")
    assert.include(stdout, typed + rest)
  })
  it.skipIf(!isInstalled("zsh")).each(LINES)("in zsh, %s is completed", async (typed, rest) => {
    const keys = [["READY> ", `${typed}${TAB}`], [rest, `${CLEAR}exit\n`]] as const
    const { stdout } = await runInTerminal(["-d", "-i"], env, keys, "zsh")
    assert.include(stdout, rest)
  })
})

describe.skipIf(!isInstalled("fish"))("fish", () => {
  const completed = (line: string) => {
    const script = `source ${join(folder, "completion.fish")}; complete -C '${line}'`
    return spawnSync("fish", ["--no-config", "-c", script], { cwd: folder, env, encoding: "utf8" }).stdout
  }

  it.each(LINES)("%s is completed", (typed, rest) => {
    const last = typed.split(" ").at(-1)!
    assert.include(completed(typed), (last + rest).trim())
  })
  it("describes the candidates, and offers no negated flags", () => {
    assert.strictEqual(completed("vps instance get "), "web.example.com\trunning, vps-s, 198.18.0.1\n")
    assert.notInclude(completed("vps instance create --"), "--no-")
  })
})
