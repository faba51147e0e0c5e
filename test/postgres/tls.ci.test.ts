/** Connections to a real server with TLS, as libpq means `sslmode`; and what an operator reads when they cannot be. */
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type Authority, makeAuthority, noOpenssl } from "../support/certificates.ts"
import { runCommand } from "../support/command.ts"
import { type PostgresServer, startPostgres } from "../support/postgres.ts"
import { freshDatabase, noPostgres } from "../support/postgresProject.ts"
import { ask, operate, seedDatabase, startReplica } from "../support/replicas.ts"
import { until } from "../support/until.ts"
import { assertLike } from "../support/like.ts"

interface Room {
  readonly authority: Authority
  /** Signs no certificate of these tests. */
  readonly stranger: Authority
  readonly server: PostgresServer
}

let room: Room

/** `guarded` is let in with TLS only, `carded` by a certificate only. */
const RULES = [
  "hostnossl all guarded 127.0.0.1/32 reject",
  "hostssl all carded 127.0.0.1/32 cert",
  "hostnossl all carded 127.0.0.1/32 reject"
]

const open = async (): Promise<Room> => {
  const [authority, stranger] = [makeAuthority("CA of the tests"), makeAuthority("Nobody's CA")]
  const certificate = authority.sign("postgres", "DNS:localhost", "IP:127.0.0.1")
  const server = await startPostgres({ tls: { certificate, clients: authority.cert, rules: RULES } })
  for (const user of ["guarded", "carded"]) {
    await server.query(`CREATE ROLE ${user} SUPERUSER LOGIN PASSWORD '${new URL(server.url).password}'`)
  }
  return { authority, stranger, server }
}

interface Wish {
  readonly host?: string
  readonly user?: string
  readonly [word: string]: string | undefined
}

/** The same database, with other parameters. */
const as = (database: string, { host, user, ...words }: Wish): string => {
  const url = new URL(database)
  if (host !== undefined) url.hostname = host
  if (user !== undefined) url.username = user
  for (const [word, value] of Object.entries(words)) if (value !== undefined) url.searchParams.set(word, value)
  return url.href
}

/** Every session that a service has on a database, as the server sees it. */
const sessions = (database: string) =>
  room.server.query(
    `SELECT coalesce(s.version, 'none') AS tls, count(*) AS n, bool_or(a.query LIKE 'LISTEN%') AS listens
     FROM pg_stat_activity a JOIN pg_stat_ssl s USING (pid)
     WHERE a.datname = '${new URL(database).pathname.slice(1)}' AND a.application_name = 'vps-service' GROUP BY 1`
  )

/** Starts a service, has it work, and returns how its sessions are protected, of which one listens. */
const protection = async (wish: Wish, settings?: Readonly<Record<string, string>>): Promise<string> => {
  const database = await room.server.database()
  await seedDatabase(database)
  const service = await startReplica(as(database, wish), settings)
  assert.strictEqual((await ask(service, "POST", "/instances", { body: { service_id: 1 } })).status, 201)
  const [only, ...others] = await until(
    () => sessions(database),
    (rows) => rows.some(({ listens }) => listens === true)
  )
  assert.deepStrictEqual(others, [])
  assert.isAbove(Number(only!["n"]), 1)
  assert.notInclude(service.log(), "SECURITY WARNING")
  assert.notInclude(service.log(), new URL(database).password)
  assert.strictEqual(await service.end(), 0)
  return String(only!["tls"])
}

/** The output of a service that does not start: one sentence, without the password. */
const refusal = async (url: string, settings?: Readonly<Record<string, string>>): Promise<string> => {
  const started = await startReplica(url, settings).then((replica) => replica.end().then(() => "it started"), String)
  assert.notInclude(started, new URL(url).password)
  assert.notMatch(started, / {4}at |SECURITY WARNING/)
  return started
}

const refused = async (wish: Wish): Promise<string> => refusal(as(await room.server.database(), wish))

