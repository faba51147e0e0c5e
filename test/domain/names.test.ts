import { assert, describe, it } from "@effect/vitest"
import { isHostName, isPtrTarget } from "#service/domain/HostName"
import { sshKeyProblem } from "#service/domain/SshKey"

const ED25519 = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJqfCkZ0Qx0Yt0v1kYw3oQ8l6b3mJ0qv9v3b1Yk0c2Vd me@example"

describe("host names, RFC 1123", () => {
  it.each(["web", "web-1", "1web", "a.b-c.example", "X.Y", "a".repeat(63), `${"a.".repeat(126)}a`])(
    "%s is one",
    (name) => {
      assert.isTrue(isHostName(name))
    }
  )

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

describe("public SSH keys", () => {
  it("takes a key with and without comment", () => {
    assert.strictEqual(sshKeyProblem(ED25519), undefined)
    assert.strictEqual(sshKeyProblem(ED25519.split(" ").slice(0, 2).join(" ")), undefined)
  })

  it.each([
    ["ssh-ed25519", "a type and a base64 key"],
    ["ssh-dss AAAA", "unknown type"],
    ["ssh-ed25519 not*base64", "does not decode"],
    ["ssh-ed25519 AAAA", "does not decode"],
    [ED25519.replace("ssh-ed25519", "ssh-rsa"), "another type"],
    [`${ED25519}\n${ED25519}`, "one line"]
  ])("refuses %j: %s", (key, problem) => {
    assert.include(sshKeyProblem(key) ?? "", problem)
  })
})
