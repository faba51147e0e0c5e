/** The parts of persistence/postgres that need no server. */
import { assert, describe, it } from "@effect/vitest"
import { explain } from "#service/admin/cli/ConfigCommand"
import { resolve } from "#service/config/Resolve"
import { sessionsOf, splitHosts } from "#service/config/PostgresUrl"
import { locate } from "#service/config/DatabaseLocation"
import { kindOf } from "#service/persistence/postgres/Failures"
import { nameOf } from "#service/persistence/postgres/StartupErrors"
import { numbered } from "#service/persistence/postgres/Database"
import { load } from "#service/config/Secret"
import { InvalidSetting } from "#service/config/Setting"

const STATEMENTS: ReadonlyArray<readonly [sql: string, numbered: string]> = [
  ["SELECT ?, ?", "SELECT $1, $2"],
  ["SELECT ?2, ?1, ?2", "SELECT $2, $1, $2"],
  ["SELECT ?3, ?", "SELECT $3, $4"],
  ["SELECT '?', 'it''s ?', ?", "SELECT '?', 'it''s ?', $1"],
  ["SELECT \"a?\"\"?\", ?", "SELECT \"a?\"\"?\", $1"],
  ["SELECT ? -- why?\n, ?", "SELECT $1 -- why?\n, $2"],
  ["SELECT ? /* why\n? */, ?", "SELECT $1 /* why\n? */, $2"]
]

describe("a statement's places for values", () => {
  it.each(STATEMENTS)("%s", (sql, expected) => assert.strictEqual(numbered(sql).text, expected))
})

const URL_WITH = "postgres://vps:s3cret%40@db.example.test:5433/vps?sslmode=require"

