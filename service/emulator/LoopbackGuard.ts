/** The controls require no key, so they accept requests of this computer only, and not from web pages. */
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Option from "effect/Option"

const isLoopbackAddress = (address: string): boolean =>
  address === "::1" || /^(?:::ffff:)?127\.\d+\.\d+\.\d+$/.test(address)

/** A host name that first resolves elsewhere and then here (DNS rebinding) is not a loopback name. */
const isLoopbackHost = (host: string): boolean => /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/i.test(host)

/** The reason to reject a request; undefined when it is accepted. `remote` accepts other computers. */
export const rejectionOf = (request: HttpServerRequest.HttpServerRequest, remote: boolean): string | undefined => {
  if (request.headers["origin"] !== undefined) return "The emulator's controls do not accept requests from web pages."
  if (remote) return undefined
  const address = Option.getOrElse(request.remoteAddress, () => "")
  if (!isLoopbackAddress(address)) {
    return "The emulator's controls accept requests from this computer only. "
      + "Start it with --emulator-remote to accept others."
  }
  const host = request.headers["host"] ?? ""
  return isLoopbackHost(host)
    ? undefined
    : `The emulator's controls are not available at ${host}. Use localhost or 127.0.0.1.`
}
