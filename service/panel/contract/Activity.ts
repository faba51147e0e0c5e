/** All that happened in an account. */
import * as Schema from "effect/Schema"
import { type Encoded, NullableString, queryInt, Timestamp } from "@pulumi-vps/contract/Primitives"
import { pattern, word } from "../../contract/Fields.ts"

/** The author of an act; the name of a person is their address. */
const Author = Schema.Struct({
  kind: Schema.Literals(["person", "api_key", "host", "service"]),
  name: NullableString
})

export const ActivityItem = Schema.Struct({
  id: Schema.String,
  at: Timestamp,
  by: Author,
  /** Of the account, like `keys.create`, or of an instance, like `restart`. */
  action: Schema.String,
  /** The key, person or name that it was about. */
  subject: NullableString,
  instance: Schema.NullOr(Schema.Struct({ id: Schema.Int, name: NullableString, is_deleted: Schema.Boolean })),
  status: Schema.Literals(["queued", "running", "succeeded", "failed", "cancelled"]),
  error: NullableString,
  request_id: NullableString
})
export interface ActivityItem extends Encoded<typeof ActivityItem> {}

/** `next` is for `after` of the next page; null on the last one. */
export const AccountActivity = Schema.Struct({ items: Schema.Array(ActivityItem), next: NullableString })

/** Most items of a page. */
const LIMIT_MAX = 100

/** Acts on the account itself, or on its instances. */
const ACTIVITY_KINDS = ["account", "instances"] as const

export const ActivityQuery = {
  limit: Schema.optionalKey(queryInt(1, LIMIT_MAX)),
  /** The `next` of the page before. */
  after: Schema.optionalKey(pattern("be the next of a page", /^\d{1,15}\.\d{1,15}$/)),
  /** The id of a person. */
  person: Schema.optionalKey(queryInt(1)),
  kind: Schema.optionalKey(word(ACTIVITY_KINDS))
}
