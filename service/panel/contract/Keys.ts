/** API keys as members see them. */
import * as Schema from "effect/Schema"
import {
  type Encoded,
  NullableString,
  NullableTimestamp,
  QueryBoolean,
  Timestamp
} from "@pulumi-vps/contract/Primitives"
import { Scope } from "@pulumi-vps/contract/Scope"
import { KEY_STATES } from "../../contract/Words.ts"

export const KeyRecord = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  prefix: Schema.String,
  last4: Schema.String,
  scopes: Schema.Array(Scope),
  state: Schema.Literals(KEY_STATES),
  /** The address of the member who made it, and their id as a person; null for the host. */
  made_by: NullableString,
  made_by_id: Schema.NullOr(Schema.Int),
  created_at: Timestamp,
  expires_at: NullableTimestamp,
  last_used_at: NullableTimestamp
})
export interface KeyRecord extends Encoded<typeof KeyRecord> {}

/** The only response that contains the key. */
export const NewKeyRecord = Schema.Struct({ ...KeyRecord.fields, api_key: Schema.String })

/** The API keys that a person may know whose access ends or is reduced: keys belong to the account and stay valid. */
export const LeftKeys = Schema.Struct({ revoked: Schema.Array(KeyRecord), remaining: Schema.Array(KeyRecord) })

/** Also revokes the keys that the person made. */
export const RevokeKeys = { revoke_keys: Schema.optionalKey(QueryBoolean) }
