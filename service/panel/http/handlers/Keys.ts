/** The API keys and SSH keys of an account. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { keyState } from "../../../auth/Authentication.ts"
import { toOptionalTimestamp, toTimestamp } from "../../../domain/Timestamp.ts"
import { addSshKey, listKeys, makeKey, removeSshKey, revokeMembersKey, rotateKey } from "../../../people/AccountKeys.ts"
import type { ApiKey } from "../../../persistence/ApiKeys.ts"
import { SshKeys, type StoredSshKey } from "../../../persistence/people/SshKeys.ts"
import type { SshKeyRecord } from "../../contract/AccountCalls.ts"
import type { KeyRecord } from "../../contract/Keys.ts"
import type { PanelHandlers } from "../Handlers.ts"
import type { Member } from "../Visitor.ts"

type Handlers = PanelHandlers<"account", Member>

const DAY_MILLIS = 24 * 3_600_000

const DONE = { ok: true as const }

export const keyRecord = (key: ApiKey, now: number): KeyRecord => ({
  id: key.id,
  name: key.name,
  prefix: key.prefix,
  last4: key.last4,
  scopes: key.scopes,
  state: keyState(key, now),
  made_by: key.madeBy,
  made_by_id: key.personId,
  created_at: toTimestamp(key.createdAt),
  expires_at: toOptionalTimestamp(key.expiresAt),
  last_used_at: toOptionalTimestamp(key.lastUsedAt)
})

const newKeyRecord = ({ key, token }: { readonly key: ApiKey; readonly token: string }) => ({
  ...keyRecord(key, key.createdAt),
  api_key: token
})

export const keys: Pick<Handlers, "keys" | "create_key" | "rotate_key" | "revoke_key"> = {
  keys: Effect.fnUntraced(function*(_, { caller: { accountId } }) {
    const now = yield* Clock.currentTimeMillis
    return (yield* listKeys(accountId)).map((key) => keyRecord(key, now))
  }),
  create_key: ({ payload: { expires_in_days: days, name, scopes } }, member) => {
    const expiresInMillis = days === undefined || days === null ? null : days * DAY_MILLIS
    return Effect.map(makeKey({ name, scopes, expiresInMillis }, member), newKeyRecord)
  },
  rotate_key: ({ params: { id }, payload: { overlap_hours: hours } }, member) =>
    Effect.map(rotateKey(id, hours, member), newKeyRecord),
  revoke_key: ({ params: { id } }, member) => Effect.as(revokeMembersKey(id, member), DONE)
}

const sshKeyRecord = ({ createdAt, fingerprint, id, name, publicKey }: StoredSshKey): SshKeyRecord => ({
  id,
  name,
  public_key: publicKey,
  fingerprint,
  created_at: toTimestamp(createdAt)
})

export const sshKeys: Pick<Handlers, "ssh_keys" | "add_ssh_key" | "remove_ssh_key"> = {
  ssh_keys: (_, { caller: { accountId } }) =>
    Effect.flatMap(SshKeys, ({ list }) => Effect.map(list(accountId), (all) => all.map(sshKeyRecord))),
  add_ssh_key: ({ payload: { name, public_key: text } }, member) =>
    Effect.map(addSshKey(name, text, member), sshKeyRecord),
  remove_ssh_key: ({ params: { id } }, member) => Effect.as(removeSshKey(id, member), DONE)
}
