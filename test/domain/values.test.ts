/**
 * Values that requests bring: host names, addresses, and SSH keys; and the memory of what was computed.
 */
import { assert, describe, it } from "@effect/vitest"
import { isHostName, isPtrTarget } from "#service/domain/HostName"
import { normalize } from "#service/domain/IpAddress"
import { sshKeyProblem } from "#service/domain/SshKey"
import { memoize } from "#service/domain/Memoize"

describe("host names, RFC 1123", () => {
  it.each(["web", "web-1", "1web", "a.b-c.example", "X.Y", "a".repeat(63), `${"a.".repeat(126)}a`])(
    "%s is one",
    (name) => {
      assert.isTrue(isHostName(name))
    }
  )

  it.each(["10.0.0.1", "127.1", "2130706433", "web.1", "example.0"])(
    "%s could be read as an address, so it is none",
    (name) => {
      assert.isFalse(isHostName(name))
      assert.isFalse(isPtrTarget(`${name}.`))
    }
  )

  it.each(["10.0.0.1.example", "0x7f", "web.1a", "1.a1"])("%s ends in a label with a letter, so it is one", (name) => {
    assert.isTrue(isHostName(name))
  })

  it.each(["", "-web", "web-", "a..b", ".a", "a.", "ü.example", "a_b", "a b", "a".repeat(64), `${"a.".repeat(126)}ab`])(
    "%s is none",
    (name) => assert.isFalse(isHostName(name))
  )

  it("a PTR target may be rooted by one dot", () => {
    assert.isTrue(isPtrTarget("web.example."))
    assert.isFalse(isPtrTarget("web.example.."))
    assert.isFalse(isPtrTarget("."))
  })
})

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

const TYPES = [
  "ssh-ed25519",
  "ssh-rsa",
  "ecdsa-sha2-nistp256",
  "ecdsa-sha2-nistp384",
  "ecdsa-sha2-nistp521",
  "sk-ssh-ed25519@openssh.com",
  "sk-ecdsa-sha2-nistp256@openssh.com"
]

/** A blob as RFC 4253 has it: the length of the type in 4 bytes, the type, and this much key material. */
const blob = (type: string, material = 33, length = type.length): string => {
  const size = Buffer.alloc(4)
  size.writeUInt32BE(length)
  return Buffer.concat([size, Buffer.from(type), Buffer.alloc(material, 7)]).toString("base64")
}

const ED25519 = `ssh-ed25519 ${blob("ssh-ed25519")}`

describe("a public key", () => {
  it.each(TYPES)("of type %s is accepted, with any padding of its base64 part", (type) => {
    for (const material of [1, 32, 33, 34]) assert.isUndefined(sshKeyProblem(`${type} ${blob(type, material)}`))
  })

  it("may have a comment, spaces or tabs between its parts, and white space around it", () => {
    const [type, base64] = ED25519.split(" ")
    for (const text of [`${ED25519} me@example  laptop`, `${type} \t ${base64}`, ` \n${ED25519}\r\n`]) {
      assert.isUndefined(sshKeyProblem(text), JSON.stringify(text))
    }
  })

  it.each([`${ED25519}\n${ED25519}`, `${ED25519}\r${ED25519}`])("is one line: %j is none", (text) => {
    assert.strictEqual(sshKeyProblem(text), "should be a single public key on one line")
  })

  it.each(["", "ssh-ed25519", "  ssh-ed25519  "])("has two parts at least: %j has not", (text) => {
    assert.strictEqual(sshKeyProblem(text), "should be a type and a base64 key, as in a .pub file")
  })

  it("of an unknown type is rejected with the known types", () => {
    assert.strictEqual(
      sshKeyProblem(`ssh-dss ${blob("ssh-dss")}`),
      `has an unsupported type; use one of ${TYPES.join(", ")}`
    )
  })

  it.each([
    ["a character that is not base64", `*${blob("ssh-ed25519").slice(1)}`],
    ["a character that is not base64 at its end", `${blob("ssh-ed25519").slice(0, -1)}*`],
    ["padding in the middle", `AA==${blob("ssh-ed25519")}`],
    ["too much padding", "AAAAC3NzaC1lZDI1NTE5A==="],
    ["only padding", "===="],
    ["its padding left out", blob("ssh-ed25519", 34).replace("==", "")],
    ["a missing character", blob("ssh-ed25519").slice(1)],
    ["a length and no more", blob("", 0, 0)],
    ["fewer bytes than a length", "AAAA"],
    ["a length beyond its end", blob("ssh-ed25519", 5, 1_000)],
    ["no key material after the type", blob("ssh-ed25519", 0)]
  ])("with %s does not decode to a key", (_, base64) => {
    assert.strictEqual(sshKeyProblem(`ssh-ed25519 ${base64}`), "has a base64 part that does not decode to a key")
  })

  it("that says one type and holds another is refused", () => {
    const refused = "is labeled ssh-rsa, but its base64 part contains another type"
    assert.strictEqual(sshKeyProblem(`ssh-rsa ${blob("ssh-ed25519")}`), refused)
    assert.strictEqual(sshKeyProblem(`ssh-rsa ${blob("ssh-rsa", 9, 6)}`), refused)
  })
})

describe("a memoized function", () => {
  it("computes each result once, and again after it has forgotten all of as many as it remembers", () => {
    const computed: Array<number> = []
    const text = memoize((number: number) => {
      computed.push(number)
      return `no. ${number}`
    }, 2)
    assert.deepStrictEqual([1, 2, 1, 2].map(text), ["no. 1", "no. 2", "no. 1", "no. 2"])
    assert.deepStrictEqual(computed, [1, 2])
    assert.strictEqual(text(3), "no. 3")
    assert.deepStrictEqual([text(3), text(1)], ["no. 3", "no. 1"])
    assert.deepStrictEqual(computed, [1, 2, 3, 1])
  })
})
