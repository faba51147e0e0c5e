/** Both databases have one schema: tables, columns, keys, indexes, references, checks and triggers. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "vitest"
import { migrate as migratePostgres } from "#service/persistence/postgres/Migrate"
import * as Pool from "#service/persistence/postgres/Pool"
import { MIGRATIONS } from "#service/persistence/schema/Migrations"
import { migrate as migrateSqlite } from "#service/persistence/sqlite/Migrate"
import { freshDatabase, noPostgres } from "../support/postgresProject.ts"
import { boughtInstance, NEW_TASKS, OLD_TASKS } from "../support/oldRows.ts"
import { schemaOfPostgres, schemaOfSqlite } from "../support/schemas.ts"
import { limitsLayer } from "../support/limits.ts"
import { rejection } from "../support/rejection.ts"

const connected = async (url: string) => {
  const scope = Scope.makeUnsafe()
  const context = await Effect.runPromise(Layer.buildWithScope(Layer.provide(Pool.layer(url), limitsLayer()), scope))
  const connection = await Context.get(context, Pool.Pool).connect()
  const end = () => {
    connection.release(false)
    return Effect.runPromise(Scope.close(scope, Exit.void))
  }
  return { ...connection, end }
}

const sqlite = () => {
  const connection = new DatabaseSync(":memory:")
  migrateSqlite(connection)
  return schemaOfSqlite(connection)
}

describe.skipIf(noPostgres)("the schema on PostgreSQL", () => {
  it("is SQLite's", async () => {
    const url = await freshDatabase()
    const connection = await connected(url)
    await migratePostgres(connection)
    const schema = await schemaOfPostgres(url)
    assert.deepStrictEqual(schema, sqlite())
    assert.include(Object.keys(schema), "idempotency_keys")
    await connection.query({ text: "DROP INDEX tasks_open", rowMode: "array" })
    assert.notDeepEqual(await schemaOfPostgres(url), sqlite())
    await connection.end()
  })

  it("comes to the same from every earlier version", async () => {
    const url = await freshDatabase()
    const connection = await connected(url)
    for (let version = 1; version <= MIGRATIONS.length; version++) await migratePostgres(connection, version)
    assert.deepStrictEqual(await schemaOfPostgres(url), sqlite())
    await connection.end()
  })

  it("keeps the purposes of tasks when they move from the parameters to columns", async () => {
    const connection = await connected(await freshDatabase())
    await migratePostgres(connection, 36)
    await connection.query({ text: boughtInstance("0123") + OLD_TASKS, rowMode: "array" })
    await migratePostgres(connection)
    const text = "SELECT purpose, of_task_id, params FROM tasks ORDER BY id"
    assert.deepStrictEqual((await connection.query({ text, rowMode: "array" })).rows, NEW_TASKS)
    await connection.end()
  })

  it("is made once by replicas that start at the same time", async () => {
    const url = await freshDatabase()
    const connections = await Promise.all([connected(url), connected(url), connected(url)])
    await Promise.all(connections.map((connection) => migratePostgres(connection)))
    assert.deepStrictEqual(await schemaOfPostgres(url), sqlite())
    await Promise.all(connections.map(({ end }) => end()))
  })

  it("that a newer program has made is refused, and left as it is", async () => {
    const connection = await connected(await freshDatabase())
    await migratePostgres(connection)
    const version = MIGRATIONS.length + 1
    await connection.query({ text: `UPDATE vps_schema_version SET version = ${version}`, rowMode: "array" })
    assert.include(
      (await rejection(migratePostgres(connection))).message,
      `has schema version ${version}; this program knows up to`
    )
    await connection.end()
  })
})
