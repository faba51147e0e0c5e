import * as Schema from "effect/Schema"

/** The database cannot be opened or used as it is; `message` says what to do. */
export class DatabaseUnusable extends Schema.TaggedError<DatabaseUnusable>()("DatabaseUnusable", {
  message: Schema.String
}) {}
