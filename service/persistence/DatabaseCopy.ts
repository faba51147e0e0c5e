/** A copy of the whole database, made while it is used. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** No copy was made, and nothing is left of it; `message` says why. */
export class CopyFailed extends Schema.TaggedError<CopyFailed>()("CopyFailed", { message: Schema.String }) {}

/** Databases that are servers of their own have their own tools. */
const ELSEWHERE = "This service's database is a server: copy it with that server's own tools, like pg_dump."

export class DatabaseCopy extends Context.Reference<{
  /**
   * Writes the database, as it is when the copy ends, into a file that must not be there yet; mode 0600. Requests go on
   * meanwhile. The copy is not verified.
   */
  readonly into: (path: string) => Effect.Effect<void, CopyFailed>
}>("pulumi-vps/service/DatabaseCopy", {
  defaultValue: () => ({ into: () => Effect.fail(new CopyFailed({ message: ELSEWHERE })) })
}) {}
