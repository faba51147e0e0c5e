/** The emulator that `npx` starts from the installed package leaves nothing behind, however the tests end. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { rmSync } from "node:fs"
import { connect } from "node:net"
import { createInterface } from "node:readline"
import { setTimeout } from "node:timers/promises"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { makeConsumer } from "../support/consumer.ts"

let folder: string
beforeAll(() => {
  folder = makeConsumer()
})
afterAll(() => rmSync(folder, { recursive: true }))

const NPX = ["npx", "@pulumi-vps/service", "--emulator", "--port", "0", "--request-log=false"]

/** Tests that start the emulator, and print the pid of `npx`; they get no signal that `npx` gets. */
const RUN = `
  const { spawn } = require("node:child_process")
  const [command, ...args] = ${JSON.stringify(NPX)}
  const npx = spawn(command, args, { stdio: ["ignore", "inherit", "ignore"] })
  console.log("pid " + npx.pid)
  setInterval(() => {}, 1_000)
`

const isUp = async (port: number): Promise<boolean> => {
  const socket = connect(port, "127.0.0.1")
  try {
    await once(socket, "connect")
    return true
  } catch { // Nothing listens there any more.
    return false
  } finally {
    socket.destroy()
  }
}

describe.each(["SIGTERM", "SIGKILL", "SIGHUP"] as const)("after %s", (signal) => {
  it.each(["npx", "the tests"] as const)("of %s, it has ended", async (target) => {
    const tests = spawn(process.execPath, ["-e", RUN], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] })
    const lines: Array<string> = []
    for await (const line of createInterface({ input: tests.stdout })) {
      lines.push(line)
      if (lines.length === 2) break
    }
    const npx = Number(/^pid (\d+)$/m.exec(lines.join("\n"))?.[1])
    const { url } = JSON.parse(lines.find((line) => line.startsWith("{"))!) as { readonly url: string }
    const port = Number(new URL(url).port)
    assert.isTrue(await isUp(port))
    process.kill(target === "npx" ? npx : tests.pid!, signal)
    for (let tries = 0; tries < 100 && await isUp(port); tries++) await setTimeout(100)
    assert.isFalse(await isUp(port))
    tests.kill("SIGKILL")
  })
})
