/** A person's own passkeys and sessions. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { type Encoded, NullableTimestamp, PathId, Timestamp } from "#contract/Primitives"
import { Credential, CredentialOptions } from "./Credential.ts"
import { Done, Name } from "./Session.ts"

export const PasskeyRecord = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  /** True if the device's vendor synchronizes it to other devices. */
  backed_up: Schema.Boolean,
  created_at: Timestamp,
  last_used_at: NullableTimestamp
})
export interface PasskeyRecord extends Encoded<typeof PasskeyRecord> {}

export const SessionRecord = Schema.Struct({
  id: Schema.Int,
  /** True for the session of this request. */
  current: Schema.Boolean,
  method: Schema.Literals(["link", "passkey"]),
  address: Schema.String,
  agent: Schema.String,
  created_at: Timestamp,
  last_seen_at: Timestamp
})
export interface SessionRecord extends Encoded<typeof SessionRecord> {}

const one = { id: PathId }

export class Me extends HttpApiGroup.make("me")
  .add(
    HttpApiEndpoint.get("passkeys", "/me/passkeys", { success: Schema.Array(PasskeyRecord) }),
    HttpApiEndpoint.post("passkey_options", "/me/passkeys/options", { success: CredentialOptions }),
    HttpApiEndpoint.post("add_passkey", "/me/passkeys", {
      payload: Schema.Struct({ name: Name, credential: Credential }),
      success: PasskeyRecord
    }),
    HttpApiEndpoint.patch("rename_passkey", "/me/passkeys/:id", {
      params: one,
      payload: Schema.Struct({ name: Name }),
      success: Done
    }),
    HttpApiEndpoint.delete("remove_passkey", "/me/passkeys/:id", { params: one, success: Done }),
    /** One of the session's `invitations`. */
    HttpApiEndpoint.post("accept_invitation", "/me/invitations/:id/accept", { params: one, success: Done }),
    HttpApiEndpoint.delete("decline_invitation", "/me/invitations/:id", { params: one, success: Done }),
    HttpApiEndpoint.get("sessions", "/me/sessions", { success: Schema.Array(SessionRecord) }),
    HttpApiEndpoint.delete("end_others", "/me/sessions", { success: Done }),
    HttpApiEndpoint.delete("end_session", "/me/sessions/:id", { params: one, success: Done })
  )
{}
