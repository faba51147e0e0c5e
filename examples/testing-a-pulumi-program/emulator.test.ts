/**
 * `node --test emulator.test.ts`: runs the program under the real `pulumi` against the emulator in this process. Checks
 * the charges, and that a second `up` charges nothing.
 */
import { LocalWorkspace } from "@pulumi/pulumi/automation/index.js"
import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { test } from "node:test"
import { type RunningEmulator, startEmulator } from "@pulumi-vps/testing"
import { program } from "./program.ts"

const missing = spawnSync("pulumi", ["version"]).status === 0 ? false : "the pulumi command is not on PATH"

/** A stack with its state in a folder, and the emulator as its service. */
const makeStack = (folder: string, { apiKey, url }: RunningEmulator, names: ReadonlyArray<string>) =>
  LocalWorkspace.createOrSelectStack(
    { stackName: "test", projectName: "shop", program: async () => program(names) },
    {
      workDir: folder,
      envVars: {
        VPS_BASE_URL: url,
        VPS_API_KEY: apiKey,
        PULUMI_BACKEND_URL: `file://${folder}`,
        PULUMI_CONFIG_PASSPHRASE: "test",
        PULUMI_SKIP_UPDATE_CHECK: "true"
      }
    }
  )

test("two instances are bought once, and stopped at the end", { skip: missing }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "testing-a-pulumi-program-"))
  const emulator = await startEmulator({ seed: { wallet: 20, deploy: { mode: "instant" } } })
  const balance = async () => (await emulator.wallet.statement()).balance
  try {
    const stack = await makeStack(folder, emulator, ["web-1", "web-2"])
    await stack.preview()
    assert.equal(await balance(), 20)

    const { outputs } = await stack.up()
    assert.deepEqual(outputs["charged"]?.value, [4.99, 4.99])
    assert.equal(await balance(), 10.02)

    const { summary } = await stack.up()
    assert.deepEqual(summary.resourceChanges, { same: 5 })
    assert.equal(await balance(), 10.02)

    await stack.destroy()
    const instances = await emulator.client().instances.list()
    assert.deepEqual(instances.map(({ status }) => status), ["stopped", "stopped"])
  } finally {
    await emulator.stop()
    rmSync(folder, { recursive: true, force: true })
  }
})

test("insufficient funds fail the preview, before anything is bought", { skip: missing }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "testing-a-pulumi-program-"))
  const emulator = await startEmulator({ seed: { wallet: 4 } })
  try {
    const stack = await makeStack(folder, emulator, ["web-1"])
    await assert.rejects(stack.preview(), /wallet/)
    assert.deepEqual(await emulator.client().instances.list(), [])
  } finally {
    await emulator.stop()
    rmSync(folder, { recursive: true, force: true })
  }
})
