/** The sessions of this process, one for each host, which its parts share. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Limits } from "../../../config/Limits.ts"
import type { Host } from "../../../persistence/Hosts.ts"
import { openSession, type Session } from "./Session.ts"

export class Sessions extends Context.Service<Sessions, (host: Pick<Host, "uri" | "certificates">) => Session>()(
  "pulumi-vps/service/Sessions"
) {
  static readonly layer: Layer.Layer<Sessions, never, Limits> = Layer.effect(
    this,
    Effect.gen(function*() {
      const limits = yield* Limits
      const sessions = new Map<string, Session>()
      yield* Effect.addFinalizer(() => Effect.sync(() => sessions.forEach((session) => session.close())))
      return ({ certificates, uri }) => {
        const session = sessions.get(uri) ?? openSession(uri, certificates, limits)
        sessions.set(uri, session)
        return session
      }
    })
  )
}
