/** The operators' command for the name server of PTR records, with a peer that responds like PowerDNS. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { COMMANDS } from "#service/admin/Commands"
import { Config } from "#service/config/Config"
import { resolve } from "#service/config/Resolve"
import { buy, deployTime, serviceLayer } from "../support/service.ts"
import { KEY, startFake } from "../provisioning/rdns/FakePowerDns.ts"

const nameServer = (zones: ReadonlyArray<string>) =>
  Effect.acquireRelease(Effect.promise(() => startFake(zones)), ({ close }) => Effect.promise(close))

const check = (url: string, key = KEY, repair = false) =>
  Effect.provideService(
    COMMANDS["rdns.check"].run({ repair }),
    Config,
    resolve(["--rdns", "powerdns", "--powerdns-url", url, "--rdns-domain", "static.example.test"], {
      VPS_SERVICE_POWERDNS_KEY: key
    })
  )

const addPool = (network: string, gateway: string) =>
  COMMANDS["addresses.add"].run({ network, gateway, data_center: "Helsinki" })

describe("rdns check", () => {
  it.effect("says which addresses have no zone and no record, and sets the default ones", () =>
    Effect.gen(function*() {
      const { records, url } = yield* nameServer([
        "113.0.203.in-addr.arpa.",
        "198.in-addr.arpa.",
        "8.b.d.0.1.0.0.2.ip6.arpa."
      ])
      yield* addPool("203.0.113.0/25", "203.0.113.1")
      yield* addPool("192.0.2.128/25", "192.0.2.129")
      yield* addPool("2001:db8:1::/48", "fe80::1")
      yield* addPool("2001:db9::/32", "2001:db9::1")
      yield* buy()
      yield* deployTime
      assert.deepStrictEqual(yield* check(url), [
        { check: "server", ok: true, detail: "PowerDNS 4.7.3" },
        {
          check: "zones of 192.0.2.128/25",
          ok: false,
          detail: "Addresses from 192.0.2.128 on are in no zone. Create one, for example with "
            + "\"pdnsutil create-zone 2.0.192.in-addr.arpa ns1.example.net\"."
        },
        { check: "zones of 2001:db8:1::/48", ok: true, detail: "8.b.d.0.1.0.0.2.ip6.arpa." },
        {
          check: "zones of 2001:db9::/32",
          ok: false,
          detail: "Addresses from 2001:db9:: on are in no zone. Create one, for example with "
            + "\"pdnsutil create-zone 9.b.d.0.1.0.0.2.ip6.arpa ns1.example.net\"."
        },
        { check: "zones of 203.0.113.0/25", ok: true, detail: "113.0.203.in-addr.arpa." },
        {
          check: "records",
          ok: false,
          detail: "198.18.0.1, 2001:db8:0:1::1 have no PTR record. Run this command with --repair to set the default "
            + "ones."
        }
      ])
      assert.strictEqual(records.size, 0)
      const repaired = yield* check(url, KEY, true)
      assert.deepInclude(repaired.at(-1), { ok: true, detail: "2 default records were set" })
      assert.strictEqual(records.get("1.0.18.198.in-addr.arpa."), "198-18-0-1.static.example.test.")
      assert.deepInclude((yield* check(url)).at(-1), { ok: true, detail: "2 addresses are in use" })
    }).pipe(Effect.scoped, Effect.provide(serviceLayer())))

  it.effect("says what is wrong with the server", () =>
    Effect.gen(function*() {
      const { close, url } = yield* nameServer([])
      assert.deepStrictEqual(yield* check(url, "another"), [
        { check: "server", ok: false, detail: "The name server rejected the API key." }
      ])
      yield* Effect.promise(close)
      assert.deepStrictEqual(yield* check(url), [
        { check: "server", ok: false, detail: "The name server did not respond (ECONNREFUSED)." }
      ])
      const { message } = yield* Effect.flip(
        Effect.provideService(COMMANDS["rdns.check"].run({ repair: false }), Config, resolve([], {}))
      )
      assert.match(message, /Start the service with --rdns powerdns/)
    }).pipe(Effect.scoped, Effect.provide(serviceLayer())))
})
