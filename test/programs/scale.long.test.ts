/** The program behind docs/scaling.md, with a few of everything. */
import { assert, describe, it } from "vitest"
import { runNode } from "../support/command.ts"

const SCALE = ["--conditions=pulumi-vps-source", "test/programs/bench/scale.ts", "--small"]

describe("npm run bench -- scale", () => {
  it("measures hosts, instances and open pages", async () => {
    const { code, stderr, stdout } = await runNode([...SCALE, "--parts", "hosts,instances,pages"])
    assert.strictEqual(code, 0, stderr)
    assert.match(stdout, /40 machines on 4 hosts, 3 rounds/)
    assert.match(stdout, /placement +\d+ /)
    assert.match(stdout, /3 open pages, idle: median/)
  })

  it("names the parts that it has", async () => {
    const { code, stderr } = await runNode([...SCALE, "--parts", "moons"])
    assert.strictEqual(code, 1)
    assert.include(stderr, "--parts moons is unknown: give hosts, instances, replicas, pages.")
  })
})
