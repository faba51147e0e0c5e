/** The API keys and SSH keys of an account. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { hash } from "node:crypto"
import { Authentication } from "../../../auth/Authentication.ts"
import { createKey } from "../../../auth/Keys.ts"
import { Limits } from "../../../config/Limits.ts"
import { toOptionalTimestamp, toTimestamp } from "../../../domain/Calendar.ts"
import { sshKeyProblem } from "../../../domain/SshKey.ts"
import { type ApiKey, ApiKeys } from "../../../persistence/ApiKeys.ts"
import { OperatorLists } from "../../../persistence/OperatorLists.ts"
import { SshKeys, type StoredSshKey } from "../../../persistence/people/SshKeys.ts"
import { Transaction } from "../../../persistence/Transaction.ts"
import type { KeyRecord, SshKeyRecord } from "../../contract/AccountCalls.ts"
import { recordBy } from "../../../people/Actor.ts"
import type { PanelHandlers } from "../Handlers.ts"
import { missing, Refused } from "../Refused.ts"
import type { Member } from "../Visitor.ts"

type Handlers = PanelHandlers<"account", Member>

/** Most keys in a list: more are unreadable. */
const KEYS_SHOWN = 1_000

const HOUR_MILLIS = 3_600_000
const DAY_MILLIS = 24 * HOUR_MILLIS

const DONE = { ok: true as const }

const stateOf = ({ expiresAt, revokedAt }: ApiKey, now: number): KeyRecord["state"] => {
  if (revokedAt !== null) return "revoked"
  return expiresAt !== null && expiresAt <= now ? "expired" : "active"
}

export const keyRecord = (key: ApiKey, now: number): KeyRecord => ({
  id: key.id,
  name: key.name,
  prefix: key.prefix,
  last4: key.last4,
  scopes: key.scopes,
  state: stateOf(key, now),
  made_by: key.madeBy,
  made_by_id: key.personId,
  created_at: toTimestamp(key.createdAt),
  expires_at: toOptionalTimestamp(key.expiresAt),
  last_used_at: toOptionalTimestamp(key.lastUsedAt)
})

/** A key of the member's account that still works. */
const findActive = Effect.fnUntraced(function*(id: number, accountId: number, now: number) {
  const key = yield* (yield* ApiKeys).find(id)
  if (key === undefined || key.accountId !== accountId) return yield* missing("API key")
  if (stateOf(key, now) === "active") return key
  return yield* new Refused({ status: 409, message: `This API key is ${stateOf(key, now)} already.` })
})

type NewKey = Pick<ApiKey, "name" | "scopes" | "expiresAt">

/** Stores a key and returns its record with the key itself, in a transaction of the caller. */
const addKey = Effect.fnUntraced(function*({ caller: { accountId }, person }: Member, key: NewKey, at: number) {
  const { expiresAt, name, scopes } = key
  const { id, token } = yield* createKey({ name, scopes, expiresAt, accountId, maker: person, at })
  const stored = yield* (yield* ApiKeys).find(id)
  return { ...keyRecord(stored!, at), api_key: token }
})

