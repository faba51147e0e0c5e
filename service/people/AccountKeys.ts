/** The API keys and SSH keys of an account, for its members. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { hash } from "node:crypto"
import type { Scope } from "@pulumi-vps/contract/Scope"
import { Authentication, keyState } from "../auth/Authentication.ts"
import { missing, reject } from "../auth/Rejected.ts"
import { createKey, revokeKey } from "../auth/Keys.ts"
import { Limits } from "../config/Limits.ts"
import { sshKeyProblem } from "../domain/SshKey.ts"
import { type ApiKey, ApiKeys } from "../persistence/ApiKeys.ts"
import { OperatorLists } from "../persistence/OperatorLists.ts"
import { SshKeys, type StoredSshKey } from "../persistence/people/SshKeys.ts"
import { Transaction } from "../persistence/Transaction.ts"
import { type ByMember, recordBy } from "./Actor.ts"

/** Most keys in a list: more are unreadable. */
const KEYS_LISTED = 1_000

/** Newest first. */
export const listKeys = Effect.fnUntraced(function*(accountId: number) {
  return (yield* (yield* OperatorLists).keys(accountId, 0, KEYS_LISTED)).toReversed()
})

/** A key of the member's account that still works. */
const assertActive = Effect.fnUntraced(function*(key: ApiKey | undefined, accountId: number, now: number) {
  if (key === undefined || key.accountId !== accountId) return yield* missing("API key")
  const state = keyState(key, now)
  return state === "active" ? key : yield* reject("conflict", `This API key is ${state} already.`)
})

type NewKey = Pick<ApiKey, "name" | "scopes" | "expiresAt">

/** Stores a key, in a transaction of the caller. */
const addKey = Effect.fnUntraced(function*({ caller: { accountId }, person }: ByMember, key: NewKey, at: number) {
  const { expiresAt, name, scopes } = key
  const { id, token } = yield* createKey({ name, scopes, expiresAt, accountId, maker: person, at })
  return { key: (yield* (yield* ApiKeys).find(id))!, token }
})

interface Wanted {
  readonly name: string
  readonly scopes: ReadonlyArray<Scope>
  /** Null never expires. */
  readonly expiresInMillis: number | null
}

/** Makes a key. The result is the only place that has its token. */
export const makeKey = Effect.fnUntraced(function*({ expiresInMillis, name, scopes }: Wanted, by: ByMember) {
  if (scopes.length === 0) return yield* reject("invalid", "Choose at least one scope.")
  const at = yield* Clock.currentTimeMillis
  const expiresAt = expiresInMillis === null ? null : at + expiresInMillis
  return yield* (yield* Transaction).run(Effect.gen(function*() {
    const made = yield* addKey(by, { name, scopes: [...new Set(scopes)], expiresAt }, at)
    const details = { key_id: made.key.id, name, scopes }
    yield* recordBy(by, { action: "keys.create", accountId: by.caller.accountId, details })
    return made
  }))
})

const HOUR_MILLIS = 3_600_000

/** Makes a key with the rights of another one, which works for some hours beside it; with 0, it is revoked. */
export const rotateKey = Effect.fnUntraced(function*(id: number, hours: number, by: ByMember) {
  const at = yield* Clock.currentTimeMillis
  const { accountId } = by.caller
  const apiKeys = yield* ApiKeys
  const rotated = yield* (yield* Transaction).run(Effect.gen(function*() {
    const old = yield* assertActive(yield* apiKeys.find(id), accountId, at)
    const made = yield* addKey(by, old, at)
    const end = at + hours * HOUR_MILLIS
    if (hours === 0) yield* apiKeys.revoke(id, at)
    else yield* apiKeys.setExpiry(id, Math.min(end, old.expiresAt ?? end))
    const details = { key_id: id, new_key_id: made.key.id, overlap_hours: hours }
    yield* recordBy(by, { action: "keys.rotate", accountId, details })
    return made
  }))
  yield* (yield* Authentication).clearCache
  return rotated
})

export const revokeMembersKey = (id: number, by: ByMember) => {
  const { accountId } = by.caller
  return revokeKey(id, (key, at) =>
    Effect.tap(
      assertActive(key, accountId, at),
      () => recordBy(by, { action: "keys.revoke", accountId, details: { key_id: id } })
    ))
}

/** Type and key; the comment behind them may name a person or computer. */
const withoutComment = (key: string): string => key.trim().split(/[ \t]+/).slice(0, 2).join(" ")

const fingerprintOf = (key: string): string =>
  `SHA256:${hash("sha256", Buffer.from(key.split(" ")[1]!, "base64"), "base64").replace("=", "")}`

/** Adds a well-formed key, in a transaction of the caller. */
const storeSshKey = Effect.fnUntraced(function*(by: ByMember, key: Omit<StoredSshKey, "id">) {
  const sshKeys = yield* SshKeys
  const { SSH_KEYS_PER_ACCOUNT_MAX: max } = yield* Limits
  const { accountId } = by.caller
  if ((yield* sshKeys.list(accountId)).length >= max) {
    return yield* reject("conflict", `The account has ${max} SSH keys, the most that are possible. Remove one first.`)
  }
  const id = yield* sshKeys.add(accountId, key)
  if (id === 0) return yield* reject("conflict", "This SSH key is stored already.")
  const { fingerprint, name } = key
  yield* recordBy(by, { action: "ssh_keys.add", accountId, details: { id, name, fingerprint } })
  return { ...key, id } satisfies StoredSshKey
})

export const addSshKey = Effect.fnUntraced(function*(name: string, text: string, by: ByMember) {
  const problem = sshKeyProblem(text)
  if (problem !== undefined) return yield* reject("invalid", `The SSH key ${problem}.`)
  const publicKey = withoutComment(text)
  const createdAt = yield* Clock.currentTimeMillis
  return yield* (yield* Transaction).run(
    storeSshKey(by, { name, publicKey, fingerprint: fingerprintOf(publicKey), createdAt })
  )
})

export const removeSshKey = Effect.fnUntraced(function*(id: number, by: ByMember) {
  const { accountId } = by.caller
  const sshKeys = yield* SshKeys
  yield* (yield* Transaction).run(Effect.gen(function*() {
    if (!(yield* sshKeys.remove(id, accountId))) return yield* missing("SSH key")
    yield* recordBy(by, { action: "ssh_keys.remove", accountId, details: { id } })
  }))
})

/** The API keys that a person who leaves an account may know: keys belong to the account, and remain valid. */
export interface LeftKeys {
  readonly revoked: ReadonlyArray<ApiKey>
  readonly remaining: ReadonlyArray<ApiKey>
}

/**
 * Revokes the keys that a person made, on request, and returns them with those that the person may still know. Part of
 * the caller's transaction, before the membership ends; afterwards the caller clears the cache of keys.
 */
export const leaveKeys = Effect.fnUntraced(function*(
  personId: number,
  accountId: number | null,
  { revoke }: { readonly revoke: boolean }
) {
  const apiKeys = yield* ApiKeys
  const at = yield* Clock.currentTimeMillis
  const known = yield* apiKeys.knownTo(personId, accountId, at)
  const revoked = revoke ? known.filter((key) => key.personId === personId) : []
  yield* Effect.forEach(revoked, ({ id }) => apiKeys.revoke(id, at), { discard: true })
  return { revoked, remaining: known.filter((key) => !revoked.includes(key)) } satisfies LeftKeys
})
