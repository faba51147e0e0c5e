/** The names of PTR records, and the zones that have them. */
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { digitsOf, parseIpv6, toIpv6 } from "#service/domain/IpAddress"
import { defaultName, recordOf, reverseName } from "#service/provisioning/rdns/ReverseZones"

const PARENT = "100.51.198.in-addr.arpa."

/** The name of an address's record in one zone. */
const nameIn = (zone: string, ip: string) => recordOf([{ name: zone }], ip)?.name

describe("the name of a PTR record", () => {
  it.each([
    ["203.0.113.7", "7.113.0.203.in-addr.arpa."],
    ["2001:db8::1:7", "7.0.0.0.1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa."]
  ])("of %s is %s", (ip, name) => assert.strictEqual(reverseName(ip), name))

  it.each([
    ["113.0.203.in-addr.arpa.", "203.0.113.7", "7.113.0.203.in-addr.arpa."],
    ["0.203.in-addr.arpa.", "203.0.113.7", "7.113.0.203.in-addr.arpa."],
    ["203.in-addr.arpa.", "203.0.113.7", "7.113.0.203.in-addr.arpa."],
    ["13.0.203.in-addr.arpa.", "203.0.113.7", undefined],
    ["3.0.203.in-addr.arpa.", "203.0.113.7", undefined],
    ["8.b.d.0.1.0.0.2.ip6.arpa.", "203.0.113.7", undefined],
    ["8.b.d.0.1.0.0.2.ip6.arpa.", "2001:db8::7", reverseName("2001:db8::7")],
    ["9.b.d.0.1.0.0.2.ip6.arpa.", "2001:db8::7", undefined],
    ["example.net.", "203.0.113.7", undefined]
  ])("in the zone %s of %s is %s", (zone, ip, name) => assert.strictEqual(nameIn(zone, ip), name))

  it.each([
    ["0/25", 0, 127],
    ["128/25", 128, 255],
    ["64-26", 64, 127],
    ["0-25", 0, 127],
    ["0-127", 0, 127],
    ["192-255", 192, 255],
    ["0-31", 0, 31],
    ["0/31", 0, 1],
    ["7/32", 7, 7]
  ])("in the delegation %s is for the addresses from %i to %i", (delegation, first, last) => {
    const zone = `${delegation}.${PARENT}`
    const own = Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => {
      const name = nameIn(zone, `198.51.100.${byte}`)
      assert.include([undefined, `${byte}.${zone}`], name)
      return name !== undefined
    })
    assert.deepStrictEqual([own[0], own.at(-1), own.length], [first, last, last - first + 1])
    assert.isUndefined(nameIn(zone, `198.51.101.${first}`))
    assert.isUndefined(nameIn(zone, "2001:db8::7"))
  })

  it.each(["0/24", "1/25", "0/33", "0-100", "5-4", "300/25", "0-255"])(
    "is in no delegation %s, which is not a part of a network",
    (delegation) => assert.isUndefined(nameIn(`${delegation}.${PARENT}`, "198.51.100.1"))
  )

  it("is in the most specific zone, in any order", () => {
    const names = [`0/26.${PARENT}`, "51.198.in-addr.arpa.", PARENT, `0/25.${PARENT}`]
    for (const order of [names, names.toReversed()]) {
      const zones = order.map((name) => ({ name }))
      assert.strictEqual(recordOf(zones, "198.51.100.7")?.zone.name, `0/26.${PARENT}`)
      assert.strictEqual(recordOf(zones, "198.51.100.70")?.zone.name, `0/25.${PARENT}`)
      assert.strictEqual(recordOf(zones, "198.51.100.200")?.zone.name, PARENT)
      assert.strictEqual(recordOf(zones, "198.51.7.7")?.zone.name, "51.198.in-addr.arpa.")
      assert.isUndefined(recordOf(zones, "203.0.113.7"))
    }
  })

  it("by default is the address in a domain", () => {
    assert.strictEqual(defaultName("203.0.113.7", "static.example.net"), "203-0-113-7.static.example.net")
    assert.strictEqual(defaultName("2001:db8::1:7", "x.test"), "2001-0db8-0000-0000-0000-0000-0001-0007.x.test")
  })
})

describe("an IPv6 address", () => {
  it("is the same number in every spelling, and has one canonical text", () => {
    fc.assert(fc.property(fc.ipV6(), (text) => {
      const number = parseIpv6(text)!
      const long = digitsOf(number).match(/.{4}/g)!.join(":")
      assert.strictEqual(parseIpv6(long), number)
      assert.strictEqual(parseIpv6(toIpv6(number)), number)
      assert.strictEqual(toIpv6(parseIpv6(long.toUpperCase())!), toIpv6(number))
    }))
  })

  it.each(["203.0.113.7", "", "::g", "1::2::3", "2001:db8::1/64"])(
    "is not %s",
    (text) => assert.isUndefined(parseIpv6(text))
  )
})
