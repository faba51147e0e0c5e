/** `Sql` on PostgreSQL: on the connection of the current transaction, or else on any. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Sql, type Value } from "../Sql.ts"
import { postgres } from "./Dialect.ts"
import { describe, isLost, kindOf, tryPg, unavailable } from "./Failures.ts"
import { type Answer, type Connection, Pool, type Statement } from "./Pool.ts"

/** The connection of a transaction, and the state of the transaction. */
export interface Held {
  readonly connection: Connection
  /** The first error: after it the server only accepts the end of the transaction. */
  failure: unknown
  /** A fiber that outlived the transaction must not write into the next one. */
  ended: boolean
}

/** The transaction that this fiber is in. */
export class CurrentTransaction
  extends Context.Reference<Held | undefined>("pulumi-vps/service/persistence/postgres/CurrentTransaction", {
    defaultValue: () => undefined
  })
{}

/** An unavailable database is reported as such; a refused statement is a bug, reported without the values it quotes. */
const defectOf = (error: unknown): Error =>
  kindOf(error) === "refused" ? new Error(`The database refused a statement: ${describe(error)}`) : unavailable(error)

const inside = (held: Held, statement: Statement): Effect.Effect<Answer> =>
  held.ended ?
    Effect.die(new Error("a statement was executed after the end of its transaction")) :
    tryPg(() => held.connection.query(statement)).pipe(Effect.catch((error) => {
      held.failure ??= error
      return Effect.die(defectOf(error))
    }))

const alone = async (connection: Connection, statement: Statement): Promise<Answer> => {
  try {
    const answer = await connection.query(statement)
    connection.release(false)
    return answer
  } catch (error) {
    connection.release(isLost(error))
    throw error
  }
}

/** Runs a statement in the transaction of this fiber, or by itself when there is none. */
export const execute = (pool: Pool["Service"], statement: Statement): Effect.Effect<Answer> =>
  Effect.flatMap(CurrentTransaction, (held) =>
    held === undefined
      ? tryPg(async () => alone(await pool.connect(), statement)).pipe(
        Effect.catch((error) => Effect.die(defectOf(error)))
      )
      : inside(held, statement))

const sqlOn = (pool: Pool["Service"]): Sql["Service"] => {
  // Sessions keep named statements until they end, so that a text has one name however often it is prepared.
  const names = new Map<string, string>()
  const prepared = (sql: string) => {
    const text = numbered(sql)
    const name = names.get(text) ?? `vps_${names.size + 1}`
    names.set(text, name)
    return (values: Array<Value>) => execute(pool, { name, text, values: values.map(toPostgres), rowMode: "array" })
  }
  return {
    dialect: postgres,
    one: <Row extends ReadonlyArray<unknown>>(sql: string) => {
      const run = prepared(sql)
      return (...values: Array<Value>) => Effect.map(run(values), ({ rows }) => rows[0] as unknown as Row | undefined)
    },
    all: <Row extends ReadonlyArray<unknown>>(sql: string) => {
      const run = prepared(sql)
      return (...values: Array<Value>) => Effect.map(run(values), ({ rows }) => rows as unknown as ReadonlyArray<Row>)
    },
    run: (sql) => {
      const run = prepared(sql)
      return (...values) => Effect.map(run(values), ({ changes }) => changes)
    },
    insert: (sql) => {
      const run = prepared(`${sql} RETURNING id`)
      return (...values) => Effect.map(run(values), ({ rows }) => Number(rows[0]?.[0] ?? 0))
    }
  }
}

export const layer: Layer.Layer<Sql, never, Pool> = Layer.effect(Sql, Effect.map(Pool, sqlOn))

/* Translation: repositories write statements and values as SQLite takes them. */

/** Texts, quoted names and comments, in which a question mark is literal; and the placeholders. */
const TOKENS = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\?(\d*)/g

/** Numbered as in SQLite: a bare `?` follows the highest number so far. */
export const numbered = (sql: string): string => {
  let highest = 0
  return sql.replace(TOKENS, (token, number: string | undefined) => {
    if (number === undefined) return token
    const place = number === "" ? highest + 1 : Number(number)
    highest = Math.max(highest, place)
    return `$${place}`
  })
}

/** One beyond bigint; the text of a double that is nearer to 0 is within it. */
const BEYOND = 2 ** 63
const LARGEST = "9223372036854775807"
const SMALLEST = "-9223372036854775808"

/** An id or an amount beyond 64 bits compares larger or smaller than every stored one. */
const number = (value: number): Value => value >= BEYOND ? LARGEST : value <= -BEYOND ? SMALLEST : value

/** PostgreSQL cannot store a NUL in a text; an upstream's error message may have one. */
const text = (value: string): string => value.includes("\0") ? value.replaceAll("\0", "\u{FFFD}") : value

const toPostgres = (value: Value): Value =>
  typeof value === "number" ? number(value) : typeof value === "string" ? text(value) : value
