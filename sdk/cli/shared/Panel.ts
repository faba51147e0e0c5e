import * as Effect from "effect/Effect"
import { call, isHumanOutput } from "../Command.ts"

/** The panel's address, when a person reads the output and the service has one. */
export const panelForPeople = Effect.gen(function*() {
  if (!(yield* isHumanOutput)) return undefined
  const root = call((client) => client.account.root())
  return yield* root.pipe(
    Effect.map(({ panel_url }): string | undefined => panel_url),
    Effect.orElseSucceed(() => undefined)
  )
})
