/** The port of the server that listens, for those that have to name it. */
import * as Effect from "effect/Effect"
import * as HttpServer from "effect/http/HttpServer"

/** Notes the port of the server that listens now; returns the address. */
export const notePort = Effect.fnUntraced(function*(port: { current: number | undefined }) {
  const origin = yield* HttpServer.addressFormattedWith(Effect.succeed)
  port.current = Number(new URL(origin).port)
  return origin
})
