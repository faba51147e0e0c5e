/** Passkeys on the wire, in the JSON of the WebAuthn standard. */
import * as Schema from "effect/Schema"
import { text } from "#contract/Primitives"

/** Longest id of a key, in characters of base64url: the standard allows 1023 bytes. */
const ID_MAX = 1_400

/** A credential as `PublicKeyCredential.toJSON` returns it. The library that verifies it checks the rest. */
export const Credential = Schema.Struct({
  id: text(1, ID_MAX),
  rawId: text(1, ID_MAX),
  type: Schema.Literal("public-key"),
  response: Schema.Record(Schema.String, Schema.Unknown),
  clientExtensionResults: Schema.Record(Schema.String, Schema.Unknown),
  authenticatorAttachment: Schema.optionalKey(Schema.NullOr(Schema.String))
})

/** Options for `navigator.credentials`. */
export const CredentialOptions = Schema.Record(Schema.String, Schema.Unknown)
