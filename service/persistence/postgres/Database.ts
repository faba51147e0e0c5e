/** `Sql` on PostgreSQL: on the connection of the current transaction, or else on any. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Sql, type Value } from "../Sql.ts"
import { postgres } from "./Dialect.ts"
import { describe, isLost, kindOf, tryPg, unavailable } from "./Failures.ts"
import { type Answer, type Connection, Pool, type Statement } from "./Pool.ts"

/**
 * A transaction in progress. Statements are sent without waiting for the answers to earlier ones, and are answered in
 * order: a failure is followed by those of the statements after it.
 */
export interface Held {
  readonly connection: Connection
  /** Sent before the first statement: a use case that executes none needs no round trip. */
  opening: ReadonlyArray<Statement>
  /** One for each statement; none rejects. The connection is free when all have been answered. */
  readonly sent: Array<Promise<void>>
  /** Ids that were reserved for the next rows of these tables. */
  readonly ids: Map<string, Promise<number>>
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

/** Sends a statement of a transaction, after those that open it. */
export const send = (held: Held, statement: Statement): Promise<Answer> => {
  const { opening } = held
  held.opening = []
  for (const first of opening) void send(held, first).catch(() => undefined)
  const answer = held.connection.query(statement)
  held.sent.push(answer.then(() => undefined, (error: unknown) => void (held.failure ??= error)))
  return answer
}

const LATE = Effect.die(new Error("a statement was executed after the end of its transaction"))

const awaiting = <A>(held: Held, answer: () => Promise<A>): Effect.Effect<A> =>
  tryPg(answer).pipe(Effect.catch((error) => Effect.die(defectOf(held.failure ??= error))))

const inside = (held: Held, statement: Statement): Effect.Effect<Answer> =>
  held.ended ? LATE : awaiting(held, () => send(held, statement))

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

/** Sends a statement without waiting for its answer: if it fails, so does the transaction. */
const post = (pool: Pool["Service"], statement: Statement): Effect.Effect<void> =>
  Effect.flatMap(CurrentTransaction, (held) => {
    if (held === undefined) return Effect.asVoid(execute(pool, statement))
    return held.ended ? LATE : Effect.sync(() => void send(held, statement).catch(() => undefined))
  })

/** Reserves ids for the next inserts into tables. */
export const reserveIds = (tables: ReadonlyArray<string>): Effect.Effect<void> =>
  Effect.flatMap(CurrentTransaction, (held) => {
    if (held === undefined) return Effect.void
    const next = tables.map((table) =>
      `vps_next_id(CAST('${table}' AS regclass), CAST(pg_get_serial_sequence('${table}', 'id') AS regclass))`
    )
    const name = `vps_ids_${tables.join("_")}`
    return Effect.sync(() => {
      const answer = send(held, { name, text: `SELECT ${next.join(", ")}`, rowMode: "array" })
      for (const [index, table] of tables.entries()) {
        const id = answer.then(({ rows }) => Number(rows[0]![index]))
        id.catch(() => undefined)
        held.ids.set(table, id)
      }
    })
  })

/** The table of an insert, and its text with the id as the last value. */
const withId = (text: string, values: number) => {
  const table = /^INSERT INTO (\w+)\s+\(/.exec(text)?.[1]
  if (table === undefined || !text.includes("VALUES (")) {
    throw new Error(`${text} should be INSERT INTO t (...) VALUES (...)`)
  }
  return { table, text: text.replace("(", "(id, ").replace("VALUES (", `VALUES ($${values + 1}, `) }
}

const sqlOn = (pool: Pool["Service"]): Sql["Service"] => {
  // Sessions keep named statements until they end, so that a text has one name however often it is prepared.
  const names = new Map<string, string>()
  const statementOf = (text: string) => {
    const name = names.get(text) ?? `vps_${names.size + 1}`
    names.set(text, name)
    return (values: Array<Value>): Statement => ({ name, text, values: values.map(toPostgres), rowMode: "array" })
  }
  const prepared = (sql: string) => {
    const statement = statementOf(numbered(sql).text)
    return (values: Array<Value>) => execute(pool, statement(values))
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
    post: (sql) => {
      const statement = statementOf(numbered(sql).text)
      return (...values) => post(pool, statement(values))
    },
    insert: (sql) => {
      const { highest, text } = numbered(sql)
      const returning = statementOf(`${text} RETURNING id`)
      const reserved = withId(text, highest)
      const known = statementOf(reserved.text)
      return (...values) =>
        Effect.flatMap(CurrentTransaction, (held) => {
          const id = held?.ids.get(reserved.table)
          if (held === undefined || id === undefined) {
            return Effect.map(execute(pool, returning(values)), ({ rows }) => Number(rows[0]?.[0] ?? 0))
          }
          held.ids.delete(reserved.table)
          return Effect.flatMap(awaiting(held, () => id), (id) => Effect.as(post(pool, known([...values, id])), id))
        })
    }
  }
}

export const layer: Layer.Layer<Sql, never, Pool> = Layer.effect(Sql, Effect.map(Pool, sqlOn))

/* Translation: repositories write statements and values as SQLite takes them. */

/** Texts, quoted names and comments, in which a question mark is literal; and the placeholders. */
const TOKENS = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\?(\d*)/g

/** Numbered as in SQLite: a bare `?` follows the highest number so far. */
export const numbered = (sql: string) => {
  let highest = 0
  const text = sql.replace(TOKENS, (token, number: string | undefined) => {
    if (number === undefined) return token
    const place = number === "" ? highest + 1 : Number(number)
    highest = Math.max(highest, place)
    return `$${place}`
  })
  return { text, highest }
}

/** One beyond bigint; the text of a double that is nearer to 0 is within it. */
const BEYOND = 2 ** 63
const LARGEST = "9223372036854775807"
const SMALLEST = "-9223372036854775808"

/** An id or an amount beyond 64 bits compares larger or smaller than every stored one. */
const number = (value: number): Value => value >= BEYOND ? LARGEST : value <= -BEYOND ? SMALLEST : value

/** PostgreSQL cannot store a NUL in a text; an upstream's error message may have one. */
const withoutNul = (value: string): string => value.includes("\0") ? value.replaceAll("\0", "\u{FFFD}") : value

const toPostgres = (value: Value): Value =>
  typeof value === "number" ? number(value) : typeof value === "string" ? withoutNul(value) : value
