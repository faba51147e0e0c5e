/** A copy of the whole database, made while it is in use. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** No copy was written, and no part of it remains; `message` says why. */
export class CopyFailed extends Schema.TaggedError<CopyFailed>()("CopyFailed", { message: Schema.String }) {}

const USE_SERVER_TOOLS = "This service's database is a server: copy it with that server's own tools, like pg_dump."

export class DatabaseCopy extends Context.Reference<{
  /**
   * Writes the database, as it is when the copy ends, to a new file with mode 0600. Requests are served meanwhile. The
   * copy is not verified.
   */
  readonly into: (path: string) => Effect.Effect<void, CopyFailed>
}>("@pulumi-vps/service/DatabaseCopy", {
  defaultValue: () => ({ into: () => Effect.fail(new CopyFailed({ message: USE_SERVER_TOOLS })) })
}) {}
