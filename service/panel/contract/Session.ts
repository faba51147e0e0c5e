/** Signing in and out, and the sessions and passkeys of a person. */
import * as Schema from "effect/Schema"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import {
  type Encoded,
  name,
  NullableString,
  NullableTimestamp,
  PathId,
  text,
  Timestamp
} from "@pulumi-vps/contract/Primitives"
import { RequiredAccess } from "./Access.ts"
import { LeftKeys, RevokeKeys } from "./Keys.ts"
import { EMAIL_MAX } from "../../contract/Fields.ts"
import { PERMISSIONS, ROLES } from "../../contract/Words.ts"

/** Longest id of a key, in characters of base64url: the standard allows 1023 bytes. */
const ID_MAX = 1_400

/** A credential as `PublicKeyCredential.toJSON` returns it. The library that verifies it checks the rest. */
const Credential = Schema.Struct({
  id: text(1, ID_MAX),
  rawId: text(1, ID_MAX),
  type: Schema.Literal("public-key"),
  response: Schema.Record(Schema.String, Schema.Unknown),
  clientExtensionResults: Schema.Record(Schema.String, Schema.Unknown),
  authenticatorAttachment: Schema.optionalKey(Schema.NullOr(Schema.String))
})

/** Options for `navigator.credentials`. */
const CredentialOptions = Schema.Record(Schema.String, Schema.Unknown)

/** An invitation that the person with its address can accept. */
export const OpenInvitation = Schema.Struct({
  id: Schema.Int,
  /** As in `accounts`; null for the role of an operator without one. */
  account: NullableString,
  role: Schema.Literals(ROLES),
  /** In the account. */
  permission: Schema.Literals(PERMISSIONS),
  /** The address of the member who invites; null for an operator. */
  invited_by: NullableString,
  expires_at: Timestamp
})
export interface OpenInvitation extends Encoded<typeof OpenInvitation> {}

export const CurrentSession = Schema.Struct({
  person: Schema.Struct({
    id: Schema.Int,
    name: Schema.String,
    email: Schema.String,
    role: Schema.Literals(ROLES)
  }),
  /** Those of which the person is a member. */
  accounts: Schema.Array(Schema.Struct({
    id: Schema.Int,
    /** The owner's address if the account has no name of its own. */
    name: Schema.String,
    email: Schema.String,
    currency: Schema.String,
    permission: Schema.Literals(PERMISSIONS),
    /** The reason for which the host has frozen the account; null unless it has. */
    frozen: NullableString
  })),
  invitations: Schema.Array(OpenInvitation),
  fresh_until: Timestamp,
  /** True if the instances are an emulator's. */
  emulator: Schema.Boolean,
  /** True if the person has a passkey. */
  passkeys: Schema.Boolean,
  capabilities: Schema.Struct({ console: Schema.Boolean }),
  /** Between the end of the paid time of an instance and the deletion of its data. */
  grace_days: Schema.Finite,
  /** Of the first account; null without one. */
  currency: NullableString,
  /** Of the service; null for customers, because attackers look for old versions. */
  version: NullableString
})
export interface CurrentSession extends Encoded<typeof CurrentSession> {}

const NAME_MAX = 64

/** The name of a key or a person. */
export const Name = name(1, NAME_MAX)

/** The response to a request that changes something and has nothing to say. */
export const Done = Schema.Struct({ ok: Schema.Literal(true) })

/** The host as it presents itself; null for all that it has not set. */
const HostBranding = Schema.Struct({
  name: NullableString,
  /** The path of a picture. */
  logo: NullableString,
  /** A page, or an address of mail. */
  support_url: NullableString,
  imprint_url: NullableString,
  terms_url: NullableString,
  privacy_url: NullableString
})
export interface HostBranding extends Encoded<typeof HostBranding> {}

/** The host, and the ways to sign in that the service offers besides passkeys. */
const SignInOptions = Schema.Struct({
  branding: HostBranding,
  /** True if the service can mail a link. */
  mail: Schema.Boolean
})

/** Longest token of a link that is accepted, in characters: ours have 43. */
const TOKEN_MAX = 200