describe.skipIf(noPostgres || noOpenssl)("TLS to PostgreSQL", () => {
  beforeAll(async () => {
    room = await open()
  })
  afterAll(async () => {
    await room.server.close()
    for (const { remove } of [room.authority, room.stranger]) remove()
  })

  it("is as strong as sslmode says, on every connection and on the one that listens", async () => {
    const sslrootcert = room.authority.cert
    assert.strictEqual(await protection({ sslmode: "disable" }), "none")
    // By any signer, as hosting providers' certificates are, and as libpq accepts them.
    assert.strictEqual(await protection({ sslmode: "require" }), "TLSv1.3")
    assert.strictEqual(await protection({ sslmode: "require", sslrootcert }), "TLSv1.3")
    assert.strictEqual(await protection({ sslmode: "verify-ca", sslrootcert }), "TLSv1.3")
    assert.strictEqual(await protection({ sslmode: "verify-full", sslrootcert }), "TLSv1.3")
    assert.strictEqual(await protection({ sslmode: "verify-full", sslrootcert, host: "localhost" }), "TLSv1.3")
  })
  it("is used when nothing is said and the server has it, as psql does", async () => {
    assert.strictEqual(await protection({}), "TLSv1.3")
    assert.strictEqual(await protection({ user: "guarded", sslmode: "prefer" }), "TLSv1.3")
  })
  it("is as libpq's variables say where the URL says nothing", async () => {
    const [PGSSLMODE, PGSSLROOTCERT] = ["verify-full", room.authority.cert]
    assert.strictEqual(await protection({}, { PGSSLMODE, PGSSLROOTCERT }), "TLSv1.3")
    assert.strictEqual(await protection({ sslmode: "disable" }, { PGSSLMODE, PGSSLROOTCERT }), "none")
    const wrong = await refusal(await room.server.database(), { PGSSLMODE, PGSSLROOTCERT: room.stranger.cert })
    assert.include(wrong, "shows a certificate that is not trusted")
  })
  it("shows a certificate of ours where the server wants one", async () => {
    const { cert, key } = room.authority.sign("carded")
    const wish = { user: "carded", sslmode: "verify-full", sslrootcert: room.authority.cert }
    assert.strictEqual(await protection({ ...wish, sslcert: cert, sslkey: key }), "TLSv1.3")
    const locked = room.authority.lock({ cert, key }, "a-passphrase")
    const [open, shut] = ["a-passphrase", "another"].map((sslpassword) => ({ ...wish, sslcert: cert, sslpassword }))
    assert.strictEqual(await protection({ ...open, sslkey: locked.key }), "TLSv1.3")
    assert.match(await refused({ ...shut, sslkey: locked.key }), /sslkey=.* cannot be used: (?!.*another)/)
    assert.match(await refused(wish), /rejects this user: .*certificate.*sslcert= and sslkey=/)
    assert.match(
      await refused({ ...wish, sslcert: cert, sslkey: room.stranger.key }),
      /sslcert=.* cannot be used: .*key/
    )
  })
  it("begins at once where the URL says so, which servers take from version 17 on", async () => {
    const wish = { sslmode: "verify-full", sslrootcert: room.authority.cert, sslnegotiation: "direct" }
    const [version] = await room.server.query("SELECT current_setting('server_version_num')::int >= 170000 AS takes")
    const older = async (): Promise<string> =>
      operate(as(await room.server.database(), wish), "accounts", "list").then(() => "it worked", String)
    const came = version!["takes"] === true ? protection(wish) : older()
    assert.match(await came, version!["takes"] === true ? /^TLSv1\.3$/ : /at 127\.0\.0\.1:\d+ does not answer: /)
  })
  it("protects the operator's commands, too", async () => {
    const database = await room.server.database()
    await seedDatabase(database)
    const url = as(database, { user: "guarded", sslmode: "verify-full", sslrootcert: room.authority.cert })
    assertLike(await operate(url, "accounts", "show", "1"), { id: 1 })
    const { stdout } = await runCommand(["config"], { env: { VPS_SERVICE_DATABASE: url } })
    assert.include(stdout, "guarded:***@127.0.0.1")
    assert.notInclude(stdout, new URL(url).password)
  })

  describe("that is configured but impossible is rejected with the reason", () => {
    it.each(["require", "verify-ca", "verify-full"])("when another CA has signed: sslmode=%s", async (sslmode) => {
      const told = await refused({ sslmode, sslrootcert: room.stranger.cert })
      assert.match(told, /at 127\.0\.0\.1:\d+ shows a certificate that is not trusted: .*sslrootcert= in --database/)
    })
    it("when another CA has signed, even with Node's checks disabled", async () => {
      const url = as(await room.server.database(), { sslmode: "verify-full", sslrootcert: room.stranger.cert })
      assert.include(await refusal(url, { NODE_TLS_REJECT_UNAUTHORIZED: "0" }), "not trusted")
    })
    it("when no CA that Node trusts has signed", async () => {
      assert.include(await refused({ sslmode: "verify-full" }), "not trusted")
      assert.include(await refused({ sslmode: "verify-full", sslrootcert: "system" }), "not trusted")
    })
    it("when the certificate is another host's, which verify-ca does not mind", async () => {
      const sslrootcert = room.authority.cert
      await room.server.stop()
      room.server.show(room.authority.sign("postgres", "DNS:db.example.test"))
      await room.server.start()
      for (const host of ["localhost", "127.0.0.1"]) {
        const told = await refused({ sslmode: "verify-full", sslrootcert, host })
        assert.match(told, /shows a certificate for another host: .*Name the host in --database .* sslmode=verify-ca/)
      }
      assert.strictEqual(await protection({ sslmode: "verify-ca", sslrootcert }), "TLSv1.3")
    })
    it("when the server requires it", async () => {
      const told = await refused({ user: "guarded", sslmode: "disable" })
      assert.match(told, /takes this user with TLS only: .*no encryption.*sslmode=verify-full, with sslrootcert=/)
    })
    it.each(["require", "verify-full"])("when the server has none: sslmode=%s", async (sslmode) => {
      const told = await refusal(as(await freshDatabase(), { sslmode }))
      assert.match(told, /at 127\.0\.0\.1:\d+ has no TLS, and sslmode in --database .* requires it\. .*sslmode=disable/)
    })
    it("and not when it only prefers it", async () => {
      const replica = await startReplica(as(await freshDatabase(), { sslmode: "prefer" }))
      assert.strictEqual((await fetch(`${replica.origin}/readyz`)).status, 200)
      assert.strictEqual(await replica.end(), 0)
    })
    it("when the CA's file is not there, or is none", async () => {
      const missing = await refused({ sslmode: "verify-full", sslrootcert: "/nowhere/ca.pem" })
      assert.match(missing, /sslrootcert=\/nowhere\/ca\.pem cannot be used: ENOENT/)
      assert.include(await refused({ sslmode: "verify-ca", sslrootcert: room.authority.key }), "cannot be used")
    })
  })
})
