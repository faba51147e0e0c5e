/** Passkeys: the public halves of key pairs in people's devices, and the challenges that these sign. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { columns, flag, selectAll, selectOne, update, updateOne } from "../Columns.ts"
import * as Rows from "../Rows.ts"
import { Sql } from "../Sql.ts"

export interface Passkey {
  readonly id: number
  readonly personId: number
  /** Its id at the device, in base64url. */
  readonly credential: string
  /** In base64url. */
  readonly publicKey: string
  /** Grows with each use on devices that count; 0 on others. */
  readonly counter: number
  /** Hints to the browser, separated by commas. */
  readonly transports: string
  /** True if the device's vendor synchronizes it to other devices. */
  readonly backedUp: boolean
  /** The domain of the panel for which it was made. */
  readonly domain: string
  readonly name: string
  readonly createdAt: number
  readonly lastUsedAt: number | null
}

export class Passkeys extends Context.Service<Passkeys, {
  readonly findByCredential: (credential: string) => Effect.Effect<Passkey | undefined>
  /** By id. */
  readonly ofPerson: (personId: number) => Effect.Effect<ReadonlyArray<Passkey>>
  readonly hasAny: (personId: number) => Effect.Effect<boolean>
  readonly add: (passkey: Omit<Passkey, "id" | "lastUsedAt">) => Effect.Effect<number>
  readonly use: (id: number, counter: number, at: number) => Effect.Effect<void>
  /** False when the person has no such passkey. */
  readonly rename: (id: number, personId: number, name: string) => Effect.Effect<boolean>
  readonly remove: (id: number, personId: number) => Effect.Effect<boolean>
  /** A domain other than this one for which there are passkeys. */
  readonly otherDomain: (domain: string) => Effect.Effect<string | undefined>
  /** Stores a challenge's digest, of a session or, with null, of a sign-in; deletes expired ones. */
  readonly challenge: (digest: string, sessionId: number | null, now: number, expiresAt: number) => Effect.Effect<void>
  /** Uses up a challenge; false if there is none that is valid now. */
  readonly takeChallenge: (digest: string, sessionId: number | null, now: number) => Effect.Effect<boolean>
}>()("@pulumi-vps/service/Passkeys") {
  static readonly layer = Layer.effect(
    this,
    Effect.map(Sql, (sql) => {
      const any = sql.one<[number]>("SELECT 1 FROM passkeys WHERE person_id = ? LIMIT 1")
      const insert = sql.insert(
        `INSERT INTO passkeys (person_id, credential, public_key, counter, transports, backed_up, domain, name,
           created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
      )
      const other = sql.one<[string]>("SELECT domain FROM passkeys WHERE domain <> ? LIMIT 1")
      const expire = update(sql, "DELETE FROM challenges WHERE expires_at <= ?")
      const add = update(sql, "INSERT INTO challenges (digest, session_id, expires_at) VALUES (?, ?, ?)")
      const take = sql.run(
        "DELETE FROM challenges WHERE digest = ?1 AND coalesce(session_id, 0) = ?2 AND expires_at > ?3"
      )
      return {
        findByCredential: selectOne(sql, PASSKEY, "FROM passkeys WHERE credential = ?"),
        ofPerson: selectAll(sql, PASSKEY, "FROM passkeys WHERE person_id = ? ORDER BY id"),
        hasAny: (personId) => Rows.exists(any(personId)),
        add: (key) =>
          insert(
            key.personId,
            key.credential,
            key.publicKey,
            key.counter,
            key.transports,
            Number(key.backedUp),
            key.domain,
            key.name,
            key.createdAt
          ),
        use: update(sql, "UPDATE passkeys SET counter = ?2, last_used_at = ?3 WHERE id = ?1"),
        rename: updateOne(sql, "UPDATE passkeys SET name = ?3 WHERE id = ?1 AND person_id = ?2"),
        remove: updateOne(sql, "DELETE FROM passkeys WHERE id = ? AND person_id = ?"),
        otherDomain: (domain) => Rows.optionalValue(other(domain)),
        challenge: (digest, sessionId, now, expiresAt) =>
          Effect.andThen(expire(now), add(digest, sessionId, expiresAt)),
        takeChallenge: (digest, sessionId, now) => Effect.map(take(digest, sessionId ?? 0, now), (rows) => rows === 1)
      }
    })
  )
}

const PASSKEY = columns<Passkey>({
  id: "id",
  personId: "person_id",
  credential: "credential",
  publicKey: "public_key",
  counter: "counter",
  transports: "transports",
  backedUp: flag("backed_up"),
  domain: "domain",
  name: "name",
  createdAt: "created_at",
  lastUsedAt: "last_used_at"
})