export const keys: Pick<Handlers, "keys" | "create_key" | "rotate_key" | "revoke_key"> = {
  keys: Effect.fnUntraced(function*(_, { caller: { accountId } }) {
    const now = yield* Clock.currentTimeMillis
    const all = yield* (yield* OperatorLists).keys(accountId, 0, KEYS_SHOWN)
    return all.map((key) => keyRecord(key, now)).toReversed()
  }),
  create_key: Effect.fnUntraced(function*({ payload: { expires_in_days: days, name, scopes } }, member) {
    if (scopes.length === 0) return yield* new Refused({ status: 400, message: "Choose at least one scope." })
    const at = yield* Clock.currentTimeMillis
    const { accountId } = member.caller
    const expiresAt = days === undefined || days === null ? null : at + days * DAY_MILLIS
    return yield* (yield* Transaction).run(Effect.gen(function*() {
      const key = yield* addKey(member, { name, scopes: [...new Set(scopes)], expiresAt }, at)
      yield* recordBy(member, { action: "keys.create", accountId, details: { key_id: key.id, name, scopes } })
      return key
    }))
  }),
  rotate_key: Effect.fnUntraced(function*({ params: { id }, payload: { overlap_hours: hours } }, member) {
    const at = yield* Clock.currentTimeMillis
    const { accountId } = member.caller
    const apiKeys = yield* ApiKeys
    const rotated = yield* (yield* Transaction).run(Effect.gen(function*() {
      const old = yield* findActive(id, accountId, at)
      const key = yield* addKey(member, old, at)
      const end = at + hours * HOUR_MILLIS
      if (hours === 0) yield* apiKeys.revoke(id, at)
      else yield* apiKeys.setExpiry(id, Math.min(end, old.expiresAt ?? end))
      yield* recordBy(member, {
        action: "keys.rotate",
        accountId,
        details: { key_id: id, new_key_id: key.id, overlap_hours: hours }
      })
      return key
    }))
    yield* (yield* Authentication).clearCache
    return rotated
  }),
  revoke_key: Effect.fnUntraced(function*({ params: { id } }, member) {
    const at = yield* Clock.currentTimeMillis
    const { accountId } = member.caller
    yield* (yield* Transaction).run(Effect.gen(function*() {
      yield* findActive(id, accountId, at)
      yield* (yield* ApiKeys).revoke(id, at)
      yield* recordBy(member, { action: "keys.revoke", accountId, details: { key_id: id } })
    }))
    yield* (yield* Authentication).clearCache
    return DONE
  })
}

const sshKeyRecord = ({ createdAt, fingerprint, id, name, publicKey }: StoredSshKey): SshKeyRecord => ({
  id,
  name,
  public_key: publicKey,
  fingerprint,
  created_at: toTimestamp(createdAt)
})

/** Type and key; the comment behind them may name a person or computer. */
const withoutComment = (key: string): string => key.trim().split(/[ \t]+/).slice(0, 2).join(" ")

const fingerprintOf = (key: string): string =>
  `SHA256:${hash("sha256", Buffer.from(key.split(" ")[1]!, "base64"), "base64").replace("=", "")}`

/** Adds a well-formed key, in a transaction of the caller. */
const storeSshKey = Effect.fnUntraced(function*(member: Member, key: Omit<StoredSshKey, "id">) {
  const sshKeys = yield* SshKeys
  const { SSH_KEYS_PER_ACCOUNT_MAX: max } = yield* Limits
  const { accountId } = member.caller
  if ((yield* sshKeys.list(accountId)).length >= max) {
    return yield* new Refused({
      status: 409,
      message: `The account has ${max} SSH keys, the most that are possible. Remove one first.`
    })
  }
  const id = yield* sshKeys.add(accountId, key)
  if (id === 0) return yield* new Refused({ status: 409, message: "This SSH key is stored already." })
  const { fingerprint, name } = key
  yield* recordBy(member, { action: "ssh_keys.add", accountId, details: { id, name, fingerprint } })
  return sshKeyRecord({ ...key, id })
})

export const sshKeys: Pick<Handlers, "ssh_keys" | "add_ssh_key" | "remove_ssh_key"> = {
  ssh_keys: (_, { caller: { accountId } }) =>
    Effect.flatMap(SshKeys, ({ list }) => Effect.map(list(accountId), (all) => all.map(sshKeyRecord))),
  add_ssh_key: Effect.fnUntraced(function*({ payload }, member) {
    const problem = sshKeyProblem(payload.public_key)
    if (problem !== undefined) return yield* new Refused({ status: 400, message: `The SSH key ${problem}.` })
    const publicKey = withoutComment(payload.public_key)
    const createdAt = yield* Clock.currentTimeMillis
    const key = { name: payload.name, publicKey, fingerprint: fingerprintOf(publicKey), createdAt }
    return yield* (yield* Transaction).run(storeSshKey(member, key))
  }),
  remove_ssh_key: Effect.fnUntraced(function*({ params: { id } }, member) {
    const { accountId } = member.caller
    const sshKeys = yield* SshKeys
    yield* (yield* Transaction).run(Effect.gen(function*() {
      if (!(yield* sshKeys.remove(id, accountId))) return yield* missing("SSH key")
      yield* recordBy(member, { action: "ssh_keys.remove", accountId, details: { id } })
    }))
    return DONE
  })
}
