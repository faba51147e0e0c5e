/** Public SSH keys: the type in front and the one inside the base64 part agree, or a refusal says what is wrong. */
import { assert, describe, it } from "@effect/vitest"
import { sshKeyProblem } from "#service/domain/SshKey"

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
