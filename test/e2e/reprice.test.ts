/** `vps-service admin plans reprice`: it waits for a yes at a terminal, and Ctrl-C takes back what was not sent. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { type AddressInfo, connect, createServer, type Server } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SMTPServer } from "smtp-server"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { adminOf, SERVICE } from "../support/command.ts"
import { type ServiceProcess, startServiceWith } from "../support/serviceProcess.ts"
import { hasTerminal, type Keys, runInTerminal } from "../support/terminal.ts"
import { until } from "../support/until.ts"

const folder = mkdtempSync(join(tmpdir(), "pulumi-vps-reprice-"))
const database = join(folder, "vps.db")
const ENVIRONMENT = { VPS_SERVICE_DRIVER: "simulated" }
const REPRICE = ["plans", "reprice", "1", "--price", "5.99", "--from", "2099-01-31"]
const ON_DATABASE = ["--database", database, "--emulator"]

describe("plans reprice beside a mail server that hangs", () => {
  /** Takes the mails of the orders, and no connection from then on. */
  const mailServer = new SMTPServer({ authOptional: true, disabledCommands: ["STARTTLS"] })
  let isHanging = false
  let silent: Server
  let service: ServiceProcess
  const { json } = adminOf(database)
  const admin = (...args: ReadonlyArray<string>) => json(...args, "--emulator") as Promise<Record<string, unknown>>
  beforeAll(async () => {
    await new Promise<void>((resolve) => void mailServer.listen(0, "127.0.0.1", resolve))
    const { port: open } = mailServer.server.address() as AddressInfo
    silent = createServer((socket) => {
      if (!isHanging) socket.pipe(connect(open, "127.0.0.1")).pipe(socket)
    }).listen(0, "127.0.0.1")
    await once(silent, "listening")
    const { port } = silent.address() as AddressInfo
    service = await startServiceWith({ env: { VPS_SERVICE_SMTP_URL: `smtp://127.0.0.1:${port}` } }, ON_DATABASE)
    const headers = { authorization: `Bearer ${service.apiKey}`, "content-type": "application/json" }
    for (const email of ["a@example.com", "b@example.com"]) {
      const made = await fetch(`${service.origin}/_emulator/accounts`, {
        method: "POST",
        headers,
        body: JSON.stringify({ email, wallet: 10 })
      })
      const { api_key: key } = await made.json() as { readonly api_key: string }
      const bought = await fetch(`${service.url}/instances`, {
        method: "POST",
        headers: { ...headers, authorization: `Bearer ${key}` },
        body: JSON.stringify({ service_id: 1 })
      })
      assert.strictEqual(bought.status, 201)
    }
    const sent = () => json("mails", "list", "--state", "sent", "--emulator") as Promise<ReadonlyArray<unknown>>
    await until(sent, (mails) => mails.length === 2)
    isHanging = true
  })
  afterAll(async () => {
    await service?.end("SIGKILL")
    silent?.close()
    mailServer.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it("counts without an announcement in a dry run", async () => {
    const first = await admin(...REPRICE, "--dry-run")
    assert.deepInclude(first, { repriced: 2, accounts: 2, waiting: [] })
    assert.deepStrictEqual(await admin(...REPRICE, "--dry-run"), first)
  })

  describe.skipIf(!hasTerminal)("at a terminal (needs script of util-linux)", () => {
    const see = (keys: Keys) => runInTerminal([...SERVICE, "admin", ...REPRICE, ...ON_DATABASE], ENVIRONMENT, keys)

    it("waits for a yes before it mails anyone, and announces nothing after a no", async () => {
      const { code, stdout } = await see([["Mail their owners now?", "n"]])
      assert.strictEqual(code, 1)
      assert.include(stdout, "2 instances of 2 accounts will cost 5.99 EUR from 2099-01-31T00:00:00.000Z.")
      assert.include(stdout, "Nothing was announced.")
      assert.deepInclude(await admin(...REPRICE, "--dry-run"), { repriced: 2 })
    })
  })

  it("takes back with Ctrl-C what is not being sent", async () => {
    const args = [...SERVICE, "admin", ...REPRICE, ...ON_DATABASE]
    const child = spawn(process.execPath, args, { env: ENVIRONMENT, stdio: "ignore" })
    const ended = once(child, "exit")
    const left = async () => (await admin(...REPRICE, "--dry-run"))["repriced"] as number
    await until(left, (count) => count === 0)
    child.kill("SIGINT")
    await ended
    // One of the two mails is being sent, so it stays announced.
    assert.strictEqual(await until(left, (count) => count > 0), 1)
  })
})
