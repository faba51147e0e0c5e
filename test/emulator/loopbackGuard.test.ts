/** The controls accept requests of this computer, and of others if the operator allows it. */
import { assert, describe, it } from "@effect/vitest"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Option from "effect/Option"
import { rejectionOf } from "#service/emulator/ControlRoutes"

const from = (address: string, host: string, more: Record<string, string> = {}) =>
  HttpServerRequest.fromWeb(new Request("http://127.0.0.1/_emulator/tasks", { headers: { host, ...more } }))
    .modify({ remoteAddress: Option.some(address) })

describe("the controls", () => {
  it.each([
    ["127.0.0.1", "localhost:8787"],
    ["::1", "[::1]:8787"],
    ["::ffff:127.0.0.1", "127.0.0.1"]
  ])("answer %s, which is this machine", (address, host) => {
    assert.isUndefined(rejectionOf(from(address, host), false))
  })

  it("answer other machines when the operator lets them in, and no web page even then", () => {
    const stranger = from("192.0.2.1", "emulator.example.test")
    assert.include(rejectionOf(stranger, false), "this computer only. Start it with --emulator-remote")
    assert.isUndefined(rejectionOf(stranger, true))
    const page = from("192.0.2.1", "emulator.example.test", { origin: "https://evil.example" })
    assert.include(rejectionOf(page, true), "web pages")
  })
})
