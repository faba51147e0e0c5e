/** Explains that a plan does not have an image, with similar names, as for a plan that does not exist. */
import * as Effect from "effect/Effect"
import type { Client } from "../../client/Client.ts"
import type { CallFailure } from "../../client/errors/Failures.ts"
import { type CommandError, notFoundError } from "../errors/CommandError.ts"
import { didYouMean } from "../errors/Suggestions.ts"

/** Requests the plan's images only after the service has refused one. */
export const explainImage = <A>(
  request: Effect.Effect<A, CallFailure>,
  client: Client,
  os: string | undefined,
  serviceId: Effect.Effect<number, CallFailure>
): Effect.Effect<A, CallFailure | CommandError> =>
  Effect.catchTag(
    request,
    "ValidationError",
    Effect.fnUntraced(function*(refused) {
      const isAboutImage = refused.issues.some(({ loc }) => loc.at(-1) === "os")
      if (os === undefined || !isAboutImage) return yield* Effect.fail(refused)
      const { data } = yield* client.services.osOptions(yield* serviceId)
      const slugs = (data.os_options ?? []).map(({ slug }) => slug)
      if (slugs.includes(os)) return yield* Effect.fail(refused)
      return yield* notFoundError(`Image "${os}" is not available for this plan.`, didYouMean(os, slugs))
    })
  )
