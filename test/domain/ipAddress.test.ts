/** IP addresses: one text for one address, and nothing that two programs could read differently. */
import { assert, describe, it } from "@effect/vitest"
import { normalize } from "#service/domain/IpAddress"

describe("an IP address", () => {
  it.each([
    ["198.18.0.1", "198.18.0.1"],
    ["0.0.0.0", "0.0.0.0"],
    ["255.255.255.255", "255.255.255.255"],
    ["2001:DB8:0:1::1", "2001:db8:0:1::1"],
    ["2001:0db8:0000:0001:0000:0000:0000:0001", "2001:db8:0:1::1"],
    ["::", "::"],
    ["::1", "::1"],
    ["::ffff:198.18.0.1", "::ffff:c612:1"]
  ])("%s is %s", (text, canonical) => assert.strictEqual(normalize(text), canonical))

  it.each([
    "",
    "198.18.0",
    "198.18.0.256",
    "198.18.0.01",
    "198.18.0.1.",
    ".198.18.0.1",
    "198.18.0.1.5",
    "0x7f.0.0.1",
    "127.1",
    "3232235521",
    "1.2.3.4:80",
    " 1.2.3.4",
    "2001:db8::1::2",
    "2001:db8::/64",
    "2001:db8::g",
    "fe80::1%eth0",
    "[::1]",
    ":",
    ":::",
    "1:2:3:4:5:6:7:8:9",
    "::1]/@evil"
  ])("%s is none", (text) => assert.isUndefined(normalize(text)))
})
