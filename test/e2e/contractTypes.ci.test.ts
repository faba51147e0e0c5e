/** A renamed field, command, path, or parameter fails the type check of what calls it. */
import { execFile } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { FOLDERS, readManifest } from "../../.config/build/workspace.ts"
import { afterAll, assert, beforeAll, describe, it } from "vitest"

const root = join(import.meta.dirname, "../..")
const TSC = join(root, "node_modules/@typescript/native/bin/tsc")

let copy = ""

beforeAll(() => {
  copy = mkdtempSync(join(root, "node_modules/.cache/contract-"))
  for (const name of ["service", "sdk", "provider", "package.json", "tsconfig.json"]) {
    cpSync(join(root, name), join(copy, name), { recursive: true })
  }
  // All other packages are found above, in the folder of the repository.
  for (const folder of FOLDERS) {
    const link = join(copy, "node_modules", readManifest(folder).name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(copy, folder), link)
  }
  const commandLine = { extends: "./tsconfig.json", include: ["service/admin/cli"] }
  writeFileSync(join(copy, "admin.json"), JSON.stringify(commandLine))
})

afterAll(() => rmSync(copy, { recursive: true }))

/** The errors of a check, one a line. */
const check = (project: string) =>
  new Promise<string>((resolve) => {
    const args = [TSC, "-p", project, "--incremental", "false", "--noEmit"]
    execFile(process.execPath, args, { cwd: copy, maxBuffer: 2 ** 26 }, (_, stdout) => resolve(stdout))
  })

const rename = (file: string, before: string, after: string) => {
  const path = join(copy, file)
  const text = readFileSync(path, "utf8")
  assert.include(text, before, file)
  writeFileSync(path, text.replaceAll(before, after))
}

const HOSTS = "service/contract/operator/Hosts.ts"

interface Renamed {
  readonly file: string
  readonly before: string
  readonly after: string
  readonly panel: RegExp
  readonly commandLine?: RegExp
}

const RENAMED: Readonly<Record<string, Renamed>> = {
  "field of a result": {
    file: HOSTS,
    before: "memory_mib: Use",
    after: "memory: Use",
    panel: /Hosts\.tsx.*'memory_mib'/
  },
  "field of an input": {
    file: "service/contract/operator/Accounts.ts",
    before: "creates_per_hour: Rate",
    after: "per_hour: Rate",
    panel: /Account\.tsx.*'creates_per_hour'/,
    commandLine: /admin\/cli\/.*'creates_per_hour'/
  },
  "command": {
    file: HOSTS,
    before: "\"hosts.drain\"",
    after: "\"hosts.empty\"",
    panel: /Hosts\.tsx.*"hosts\.drain"/,
    commandLine: /admin\/.*"hosts\.drain"/
  },
  "command that becomes one of the host only": {
    file: HOSTS,
    before: "\"hosts.activate\": acts({",
    after: "\"hosts.activate\": acts({ hostOnly: true,",
    panel: /Hosts\.tsx.*"hosts\.activate"/
  },
  "record of the search": {
    file: "service/contract/operator/Instances.ts",
    before: "hostname: NullableString",
    after: "host: NullableString",
    panel: /SearchDialog\.tsx.*'hostname'/
  },
  "field of the API": {
    file: "sdk/contract/Instance.ts",
    before: "  ipv4:",
    after: "  ip:",
    panel: /Overview\.tsx.*'ipv4'/
  },
  "path of the API": {
    file: "sdk/contract/Power.ts",
    before: "/restart",
    after: "/reboot",
    panel: /Rescue\.tsx.*restart/
  },
  "parameter of a path": {
    file: "sdk/contract/Snapshots.ts",
    before: "snap_id",
    after: "snapshot_id",
    panel: /Images\.tsx.*snap_id/
  },
  "field of a body": {
    file: "service/panel/contract/AccountCalls.ts",
    before: "overlap_hours",
    after: "overlap",
    panel: /Keys\.tsx\(.*overlap/
  },
  "field of a control": {
    file: "service/contract/Emulator.ts",
    before: "frozen:",
    after: "stopped:",
    panel: /Emulator\.tsx.*'frozen'/
  }
}

describe("the type check", { timeout: 120_000 }, () => {
  it("of the panel and of the command line finds what a contract renames", async () => {
    for (const { after, before, file } of Object.values(RENAMED)) rename(file, before, after)
    const panelErrors = await check("service/panel/web")
    const commandLineErrors = await check("admin.json")
    for (const [name, { commandLine, panel }] of Object.entries(RENAMED)) {
      assert.match(panelErrors, panel, name)
      if (commandLine !== undefined) assert.match(commandLineErrors, commandLine, name)
    }
  })
})
