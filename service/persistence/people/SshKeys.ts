/** Public SSH keys that an account stores for its orders. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { columns, selectAll, updateOne } from "../Columns.ts"
import { Sql } from "../Sql.ts"

export interface StoredSshKey {
  readonly id: number
  readonly name: string
  readonly publicKey: string
  /** As `ssh-keygen -l` prints it. */
  readonly fingerprint: string
  readonly createdAt: number
}

export class SshKeys extends Context.Service<SshKeys, {
  /** By id. */
  readonly list: (accountId: number) => Effect.Effect<ReadonlyArray<StoredSshKey>>
  /** Returns the id; 0 if the account has stored the key already. */
  readonly add: (accountId: number, key: Omit<StoredSshKey, "id">) => Effect.Effect<number>
  /** False when the account has no such key. */
  readonly remove: (id: number, accountId: number) => Effect.Effect<boolean>
}>()("@pulumi-vps/service/SshKeys") {
  static readonly layer = Layer.effect(
    this,
    Effect.map(Sql, (sql) => {
      const insert = sql.insert(
        `INSERT INTO stored_ssh_keys (account_id, name, public_key, fingerprint, created_at) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (account_id, fingerprint) DO NOTHING`
      )
      return {
        list: selectAll(sql, SSH_KEY, "FROM stored_ssh_keys WHERE account_id = ? ORDER BY id"),
        add: (accountId, { createdAt, fingerprint, name, publicKey }) =>
          insert(accountId, name, publicKey, fingerprint, createdAt),
        remove: updateOne(sql, "DELETE FROM stored_ssh_keys WHERE id = ? AND account_id = ?")
      }
    })
  )
}

const SSH_KEY = columns<StoredSshKey>({
  id: "id",
  name: "name",
  publicKey: "public_key",
  fingerprint: "fingerprint",
  createdAt: "created_at"
})
