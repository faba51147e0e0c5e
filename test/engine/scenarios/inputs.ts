/** Every input of an Instance, changed: no preview shows a replacement but for `generation`. */
import type { Environment } from "../Environment.ts"
import { expect } from "vitest"
import { INSTANCE_INPUTS } from "#provider/instance/Definition"
import { PASSWORD } from "../Environment.ts"

const KEY = `ssh-ed25519 ${Buffer.from(`\0\0\0\x0bssh-ed25519\0\0\0 ${"k".repeat(32)}`).toString("base64")} a`
const OTHER_KEY = `ssh-ed25519 ${Buffer.from(`\0\0\0\x0bssh-ed25519\0\0\0 ${"q".repeat(32)}`).toString("base64")} b`

/** The first value of each input, and the changed one. */
const CHANGES: Record<string, readonly [before: unknown, after: unknown]> = {
  serviceId: [1, 2],
  hostname: ["web.example.com", "www.example.com"],
  os: ["debian-12", "debian-13"],
  sshPublicKey: [KEY, OTHER_KEY],
  rootPassword: [PASSWORD, "another-Password-1"],
  couponCode: ["WELCOME10", "MINUS5"],
  powerState: ["running", "off"],
  bootMode: ["disk", "rescue"],
  isoId: [1, 2],
  generation: [1, 2],
  deletionPolicy: ["fail", "forget"],
  allowDataLoss: [true, false],
  reinstallTriggers: [["1"], ["2"]],
  passwordRotation: ["1", "2"],
  snapshotBefore: ["before", "earlier"],
  waitFor: ["ip", "running"],
  maxCharge: [50, 60],
  timeouts: [{ create: "5m" }, { create: "6m" }]
}

const program = (side: 0 | 1): Record<string, object> =>
  Object.fromEntries(
    Object.entries(CHANGES).map(([name, values]) => [
      name,
      { serviceId: 1, allowDataLoss: true, deletionPolicy: "stop", [name]: values[side] }
    ])
  )

export const INPUTS = {
  "no change of any input shows a replacement in the preview, but that of generation": async (env: Environment) => {
    // The id of a server can't be changed at all: it fails the check.
    expect(Object.keys(CHANGES).toSorted())
      .toEqual(Object.keys(INSTANCE_INPUTS).filter((name) => name !== "adoptInstanceId").toSorted())
    await env.control("PUT", "deploy", { mode: "instant" })
    env.program(program(0))
    await env.run("up")
    env.program(program(1))
    const { output } = await env.run("preview")
    const replaced = output.split("\n").filter((line) => /^\s*\+-.*vps:Instance/.test(line))
    expect(replaced).toHaveLength(1)
    expect(replaced[0]).toContain("generation")
    env.program(program(0))
  }
}
