/** PowerDNS, and a driver with PTR records in it, against a peer that responds like it. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ServerResponse } from "node:http"
import { afterAll, beforeAll, beforeEach } from "vitest"
import { Driver, type DriverRequest, type Operation } from "#service/provisioning/Driver"
import * as Simulated from "#service/provisioning/drivers/simulated/Simulated"
import { ReverseDns } from "#service/provisioning/rdns/ReverseDns"
import { reverseName } from "#service/provisioning/rdns/ReverseZones"
import * as WithReverseDns from "#service/provisioning/rdns/ReverseDns"
import { elapse, persistenceLayer } from "../../support/service.ts"
import { driverContract } from "../contract.ts"
import { built, complete, order, type Subject } from "../Subject.ts"
import { type FakePowerDns, KEY, startFake } from "./FakePowerDns.ts"
import { connected, nameServerSuite, ZONES } from "./suite.ts"

const DOMAIN = "static.example.test"
const IPV4 = "198.18.0.1"
const RECORD_4 = "1.0.18.198.in-addr.arpa."
const RECORD_6 = reverseName("2001:db8:0:1::1")

describe("PowerDNS", () => {
  let fake: FakePowerDns
  beforeAll(async () => {
    fake = await startFake([...ZONES, "198.in-addr.arpa."])
  })
  afterAll(() => fake.close())
  beforeEach(() => {
    fake.records.clear()
    fake.responses.length = 0
  })

  nameServerSuite(() => ({ url: fake.url, key: KEY }))

  const status = (code: number) => (response: ServerResponse): void =>
    void response.writeHead(code).end("Conflict: /etc/x")

  it.live.each(
    [
      ["422", status(422), "Rejected", "the name server rejected the record (422)"],
      ["429", status(429), "Busy", "the name server is busy"],
      ["500", status(500), "Unavailable", "the name server failed (500)"],
      ["no response", (response: ServerResponse): void => void response.destroy(), "Unavailable", "did not respond"],
      [
        "a redirect",
        (response: ServerResponse): void => void response.writeHead(302, { location: "/" }).end(),
        "Unavailable",
        ""
      ],
      ["no JSON", (response: ServerResponse): void => void response.end("<html>"), "Unavailable", "did not respond"]
    ] as const
  )("%s is a fault", ([, respond, tag, reason]) =>
    Effect.gen(function*() {
      fake.responses.push(respond)
      const fault = yield* Effect.flip((yield* ReverseDns).set("203.0.113.7", "a.test"))
      assert.strictEqual(fault._tag, tag)
      assert.include(fault.reason, reason)
      assert.notInclude(fault.reason, "/etc/x")
      assert.notInclude(fault.reason, KEY)
    }).pipe(Effect.provide(Layer.suspend(() => connected(fake.url, KEY)))))

  it.live("that is stopped is unavailable", () =>
    Effect.gen(function*() {
      const stopped = yield* Effect.promise(() => startFake([]))
      yield* Effect.promise(() => stopped.close())
      const attempt = Effect.flatMap(ReverseDns, ({ find }) => find("203.0.113.7"))
      const fault = yield* Effect.flip(Effect.provide(attempt, connected(stopped.url, KEY)))
      assert.deepInclude(fault, { _tag: "Unavailable", reason: "the name server did not respond (ECONNREFUSED)" })
    }))

  const layer = () =>
    Layer.suspend(() =>
      WithReverseDns.layer(DOMAIN).pipe(
        Layer.provide(connected(fake.url, KEY)),
        Layer.provide(Simulated.layer),
        Layer.provide(persistenceLayer)
      )
    )
  const subject: Subject = {
    name: "simulated, with PTR records at a name server",
    layer,
    finish: elapse(1_100),
    keyless: "windows-2022",
    samples: true
  }
  driverContract(subject)

  const set: Operation = { type: "set_rdns", ip: IPV4, ptr: "Web.example.test." }

  describe("a machine's records", () => {
    it.effect("are the default ones once it is built, then its customer's, and none when it is terminated", () =>
      Effect.gen(function*() {
        yield* built(subject)
        assert.deepStrictEqual(
          fake.records,
          new Map([
            [RECORD_4, "198-18-0-1.static.example.test."],
            [RECORD_6, "2001-0db8-0000-0001-0000-0000-0000-0001.static.example.test."]
          ])
        )
        yield* complete(subject, order("1", set))
        assert.strictEqual(fake.records.get(RECORD_4), "Web.example.test.")
        assert.strictEqual(yield* (yield* Driver).ptr!(IPV4), "Web.example.test")
        yield* complete(subject, order("2", { type: "terminate" }))
        assert.strictEqual(fake.records.size, 0)
        yield* complete(subject, order("2", { type: "terminate" }))
      }).pipe(Effect.provide(layer())))

    it.effect("are settled after a lost response by what the name server has", () =>
      Effect.gen(function*() {
        const { poll, submit } = yield* Driver
        yield* built(subject)
        const lost: DriverRequest = order("1", set)
        assert.strictEqual((yield* Effect.flip(poll(lost)))._tag, "Rejected")
        yield* submit(lost)
        assert.deepInclude(yield* poll(lost), { state: "done" })
      }).pipe(Effect.provide(layer())))

    it.effect("stay while the name server does not respond, and so does the machine", () =>
      Effect.gen(function*() {
        const { find, submit } = yield* Driver
        yield* built(subject)
        fake.responses.push(status(500))
        assert.strictEqual((yield* Effect.flip(submit(order("1", { type: "terminate" }))))._tag, "Unavailable")
        assert.isDefined(yield* find("instance-1"))
        yield* complete(subject, order("1", { type: "terminate" }))
        assert.strictEqual(fake.records.size, 0)
      }).pipe(Effect.provide(layer())))

    it.effect("that cannot be set cost no machine", () =>
      Effect.gen(function*() {
        fake.responses.push(status(422), status(422))
        assert.strictEqual((yield* built(subject)).ipv4, IPV4)
        assert.strictEqual(fake.records.size, 0)
        yield* complete(subject, order("1", { type: "terminate" }))
      }).pipe(Effect.provide(layer())))
  })
})
