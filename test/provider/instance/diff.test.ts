import { assert, describe, it } from "vitest"
import { INSTANCE } from "#provider/instance/Definition"
import { differences } from "#provider/instance/Diff"
import { type Properties, UNKNOWN } from "#provider/definition/Properties"

const program = {
  serviceId: 1,
  hostname: "web.example.com",
  os: "debian-12",
  sshPublicKey: "ssh-ed25519 AAAA",
  rootPassword: "hunter2hunter2",
  couponCode: "WELCOME10",
  powerState: "running",
  bootMode: "disk",
  isoId: 1,
  adoptInstanceId: 7,
  generation: 1,
  deletionPolicy: "fail",
  allowDataLoss: false,
  reinstallTriggers: ["a"],
  passwordRotation: "1",
  snapshotBefore: "before",
  waitFor: "ip",
  maxCharge: 5,
  timeouts: { create: "5m" }
}
const state: Properties = { ...program, __declared: Object.keys(program), ipv4: "198.18.0.7", status: "running" }

const changes = (olds: Properties, news: Properties) => Object.fromEntries(differences("7", olds, news).changes)

/** One row per input: the effect of a change. A name has none, as long as it stands for the same id. */
const TABLE: Record<string, readonly [next: unknown, change: string | undefined]> = {
  serviceId: [2, "power cycle"],
  plan: ["vps-m", undefined],
  hostname: ["www.example.com", "in place"],
  os: ["debian-13", "data loss"],
  sshPublicKey: ["ssh-ed25519 BBBB", "nothing"],
  rootPassword: ["another-secret", "nothing"],
  couponCode: ["MINUS5", "nothing"],
  powerState: ["off", "power cycle"],
  bootMode: ["rescue", "power cycle"],
  isoId: [2, "in place"],
  iso: ["rescue", undefined],
  adoptInstanceId: [8, "refused"],
  generation: [2, "replaced"],
  deletionPolicy: ["stop", "nothing"],
  allowDataLoss: [true, "nothing"],
  reinstallTriggers: [["b"], "data loss"],
  passwordRotation: ["2", "in place"],
  snapshotBefore: ["safe", "nothing"],
  waitFor: ["running", "in place"],
  maxCharge: [6, "nothing"],
  timeouts: [{ create: "6m" }, "nothing"]
}

describe("the differences of an Instance", () => {
  it("has a row for every input", () => assert.deepStrictEqual(Object.keys(TABLE), Object.keys(INSTANCE.inputs)))

  it.each(Object.entries(TABLE))("%s", (name, [next, change]) => {
    assert.deepStrictEqual(changes(state, { ...program, [name]: next }), change === undefined ? {} : { [name]: change })
  })
  it("only a changed generation replaces", () => {
    const replacing = Object.entries(TABLE).filter(([, [, change]]) => change === "replaced").map(([name]) => name)
    assert.deepStrictEqual(replacing, ["generation"])
  })
  it("nothing differs when nothing was changed", () => assert.deepStrictEqual(changes(state, program), {}))
  it.each(Object.keys(INSTANCE.inputs))("an unknown %s counts as unchanged", (name) => {
    assert.deepStrictEqual(changes(state, { ...program, [name]: UNKNOWN }), {})
  })
  it("an unknown inside a value counts as unchanged too", () => {
    assert.deepStrictEqual(changes(state, { ...program, timeouts: { create: UNKNOWN } }), {})
  })
  it("an input that the program no longer gives is forgotten, and its value left alone", () => {
    const { hostname: _, ...rest } = program
    assert.deepStrictEqual(changes(state, rest), { hostname: "nothing" })
  })
  it("a value that the service reports for an input that is not set is not a difference", () => {
    assert.deepStrictEqual(changes({ ...state, isoId: undefined, __declared: ["serviceId"] }, { serviceId: 1 }), {})
  })
  it("generation 1 is what its absence means", () => {
    const { generation: _, ...rest } = program
    assert.deepStrictEqual(changes({ ...state, generation: undefined }, { ...rest, generation: 1 }), {})
    assert.deepStrictEqual(changes({ ...state, generation: 2 }, rest), { generation: "replaced" })
  })
  it("an unknown operating system takes the program's, and nothing is refused", () => {
    assert.deepStrictEqual(
      changes({ ...state, os: undefined, isoId: undefined, __declared: [] }, { serviceId: 1, os: "debian-13" }),
      { serviceId: "nothing", os: "nothing" }
    )
  })
  it("an unknown host name is set: that does no harm", () => {
    const unnamed = { serviceId: 1, __declared: ["serviceId"] }
    assert.deepStrictEqual(changes(unnamed, { serviceId: 1, hostname: "web.example.com" }), { hostname: "in place" })
  })
  it("the spelling of a host name does not count", () => {
    assert.deepStrictEqual(changes(state, { ...program, hostname: "WEB.example.com" }), {})
  })
  it("a key that waits for a reinstall is compared, not the one that is installed", () => {
    const waiting = { ...state, pendingSshKey: "ssh-ed25519 BBBB" }
    assert.deepStrictEqual(changes(waiting, { ...program, sshPublicKey: "ssh-ed25519 BBBB" }), {})
    assert.deepStrictEqual(changes(waiting, program), { sshPublicKey: "nothing" })
  })
  it("adopting the instance that the resource already has is not a change", () => {
    const { adoptInstanceId: _, ...bought } = program
    const olds = { ...state, __declared: Object.keys(bought) }
    assert.deepStrictEqual(changes(olds, { ...bought, adoptInstanceId: 7 }), { adoptInstanceId: "nothing" })
    assert.deepStrictEqual(changes(olds, { ...bought, adoptInstanceId: 8 }), { adoptInstanceId: "refused" })
  })
  it("an ISO that the program no longer names is taken out", () => {
    const { isoId: _, ...rest } = program
    assert.deepStrictEqual(changes(state, rest), { isoId: "in place" })
  })
  it("new triggers are only recorded; a new password rotation is a change", () => {
    const { reinstallTriggers: _, passwordRotation: __, ...rest } = program
    const olds = { ...state, reinstallTriggers: undefined, passwordRotation: undefined, __declared: Object.keys(rest) }
    assert.deepStrictEqual(changes(olds, program), { reinstallTriggers: "nothing", passwordRotation: "in place" })
  })
  it("a root password is compared with the input, not with the one that a rotation set", () => {
    const rotated = { ...state, rootPassword: "fresh-1", __rootPassword: program.rootPassword }
    assert.deepStrictEqual(changes(rotated, program), {})
    assert.deepStrictEqual(changes(rotated, { ...program, rootPassword: "another-secret" }), {
      rootPassword: "nothing"
    })
  })
  it("properties of the provider itself never differ", () => {
    assert.deepStrictEqual(
      changes({ ...state, __urn: "a", __provider: "old" }, { ...program, __urn: "b", __provider: "new" }),
      {}
    )
  })
})
