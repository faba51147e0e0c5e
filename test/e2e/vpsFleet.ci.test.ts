/** `vps` on several instances at once, and passwords that are not arguments, against the real service. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { codeBlocks, readDocument } from "../support/documents.ts"
import { type ServiceProcess, startService } from "../support/serviceProcess.ts"
import { control, requestsOf, vpsOf } from "../support/vps.ts"
import { assertLike, containing } from "../support/like.ts"

let service: ServiceProcess
let folder: string
const { json, run } = vpsOf(() => service)

/** Buys an instance and returns its ID. */
const bought = async (): Promise<number> => Number((await run("instance create --plan vps-s --wait -o id")).stdout)

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "pulumi-vps-fleet-"))
  service = await startService("--emulator")
  await control(service, "PUT", "/deploy", { mode: "instant" })
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await service.end()
})

describe("several instances", () => {
  let ids: ReadonlyArray<number>
  let names: string
  beforeAll(async () => {
    ids = [await bought(), await bought()]
    names = ids.map((id) => `vps-${id}`).join(" ")
  })

  it("are started, stopped and restarted with a printed result for each", async () => {
    assert.deepStrictEqual(await run(`instance stop ${names} ${ids[0]} --wait`), {
      code: 0,
      stdout: ids.map((id) => `Instance ${id}: stop is done, status stopped.\n`).join(""),
      stderr: "1 of 2 instances\n2 of 2 instances\n"
    })
    assert.strictEqual((await run(`instance start --filter hostname=vps-${ids[1]} -o id`)).stdout, `${ids[1]}\n`)
    assert.includeMembers((await run("instance restart --all -o id --wait")).stdout.split("\n"), ids.map(String))
  })
  it("a failure does not stop the others, and is the exit code", async () => {
    const { code, stderr, stdout } = await run(`instance restart ${ids[0]} 999 ${ids[1]}`)
    assert.deepStrictEqual({ code, lines: stdout.split("\n").length }, { code: 3, lines: 3 })
    assert.match(stderr, /^vps: Instance 999: Instance not found\.\nvps: Request ID: /)
    const programs = await run(`instance start ${ids[0]} 999 -o json`)
    assert.deepStrictEqual({ code: programs.code, stderr: programs.stderr }, { code: 3, stderr: "" })
    assertLike(JSON.parse(programs.stdout), [
      { instance_id: ids[0], ok: true, action: "start" },
      { instance_id: 999, ok: false, error: { name: "NotFoundError", exit_code: 3 } }
    ])
  })
  it("snapshot create takes one of each", async () => {
    const { code, stdout } = await run(`snapshot create ${names} --name nightly --wait -o id`)
    assert.strictEqual(code, 0)
    assert.match(stdout, /^\d+\n\d+\n$/)
    assertLike((await json(`snapshot list ${ids[1]}`))[0], { name: "nightly", status: "available" })
  })
  it.each([
    ["", 2, "No instance is named."],
    ["7 --all", 2, "Instances are selected in more than one way."],
    ["--filter status=nothing", 3, "No instance matches."]
  ])("instance stop %s: exit code %i", async (line, code, problem) => {
    assertLike(await run(`instance stop ${line}`.trim()), { code, stderr: containing(problem) })
  })
})

describe("--root-password", () => {
  const PASSWORD = "correct-horse-9"

  it("is read from a file or standard input, and sent", async () => {
    const file = join(folder, "password")
    writeFileSync(file, `${PASSWORD}\n`)
    const bought = await run(`instance create --plan vps-s --root-password ${file} --wait -o id`)
    assert.strictEqual(bought.code, 0)
    const id = bought.stdout.trim()
    const again = await run(`instance reinstall ${id} --os debian-13 --os-id 2 --root-password - --yes --wait`, {
      input: "short\n"
    })
    // The service checks the length, so it was sent.
    assertLike(again, { code: 1, stderr: containing("password: ") })
    assert.include((await run(`instance reinstall ${id} --os debian-13 --os-id 1 --yes`)).stderr, "os_id: ")
  })
  it("on the command line is not repeated, and nothing is sent", async () => {
    const before = await requestsOf(service)
    const { code, stderr } = await run(`instance create --plan 1 --root-password ${PASSWORD}`)
    assert.strictEqual(code, 2)
    assert.include(stderr, "--root-password is not a readable file (ENOENT).")
    assert.notInclude(stderr, PASSWORD)
    assert.strictEqual(await requestsOf(service), before)
  })
})

const hasJq = spawnSync("jq", ["--version"]).status === 0
const guide = codeBlocks(readDocument("docs/cli.md"), "sh").join("")

describe.skipIf(!hasJq)("the jq filters of docs/cli.md", () => {
  const lines = [...guide.matchAll(/^vps ((?:instance|plan) [\w.* ]+) -o json \| jq (?:-r )?'?(.*?)'?$/gm)]

  it.each(lines.map(([, line, filter]) => [line!, filter!]))("vps %s | jq %s", async (line, filter) => {
    await run("instance create --plan vps-s --hostname web.example.com --idempotency-key jq --wait")
    const { stdout } = await run(`${line.replaceAll("'", "")} -o json`)
    const ran = spawnSync("jq", ["-r", filter], { input: stdout, encoding: "utf8" })
    assertLike(ran, { status: 0, stderr: "" })
  })
  it("are found", () => assert.isAbove(lines.length, 2))
})
