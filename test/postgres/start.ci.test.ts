/** The error for an operator when the database is not usable: one sentence, never with the password. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { assert, describe, it } from "vitest"
import { Pool } from "#service/persistence/postgres/Pool"
import * as Start from "#service/persistence/postgres/Startup"
import { query } from "../support/postgres.ts"
import { freshDatabase, noPostgres } from "../support/postgresProject.ts"
import { operate, startReplica } from "../support/replicas.ts"

const changed = (url: string, change: (url: URL) => void): string => {
  const other = new URL(url)
  change(other)
  return other.href
}

/** The output of a service that does not start. */
const refusal = async (url: string): Promise<string> => {
  const started = await startReplica(url).then((replica) => replica.end().then(() => "it started"), String)
  assert.notInclude(started, new URL(url).password)
  assert.notInclude(started, "    at ")
  return started
}

/** The output of a command, which fails where the service waits. */
const commandRefusal = (url: string): Promise<string> =>
  operate(url, "accounts", "list").then(() => "it worked", String)

describe.skipIf(noPostgres)("a service that cannot use its PostgreSQL database says so", () => {
  it("when no server listens there", async () => {
    const url = changed(await freshDatabase(), (other) => void (other.port = "1"))
    assert.match(
      await commandRefusal(url),
      /at 127\.0\.0\.1:1 does not answer: .*ECONNREFUSED.*Is PostgreSQL running there/
    )
  })
  it("when the password is wrong", async () => {
    const url = changed(await freshDatabase(), (other) => void (other.password = "another-password"))
    assert.include(await refusal(url), "does not accept this user's password")
  })
  it("when the database does not exist", async () => {
    const url = changed(await freshDatabase(), (other) => void (other.pathname = "/nowhere"))
    assert.match(await refusal(url), /"nowhere" at .* does not exist on that server\. Create it with createdb/)
  })
  it("when it is not encoded in UTF8", async () => {
    const server = await freshDatabase()
    await query("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0", server)
    const url = changed(server, (other) => void (other.pathname = "/latin"))
    assert.include(await refusal(url), "is encoded in LATIN1")
  })
  it("when it can only be read", async () => {
    const url = await freshDatabase()
    await query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_read_only = on`, url)
    assert.include(await commandRefusal(url), "can only be read: it is a standby")
  })
  it("when the server is too old", async () => {
    const rows = [[140_012, "14.12", "UTF8"]]
    const connection = { query: () => Promise.resolve({ rows, changes: 1 }), release: () => undefined }
    const old = Layer.succeed(Pool, {
      connect: () => Promise.resolve(connection),
      listen: () => Promise.reject(),
      renew: () => undefined
    })
    const error = await Effect.runPromise(
      Effect.flip(Effect.scoped(Layer.build(Layer.provide(Start.layer("postgres://vps@h/d"), old))))
    )
    assert.strictEqual(error.message, "The database \"d\" at h is PostgreSQL 14.12; the service needs 15 or newer.")
  })
})
