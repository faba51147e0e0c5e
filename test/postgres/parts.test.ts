/** The parts of persistence/postgres that need no server. */
import { assert, describe, it } from "@effect/vitest"
import { explain } from "#service/admin/cli/ConfigCommand"
import { resolve } from "#service/config/Resolve"
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
