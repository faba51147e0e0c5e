import * as Schema from "effect/Schema"

/** The database cannot be opened or used as it is; `message` says what to do. */
export class DatabaseUnusable extends Schema.TaggedError<DatabaseUnusable>()("DatabaseUnusable", {
  message: Schema.String,
  /**
   * - `wait`: it refuses for now, as a server that is starting does; a later attempt may succeed.
   * - `configure`: the settings of the service, or of the server, are wrong; no attempt succeeds until they change.
   *
   * Otherwise the database itself needs an operator.
   */
  remedy: Schema.optionalKey(Schema.Literals(["wait", "configure"]))
}) {}