describe("the address of a PostgreSQL database", () => {
  it("is distinguished from a file's by its scheme", () => {
    const settings = ["postgres://h/d", "postgresql://h/d", ":memory:", "./postgres"]
    assert.deepStrictEqual(settings.map((setting) => locate(setting).isServer), [true, true, false, false])
    assert.deepStrictEqual(settings.map((setting) => locate(setting).file), [
      undefined,
      undefined,
      undefined,
      "./postgres"
    ])
  })
  it("is shown without its password", () => {
    assert.strictEqual(locate(URL_WITH).label, "postgres://vps:***@db.example.test:5433/vps?sslmode=require")
    assert.notInclude(locate("postgres://h/d?user=u&password=s3cret&sslpassword=s3cret").label, "s3cret")
    assert.notInclude(locate("postgres://vps:s3cret@h:port/d").label, "s3cret")
    assert.strictEqual(nameOf(URL_WITH), "The database \"vps\" at db.example.test:5433")
    assert.strictEqual(nameOf("postgres://vps@h/d%zz"), "The database \"d%zz\" at h")
    assert.strictEqual(nameOf("postgres:///d?host=/run/postgresql"), "The database \"d\" at the local socket")
  })
  it("is explained without its password, from any source", () => {
    const shown = [explain([`--database=${URL_WITH}`], {}), explain([], { VPS_SERVICE_DATABASE: URL_WITH })]
    assert.notInclude(JSON.stringify(shown), "s3cret")
    assert.include(JSON.stringify(shown), "vps:***@db.example.test")
  })
  it.each([
    ["postgres://vps:s3cret@h:port/d", "should be like postgres://user:password@host:port/database"],
    ["postgres://vps:s3cret@h", "should be like postgres://user:password@host:port/database"]
  ])("that makes no sense is refused without being shown: %s", (url, message) => {
    assert.throws(() => resolve(["--database", url], {}), message)
    assert.doesNotThrow(() => {
      try {
        resolve(["--database", url], {})
      } catch (error) {
        assert.notInclude(String(error), "s3cret")
      }
    })
  })
  it("takes what it says of TLS from libpq's variables where it does not say it", () => {
    const environment = { PGSSLMODE: "verify-full", PGSSLROOTCERT: "/ca.pem", PGSSLCERT: "" }
    const resolved = (url: string) => resolve(["--database", url], environment).database
    assert.strictEqual(resolved("postgres://h/d"), "postgres://h/d?sslmode=verify-full&sslrootcert=%2Fca.pem")
    assert.strictEqual(
      resolved("postgres://h/d?sslmode=disable&sslrootcert=own.pem"),
      "postgres://h/d?sslmode=disable&sslrootcert=own.pem"
    )
    assert.strictEqual(resolve(["--database", "x.db"], environment).database, "x.db")
  })
  it.each([
    ["ssl=true", "ssl=true is not supported; use sslmode="],
    ["sslmode=requier", "sslmode=requier should be one of disable, prefer, require, verify-ca, verify-full"],
    ["sslmode=verify-ca", "sslmode=verify-ca requires sslrootcert,"],
    ["sslrootcert=ca.pem", "sslmode=prefer ignores sslrootcert"],
    ["sslmode=require&sslrootcert=system", "requires sslmode=verify-full"],
    ["sslcert=a.pem", "sslcert and sslkey require each other"],
    ["sslnegotiation=direct", "sslnegotiation should be postgres, or direct with"]
  ])("that leaves open what its TLS is worth is refused: %s", (words, message) => {
    const named = "--database \\(VPS_SERVICE_DATABASE\\), with libpq's variables: "
    const refused = new RegExp(`^${named}(?!.*s3cret).*${message}`)
    assert.throws(() => resolve(["--database", `postgres://vps:s3cret@h/d?${words}`], {}), InvalidSetting, refused)
  })
  it("may have several hosts, as libpq takes them", () => {
    const url = "postgres://vps:s3cret@one:5432,two:5433/vps?target_session_attrs=read-write"
    const { database } = resolve(["--database", url], { PGSSLMODE: "require" })
    assert.strictEqual(database, `${url}&sslmode=require`)
    assert.strictEqual(
      locate(url).label,
      "postgres://vps:***@one:5432,two:5433/vps?target_session_attrs=read-write"
    )
    assert.strictEqual(nameOf(url), "The database \"vps\" at one:5432 or two:5433")
    assert.deepStrictEqual(splitHosts(url).hosts.map(splitHosts(url).single), [
      "postgres://vps:s3cret@one:5432/vps?target_session_attrs=read-write",
      "postgres://vps:s3cret@two:5433/vps?target_session_attrs=read-write"
    ])
  })
  it.each([
    ["target_session_attrs=primary", { target: "primary", connectMillis: undefined }],
    ["connect_timeout=1", { target: "any", connectMillis: 2_000 }],
    ["connect_timeout=10&application_name=own&keepalives=1&channel_binding=prefer", {
      target: "any",
      connectMillis: 10_000
    }]
  ])("says how sessions are opened: %s", (words, expected) => {
    const { database } = resolve(["--database", `postgres://vps@h/d?${words}`], {})
    assert.deepStrictEqual(sessionsOf(database), expected)
  })
  it.each([
    ["h/d?target_session_attrs=standby", "target_session_attrs=standby is of no use, because the service writes"],
    ["h/d?connect_timeout=0", "connect_timeout should be a whole number of seconds from 1 to 9999"],
    ["h/d?channel_binding=require", "channel_binding=require is not supported; use sslmode=verify-full"],
    ["h/d?gssencmode=require", "gssencmode=require is not supported; remove it, or use gssencmode=disable"],
    ["h/d?statement_timeout=5", "statement_timeout is not supported; set VPS_SERVICE_DATABASE_STATEMENT_MILLIS"],
    ["h/d?pgbouncer=true", "pgbouncer is not supported; remove it"],
    ["h/d?sslmode=require&sslmode=disable", "sslmode is written 2 times; write it once"],
    ["h/d#rest", "what follows # would be ignored"],
    ["h/d?host=one,two", "several hosts should be written before the database"],
    ["one,two/d", "several hosts need target_session_attrs=read-write"],
    ["one,two/d?target_session_attrs=any", "several hosts need target_session_attrs=read-write"],
    ["one,two/d?port=1&target_session_attrs=primary", "host and port go with a single host"]
  ])("that says what would be ignored is refused: %s", (rest, message) => {
    assert.throws(() => resolve(["--database", `postgres://vps:s3cret@${rest}`], {}), InvalidSetting, message)
  })
  it.each(["one,/d", "one,two:port/d"])("of several hosts that makes no sense is refused: %s", (rest) => {
    const url = `postgres://vps:s3cret@${rest}`
    assert.throws(() => resolve(["--database", url], {}), InvalidSetting, "should be like postgres://")
    assert.notInclude(locate(url).label, "s3cret")
  })
  it("does not go with the emulator, whose clock is one process's", () => {
    assert.throws(
      () => resolve(["--emulator", `--database=${URL_WITH}`], {}),
      "--emulator (VPS_SERVICE_EMULATOR) requires"
    )
  })
  it("requires the secret that all replicas share", () => {
    const source = { database: URL_WITH, emulator: false }
    assert.throws(() => load({ ...source, secret: "" }), "VPS_SERVICE_SECRET is not set")
    assert.isString(load({ ...source, secret: "a-secret-of-the-tests-0123456789abcdef" }).digest("a"))
  })
})

describe("what went wrong with the database", () => {
  const server = (code: string) => Object.assign(new Error("as asked"), { code, severity: "ERROR" })
  it.each([
    ["40001", "conflict"],
    ["40P01", "conflict"],
    ["23505", "conflict"],
    ["57P01", "unavailable"],
    [
      "53300",
      "unavailable"
    ],
    ["42601", "refused"],
    ["23514", "refused"]
  ])("%s is %s", (code, kind) => {
    assert.strictEqual(kindOf(server(code)), kind)
  })
  it("is not the server's word when the system has the same code for it", () => {
    assert.strictEqual(kindOf(Object.assign(new Error("write EPIPE"), { code: "EPIPE" })), "unavailable")
  })
})
