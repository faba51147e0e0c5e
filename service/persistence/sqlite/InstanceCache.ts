/** An instance is read far more often than anything is written: between two writes it need not be read again. */
import * as Effect from "effect/Effect"
import type { Read } from "../Sql.ts"
import type { Database } from "./Database.ts"

/** Instances remembered at once: some 4 megabytes with what the HTTP side keeps for each. */
const REMEMBERED_MAX = 2_048

interface Remembered<A> {
  /** How many rows this connection had ever changed when it was read. */
  readonly changes: number
  readonly accountId: number
  readonly value: A
}

/**
 * Answers what was read before, the very same object, as long as not one row of any table was changed since. Exact:
 * SQLite itself counts the changes. Inside a transaction it reads always, for that may yet be undone.
 */
export const rememberWhileUnwritten = <A>(
  { connection, one }: Pick<Database["Service"], "connection" | "one">,
  read: Read<A>
): Read<A> => {
  const remembered = new Map<number, Remembered<A>>()
  const total = one<[number]>("SELECT total_changes()")
  const remember = (accountId: number, id: number, changes: number) => (value: A | undefined) => {
    if (value === undefined) return undefined
    if (remembered.size >= REMEMBERED_MAX) remembered.clear()
    remembered.set(id, { changes, accountId, value })
    return value
  }
  return (accountId, id) =>
    Effect.suspend(() => {
      if (connection.isTransaction) return read(accountId, id)
      const changes = total()![0]
      const known = remembered.get(id)
      if (known?.changes === changes && known.accountId === accountId) return Effect.succeed(known.value)
      return Effect.map(read(accountId, id), remember(accountId, id, changes))
    })
}
