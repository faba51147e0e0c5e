/** `VPS_EMULATOR=1`, with a config file as in the image, whose program is the service. */
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { runCommand } from "../support/command.ts"
import { startServiceWith } from "../support/serviceProcess.ts"

const folder = mkdtempSync(join(tmpdir(), "pulumi-vps-emulator-variable-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A volume with the database of a config file. */
const volume = (name: string) => {
  const config = join(folder, `${name}.yaml`)
  const database = join(folder, `${name}.db`)
  writeFileSync(config, `database: ${database}\n`)
  return { database, env: { VPS_SERVICE_CONFIG: config } }
}

const EMULATOR = { VPS_EMULATOR: "1" }

/** The status of a control for a client that names the container as other computers do. */
const controlAt = (origin: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    request(`${origin}/_emulator/clock`, { headers: { host: "vps:8787" } }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    }).on("error", reject).end()
  })

describe("VPS_EMULATOR=1", () => {
  it("is an emulator in memory, with controls for other computers", async () => {
    const { database, env } = volume("none")
    const emulator = await startServiceWith({ env: { ...env, ...EMULATOR } }, [])
    try {
      const headers = { authorization: `Bearer ${emulator.apiKey}` }
      assert.strictEqual((await fetch(`${emulator.url}/whoami`, { headers })).status, 200)
      assert.strictEqual(await controlAt(emulator.origin), 200)
    } finally {
      assert.strictEqual(await emulator.end(), 0)
    }
    assert.isFalse(existsSync(database))
  })

  describe("with the database of a service in its volume", () => {
    const { database, env } = volume("service")
    beforeAll(async () => {
      await (await startServiceWith({ env }, [])).end()
    })
    it("does not start, says what to do, and leaves the volume as it is", async () => {
      const before = readdirSync(folder)
      assert.deepStrictEqual(await runCommand([], { env: { ...env, ...EMULATOR } }), {
        code: 78,
        stdout: "",
        stderr:
          `vps-service: VPS_EMULATOR is set, but ${database} is the database of a service, which an emulator does `
          + "not use. To run the service, unset VPS_EMULATOR. To run an emulator, start the container without this "
          + "volume.\n"
      })
      assert.deepStrictEqual(readdirSync(folder), before)
    })
  })

  it("starts beside an emulator's database", async () => {
    const { env } = volume("emulator")
    assert.strictEqual(await (await startServiceWith({ env: { ...env, VPS_SERVICE_EMULATOR: "true" } }, [])).end(), 0)
    assert.strictEqual(await (await startServiceWith({ env: { ...env, ...EMULATOR } }, [])).end(), 0)
  })
})

it.each([
  [{ VPS_EMULATOR: "yes" }, "VPS_EMULATOR should be true or false; got \"yes\"."],
  [{ ...EMULATOR, VPS_SERVICE_EMULATOR: "0" }, "VPS_EMULATOR and VPS_SERVICE_EMULATOR contradict each other."]
])("%j is refused", async (env, message) => {
  const { code, stderr, stdout } = await runCommand(["config"], { env })
  assert.deepStrictEqual({ code, stdout }, { code: 1, stdout: "" })
  assert.include(stderr, message)
})
