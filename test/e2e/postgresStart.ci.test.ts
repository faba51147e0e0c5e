/** The start of the built service on a PostgreSQL database that is late, or wrong. */
import { once } from "node:events"
import { spawn } from "node:child_process"
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it, onTestFinished } from "vitest"
import { runCommand, SERVICE } from "../support/command.ts"
import { assertLike } from "../support/like.ts"
import { closing, movingName, refusing, serverAt, silent, type Target } from "../support/movingName.ts"
import { freePort } from "../support/port.ts"
import { isAvailable, makeDatabase, type PostgresServer, startPostgres } from "../support/postgres.ts"
import { SECRET, startReplica } from "../support/replicas.ts"
import { until } from "../support/until.ts"

const answerOf = async (url: string) => {
  const response = await fetch(url).catch(() => undefined)
  return response === undefined
    ? { status: 0, retryAfter: null, text: "" }
    : { status: response.status, retryAfter: response.headers.get("retry-after"), text: await response.text() }
}

/** Milliseconds: a test does not wait long for a server that never answers. */
const SHORT_WAIT = "2000"

const LATE: ReadonlyArray<readonly [name: string, target: Target, reason: RegExp]> = [
  ["is starting", refusing("57P03", "the database system is starting up"), /the database system is starting up/],
  ["has no connection left", refusing("53300", "sorry, too many clients already"), /has no connection left/],
  ["shuts down", refusing("57P01", "terminating connection"), /terminating connection/],
  ["is behind a pooler that cannot reach it", refusing("08P01", "server login has failed"), /server login has failed/],
  ["closes connections", closing, /does not answer/],
  ["never answers", silent, /does not answer/]
]

describe.skipIf(!isAvailable())("the start of the service (needs PostgreSQL)", () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.close())

  it.each(LATE)("waits for a database that %s, and says so once", async (_, target, reason) => {
    const name = await movingName(target)
    const port = await freePort()
    const starting = startReplica(
      name.in(await makeDatabase(server.url)),
      { VPS_SERVICE_DATABASE_CONNECT_MILLIS: SHORT_WAIT },
      ["--port", String(port)]
    )
    const origin = `http://127.0.0.1:${port}`
    assertLike(await until(() => answerOf(`${origin}/livez`), ({ status }) => status !== 0), { status: 200 })
    const refused = await answerOf(`${origin}/readyz`)
    assertLike(refused, { status: 503, retryAfter: "1", text: /waits for its database/ })
    assertLike(await answerOf(`${origin}/api/v1/services`), { status: 503, retryAfter: "1" })
    name.moveTo(serverAt(server.url))
    const replica = await starting
    assertLike(await answerOf(`${origin}/readyz`), { status: 200 })
    const waits = replica.log().split("\n").filter((line) => line.includes("waits for its database"))
    assert.lengthOf(waits, 1)
    assert.match(waits[0]!, reason)
    assert.strictEqual(await replica.end(), 0)
  })

  it("waits for a name that does not resolve, and ends by SIGTERM with success", async () => {
    const env = { VPS_SERVICE_DRIVER: "simulated", VPS_SERVICE_SECRET: SECRET }
    const flags = ["--port", "0", "--database", "postgres://vps@database.invalid/vps"]
    const child = spawn(process.execPath, [...SERVICE, ...flags], { env, stdio: ["ignore", "ignore", "pipe"] })
    onTestFinished(() => void child.kill("SIGKILL"))
    let log = ""
    child.stderr.on("data", (chunk) => {
      log += String(chunk)
    })
    await until(() => Promise.resolve(log), (text) => /waits for its database.*database\.invalid/.test(text))
    const exited = once(child, "exit")
    child.kill("SIGTERM")
    assert.deepStrictEqual(await exited, [0, null])
  })

  it("says to systemd why it waits, and then that it is ready", async () => {
    const folder = mkdtempSync(join(tmpdir(), "pulumi-vps-notify-"))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const [program, sent] = [join(folder, "systemd-notify"), join(folder, "sent")]
    writeFileSync(program, `#!/bin/sh\necho "$@" >> ${sent}\n`)
    chmodSync(program, 0o755)
    const messages = () => Promise.resolve(existsSync(sent) ? readFileSync(sent, "utf8") : "")
    const name = await movingName(refusing("57P03", "the database system is starting up"))
    const starting = startReplica(name.in(await makeDatabase(server.url)), {
      NOTIFY_SOCKET: "/run/systemd/notify",
      PATH: `${folder}:/usr/bin:/bin`
    })
    await until(messages, (text) => /^--status=Waiting: .*is starting up/m.test(text))
    assert.notInclude(await messages(), "--ready")
    name.moveTo(serverAt(server.url))
    const replica = await starting
    await until(messages, (text) => /^--ready --status=Ready\.$/m.test(text))
    assert.strictEqual(await replica.end(), 0)
  })

  const WRONG: ReadonlyArray<readonly [name: string, change: (url: URL) => void, advice: RegExp]> = [
    ["password", (url) => void (url.password = "another-password"), /does not accept this user's password/],
    ["database", (url) => void (url.pathname = "/nowhere"), /does not exist on that server\. Create it with createdb/],
    ["TLS", (url) => url.searchParams.set("sslmode", "require"), /has no TLS/],
    ["file", (url) => url.search = "?sslmode=verify-ca&sslrootcert=/nowhere.pem", /nowhere\.pem cannot be used/],
    ["parameter", (url) => url.searchParams.set("sslcrl", "/crl.pem"), /sslcrl is not supported/]
  ]
  it.each(WRONG)("ends with 78, which systemd does not try again, for a wrong %s", async (_, change, advice) => {
    const url = new URL(server.url)
    change(url)
    const env = { VPS_SERVICE_DATABASE: url.href, VPS_SERVICE_SECRET: SECRET }
    assertLike(await runCommand(["--port", "0"], { env }), { code: 78, stderr: advice })
  })
  it("ends with 78 without the secret, and with 1 for a database that a newer version has changed", async () => {
    const without = await runCommand(["--port", "0"], { env: { VPS_SERVICE_DATABASE: server.url } })
    assertLike(without, { code: 78, stderr: /VPS_SERVICE_SECRET is not set/ })
    const database = await makeDatabase(server.url)
    await server.query("CREATE TABLE vps_schema_version AS SELECT 9999::bigint AS version", database)
    const env = { VPS_SERVICE_DATABASE: database, VPS_SERVICE_SECRET: SECRET }
    assertLike(await runCommand(["--port", "0"], { env }), { code: 1, stderr: /has schema version 9999/ })
  })
  it("an operator's command does not wait", async () => {
    const env = { VPS_SERVICE_DATABASE: "postgres://vps@127.0.0.1:1/vps", VPS_SERVICE_SECRET: SECRET }
    assertLike(await runCommand(["admin", "accounts", "list"], { env }), { code: 1, stderr: /does not answer/ })
  })
})
