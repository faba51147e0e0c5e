/** The controls ask for no key, so they answer this machine only, and no web page that it may be showing. */
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Option from "effect/Option"

const isLoopbackAddress = (address: string): boolean =>
  address === "::1" || /^(?:::ffff:)?127\.\d+\.\d+\.\d+$/.test(address)

/** A name that resolves elsewhere first and here later (DNS rebinding) is still a foreign name. */
const isLoopbackHost = (host: string): boolean => /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/i.test(host)

/** Why a request is refused; undefined when it is welcome. `remote` lets other machines in. */
export const refusalOf = (request: HttpServerRequest.HttpServerRequest, remote: boolean): string | undefined => {
  if (request.headers["origin"] !== undefined) return "The emulator's controls do not answer web pages."
  if (remote) return undefined
  const address = Option.getOrElse(request.remoteAddress, () => "")
  if (!isLoopbackAddress(address)) {
    return "The emulator's controls answer this machine only; start it with --emulator-remote to let others in."
  }
  const host = request.headers["host"] ?? ""
  return isLoopbackHost(host) ? undefined : `The emulator's controls are not at ${host}: use localhost or 127.0.0.1.`
}
