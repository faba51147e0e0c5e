/** The emulator ends with the process that started it, so that tests that were stopped leave none behind. */
import { spawn } from "node:child_process"
import { setTimeout } from "node:timers/promises"
import { assert, it } from "vitest"
import { SERVICE } from "../support/command.ts"
import { ROOT } from "../support/consumer.ts"

/** A shell that stays, which starts another one in the foreground. */
const COMMAND = [process.execPath, ...SERVICE, "--emulator", "--port", "0", "--request-log=false"].join(" ")

/** The address of an emulator under a parent, the parent's end by a signal, and the process that the shell names. */
const startUnder = async (script: string) => {
  const parent = spawn("sh", ["-c", script], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "ignore"]
  })
  let printed = ""
  for await (const chunk of parent.stdout) {
    printed += String(chunk)
    if (printed.includes("}\n")) break
  }
  const ready = printed.split("\n").find((line) => line.startsWith("{")) ?? "{}"
  const { url } = JSON.parse(ready) as { readonly url: string }
  const pid = Number(/^pid (\d+)$/m.exec(printed)?.[1])
  return { health: `${new URL(url).origin}/healthz`, kill: () => parent.kill("SIGTERM"), pid }
}

const isUp = async (address: string): Promise<boolean> => await fetch(address).then(() => true, () => false)

/** Within the time in which it looks for its parent, and shuts down. */
const ends = async (address: string): Promise<boolean> => {
  for (let tries = 0; tries < 100; tries++) {
    if (!await isUp(address)) return true
    await setTimeout(100)
  }
  return false
}

it("ends with its parent, such as a test run that was stopped", async () => {
  const { health, kill } = await startUnder(`${COMMAND}; true`)
  assert.isTrue(await isUp(health))
  kill()
  assert.isTrue(await ends(health))
})

it("ends with npx, whose shell stays", async () => {
  const { health, kill } = await startUnder(`sh -c '${COMMAND}; true'; true`)
  assert.isTrue(await isUp(health))
  kill()
  assert.isTrue(await ends(health))
})

it("stays with --emulator-detached", async () => {
  const { health, kill, pid } = await startUnder(`${COMMAND} --emulator-detached & echo "pid $!"; wait`)
  try {
    kill()
    await setTimeout(1_000)
    assert.isTrue(await isUp(health))
  } finally {
    process.kill(pid)
  }
  assert.isTrue(await ends(health))
})