export class SignIn extends HttpApiGroup.make("sign_in")
  .add(
    HttpApiEndpoint.post("link", "/sign-in/link", {
      payload: Schema.Struct({ token: text(1, TOKEN_MAX) }),
      success: CurrentSession
    }),
    /** The invitation of a mailed link. `is_new`: no person has the address yet, so the visitor chooses a name. */
    HttpApiEndpoint.post("invitation", "/sign-in/invitation", {
      payload: Schema.Struct({ token: text(1, TOKEN_MAX) }),
      success: Schema.Struct({ ...OpenInvitation.fields, email: Schema.String, is_new: Schema.Boolean })
    }),
    /** Also signs in. The name is for a new person. */
    HttpApiEndpoint.post("accept_invitation", "/sign-in/invitation/accept", {
      payload: Schema.Struct({ token: text(1, TOKEN_MAX), name: Schema.optionalKey(Name) }),
      success: CurrentSession
    }),
    HttpApiEndpoint.post("decline_invitation", "/sign-in/invitation/decline", {
      payload: Schema.Struct({ token: text(1, TOKEN_MAX) }),
      success: Done
    }),
    HttpApiEndpoint.get("options", "/sign-in/options", { success: SignInOptions }),
    HttpApiEndpoint.post("passkey_options", "/sign-in/passkey/options", { success: CredentialOptions }),
    HttpApiEndpoint.post("passkey", "/sign-in/passkey", {
      payload: Schema.Struct({ credential: Credential }),
      success: CurrentSession
    }),
    /** The response is the same for addresses that are not known. */
    HttpApiEndpoint.post("mail", "/sign-in/mail", {
      payload: Schema.Struct({ email: text(3, EMAIL_MAX) }),
      success: Done
    })
  )
  .annotate(RequiredAccess, "public")
{}

export class SessionGroup extends HttpApiGroup.make("session")
  .add(
    HttpApiEndpoint.get("current", "/session", { success: CurrentSession }),
    HttpApiEndpoint.post("sign_out", "/sign-out", { success: Done }),
    HttpApiEndpoint.post("fresh_options", "/session/fresh/options", { success: CredentialOptions }),
    /** Without a credential in the emulator only, for a person who has no passkey. */
    HttpApiEndpoint.post("fresh", "/session/fresh", {
      payload: Schema.Struct({ credential: Schema.optionalKey(Credential) }),
      success: CurrentSession
    })
  )
{}

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

const own = { id: PathId }

export class Me extends HttpApiGroup.make("me")
  .add(
    HttpApiEndpoint.get("passkeys", "/me/passkeys", { success: Schema.Array(PasskeyRecord) }),
    HttpApiEndpoint.post("passkey_options", "/me/passkeys/options", { success: CredentialOptions }),
    HttpApiEndpoint.post("add_passkey", "/me/passkeys", {
      payload: Schema.Struct({ name: Name, credential: Credential }),
      success: PasskeyRecord
    }),
    HttpApiEndpoint.patch("rename_passkey", "/me/passkeys/:id", {
      params: own,
      payload: Schema.Struct({ name: Name }),
      success: Done
    }),
    HttpApiEndpoint.delete("remove_passkey", "/me/passkeys/:id", { params: own, success: Done }),
    /** One of the session's `invitations`. */
    HttpApiEndpoint.post("accept_invitation", "/me/invitations/:id/accept", { params: own, success: Done }),
    HttpApiEndpoint.delete("decline_invitation", "/me/invitations/:id", { params: own, success: Done }),
    /** Ends the person's own membership. */
    HttpApiEndpoint.delete("leave_account", "/me/accounts/:account", {
      params: { account: PathId },
      query: RevokeKeys,
      success: LeftKeys
    }),
    HttpApiEndpoint.get("sessions", "/me/sessions", { success: Schema.Array(SessionRecord) }),
    HttpApiEndpoint.delete("end_others", "/me/sessions", { success: Done }),
    HttpApiEndpoint.delete("end_session", "/me/sessions/:id", { params: own, success: Done })
  )
{}
