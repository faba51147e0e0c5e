/** A user's program without another package beside this one. */
import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { NotFoundError, Vps } from "@pulumi-vps/sdk"
import { EmulatorError, startEmulator } from "@pulumi-vps/testing"

await using emulator = await startEmulator({ seed: { deploy: { mode: "instant" } } })
const { apiKey, url: baseUrl } = emulator
await using vps = new Vps({ apiKey, baseUrl, decode: "strict" })
assert.equal((await vps.instances.createAndWait({ service_id: 1 })).status, "running")
await assert.rejects(vps.instances.get(99), NotFoundError)
await emulator.clock.advance("31 days")
await assert.rejects(emulator.keys.revoke(99), EmulatorError)
const env = { PATH: process.env["PATH"], VPS_API_KEY: apiKey, VPS_BASE_URL: baseUrl }
const command = ["node_modules/@pulumi-vps/sdk/dist/cli/bin.js", "plan", "list", "-o", "yaml"]
const { stderr, stdout } = await promisify(execFile)(process.execPath, command, { env })
assert.deepEqual({ stderr, first: stdout.split("\n")[0] }, { stderr: "", first: "- id: 1" })
