/** `vps pulumi orphans` as a process against the real service. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type ServiceProcess, startService } from "../support/serviceProcess.ts"
import { control, vpsOf } from "../support/vps.ts"
import { assertLike, containing } from "../support/like.ts"

let service: ServiceProcess
const folder = mkdtempSync(join(tmpdir(), "vps-orphans-"))
const { json, run } = vpsOf(() => service)

/** The output of `pulumi stack export` for a stack with these instances. */
const stateOf = (...ids: ReadonlyArray<number>): string => {
  const resources = ids.map((id) => ({
    urn: `urn:pulumi:prod::shop::vps:index:Instance::web-${id}`,
    type: "vps:index:Instance",
    id: String(id),
    outputs: { userId: 1 }
  }))
  return JSON.stringify({ version: 3, deployment: { resources } })
}

const file = (name: string, content: string): string => {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

beforeAll(async () => {
  service = await startService("--emulator")
  await control(service, "PUT", "/deploy", { mode: "instant" })
  for (const name of ["held", "loose"]) await json(`instance create --plan 1 --hostname ${name}.example.com --wait`)
})
afterAll(async () => {
  await service.end()
  rmSync(folder, { recursive: true })
})

describe("vps pulumi orphans", () => {
  it("lists the instance that is in no state, its cost, and how to manage it", async () => {
    const { code, stdout } = await run(`pulumi orphans ${file("prod.json", stateOf(1))}`)
    assert.strictEqual(code, 0)
    assert.include(stdout, "1 instance in account 1 is not in")
    assert.match(stdout, /instance 2 \(loose\.example\.com, [\d.]+\): VPS S, running/)
    assert.include(stdout, "adoptInstanceId: 2")
    assert.include(stdout, "renews for 4.99 EUR monthly")
  })
  it("prints JSON or IDs; combines states, including one from standard input", async () => {
    const held = file("held.json", stateOf(1))
    assertLike(await json(`pulumi orphans ${held}`), { account_id: 1, orphans: [{ id: 2 }], missing: [] })
    assert.strictEqual((await run(`pulumi orphans ${held} -o id`)).stdout, "2\n")
    assert.strictEqual((await run(`pulumi orphans ${held} - -o id`, { input: stateOf(2) })).stdout, "")
    assertLike(await json(`pulumi orphans ${file("gone.json", stateOf(1, 2, 7))}`), {
      orphans: [],
      missing: [{ id: 7 }]
    })
  })
  it("ends with 2 without a state, and for a file that is missing or invalid", async () => {
    assertLike(await run("pulumi orphans"), {
      code: 2,
      stdout: "",
      stderr: containing("no state given")
    })
    assertLike(await run(`pulumi orphans ${folder}/absent.json`), {
      code: 2,
      stderr: containing("absent.json cannot be read")
    })
    assertLike(await run(`pulumi orphans ${file("other.json", "{}")}`), {
      code: 2,
      stderr: containing("other.json is not an exported stack")
    })
  })
})
