/** An instance is read far more often than anything is written: between two writes it need not be read again. */
import type { Instance } from "#contract/Instance"
import type { Database } from "./Database.ts"

/** Instances remembered at once: some 4 megabytes with what the HTTP side keeps for each. */
const REMEMBERED_MAX = 2_048

interface Remembered {
  /** How many rows this connection had ever changed when it was read. */
  readonly changes: number
  readonly instance: Instance
}

/**
 * Answers what was read before, the very same object, as long as not one row of any table was changed since. Exact:
 * SQLite itself counts the changes. Inside a transaction it reads always, for that may yet be undone.
 */
export const rememberWhileUnwritten = (
  { connection, one }: Database["Service"],
  read: (accountId: number, id: number) => Instance | undefined
) => {
  const remembered = new Map<number, Remembered>()
  const total = one<[number]>("SELECT total_changes()")
  return (accountId: number, id: number): Instance | undefined => {
    if (connection.isTransaction) return read(accountId, id)
    const changes = total()![0]
    const known = remembered.get(id)
    if (known?.changes === changes && known.instance.user_id === accountId) return known.instance
    const instance = read(accountId, id)
    if (instance === undefined) return undefined
    if (remembered.size >= REMEMBERED_MAX) remembered.clear()
    remembered.set(id, { changes, instance })
    return instance
  }
}
