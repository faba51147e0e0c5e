/** `vps pulumi orphans` as a process against the real service. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type ServiceProcess, startService } from "../support/serviceProcess.ts"
import { control, vpsOf } from "../support/vps.ts"

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
    expect(code).toBe(0)
    expect(stdout).toContain("1 instance in account 1 is not in")
    expect(stdout).toMatch(/instance 2 \(loose\.example\.com, [\d.]+\): VPS S, running/)
    expect(stdout).toContain("adoptInstanceId: 2")
    expect(stdout).toContain("renews for 4.99 EUR monthly")
  })
  it("prints JSON or IDs; combines states, including one from standard input", async () => {
    const held = file("held.json", stateOf(1))
    expect(await json(`pulumi orphans ${held}`)).toMatchObject({ account_id: 1, orphans: [{ id: 2 }], missing: [] })
    expect((await run(`pulumi orphans ${held} -o id`)).stdout).toBe("2\n")
    expect((await run(`pulumi orphans ${held} - -o id`, { input: stateOf(2) })).stdout).toBe("")
    expect(await json(`pulumi orphans ${file("gone.json", stateOf(1, 2, 7))}`))
      .toMatchObject({ orphans: [], missing: [{ id: 7 }] })
  })
  it("2: no state, a missing file, and an invalid one", async () => {
    expect(await run("pulumi orphans")).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("no state given")
    })
    expect(await run(`pulumi orphans ${folder}/absent.json`))
      .toMatchObject({ code: 2, stderr: expect.stringContaining("absent.json cannot be read") })
    expect(await run(`pulumi orphans ${file("other.json", "{}")}`))
      .toMatchObject({ code: 2, stderr: expect.stringContaining("other.json is not an exported stack") })
  })
})
