/** The tests of PTR records: for the peer of the unit tests, and for the real name server. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { Limits } from "#service/config/Limits"
import * as PowerDns from "#service/provisioning/rdns/PowerDns"
import { ReverseDns } from "#service/provisioning/rdns/ReverseDns"
import { DEFAULT_LIMITS } from "../../support/limits.ts"

export const ZONES = [
  "113.0.203.in-addr.arpa.",
  "0/25.100.51.198.in-addr.arpa.",
  "128-255.100.51.198.in-addr.arpa.",
  "8.b.d.0.1.0.0.2.ip6.arpa."
]

/** One in each zone. */
const ADDRESSES = ["203.0.113.7", "198.51.100.7", "198.51.100.200", "2001:db8::1:7"]

export const connected = (url: string, key: string) =>
  PowerDns.layer({ url, key: Redacted.make(key) }).pipe(Layer.provide(Layer.succeed(Limits, DEFAULT_LIMITS)))

export const nameServerSuite = (server: () => { readonly url: string; readonly key: string }): void => {
  it.live.each(ADDRESSES)(
    "stores, replaces and deletes the record of %s, however often",
    (ip) =>
      Effect.gen(function*() {
        const { find, remove, set } = yield* ReverseDns
        assert.isUndefined(yield* find(ip))
        yield* set(ip, "web.example.test")
        yield* set(ip, "web.example.test")
        assert.strictEqual(yield* find(ip), "web.example.test")
        yield* set(ip, "mail.example.test.")
        assert.strictEqual(yield* find(ip), "mail.example.test")
        yield* remove(ip)
        yield* remove(ip)
        assert.isUndefined(yield* find(ip))
      }).pipe(Effect.provide(Layer.suspend(() => connected(`${server().url}/`, server().key))))
  )

  it.live("rejects an address in no zone, and says which", () =>
    Effect.gen(function*() {
      const fault = yield* Effect.flip((yield* ReverseDns).set("192.0.2.1", "a.test"))
      assert.deepInclude(fault, { _tag: "Rejected", reason: "the name server has no reverse zone for 192.0.2.1" })
    }).pipe(Effect.provide(Layer.suspend(() => connected(server().url, server().key)))))

  it.live("rejects everything while the key is wrong", () =>
    Effect.gen(function*() {
      const { find, remove, set } = yield* ReverseDns
      for (const attempt of [find("203.0.113.7"), set("203.0.113.7", "a.test"), remove("203.0.113.7")]) {
        const fault = yield* Effect.flip(attempt)
        assert.deepInclude(fault, { _tag: "Rejected", reason: "the name server rejected the API key" })
      }
    }).pipe(Effect.provide(Layer.suspend(() => connected(server().url, "another-key")))))
}
