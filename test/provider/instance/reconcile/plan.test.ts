import { PULUMI } from "#provider/HostWords"
import { assert, describe, it } from "vitest"
import {
  describeSteps,
  type History,
  type Observed,
  obstacle,
  plan,
  type Wanted
} from "#provider/instance/reconcile/UpdatePlan"

const on: Observed = {
  id: 1,
  status: "running",
  suspendedReason: undefined,
  serviceId: 1,
  hostname: "web.example.com",
  os: "debian-12",
  on: true,
  bootMode: "disk",
  isoId: undefined
}
const off: Observed = { ...on, status: "stopped", on: false }
const rescue: Observed = { ...on, status: "rescue", bootMode: "rescue" }
const same: Wanted = { serviceId: 1, hostname: "web.example.com", os: "debian-12" }
const remembered: History = { state: {}, wasOn: true, rebootDue: false }
const wasOff = { wasOn: false }

/** undefined: not managed. */
type Changes = { readonly [Name in keyof Wanted]?: Wanted[Name] | undefined }

interface Row {
  readonly from?: Observed
  readonly state?: Partial<History>
  readonly want: Changes
  readonly steps: string
}

const everything: Changes = {
  serviceId: 2,
  os: "debian-13",
  isoId: 2,
  bootMode: "rescue",
  hostname: "www.example.com",
  passwordRotation: "2",
  snapshotBefore: "safe"
}

/** Observed, remembered and wanted; and the steps, in the one order. */
const ROWS: Record<string, Row> = {
  "nothing differs": { want: {}, steps: "" },
  "what is not managed is left alone": {
    from: off,
    state: wasOff,
    want: { hostname: undefined, os: undefined },
    steps: ""
  },
  "a resize has one power cycle": { want: { serviceId: 2 }, steps: "power off, resize to plan 2, power on" },
  "a resize of a server that is off": { from: off, state: wasOff, want: { serviceId: 2 }, steps: "resize to plan 2" },
  "a resize, and off from now on": { want: { serviceId: 2, powerState: "off" }, steps: "power off, resize to plan 2" },
  "a resize that was cut off while the server was off": {
    from: off,
    want: { serviceId: 2 },
    steps: "resize to plan 2, power on"
  },
  "all but the last step was done before the cut": {
    from: { ...off, serviceId: 2 },
    want: { serviceId: 2 },
    steps: "power on"
  },
  "the spelling of a host name does not count": { want: { hostname: "WEB.example.com" }, steps: "" },
  "a host name": { want: { hostname: "www.example.com" }, steps: "set the host name www.example.com" },
  "another system": { want: { os: "debian-13" }, steps: "reinstall with debian-13" },
  "an unknown operating system": { from: { ...on, os: undefined }, want: { os: "debian-13" }, steps: "" },
  "triggers": {
    state: { state: { reinstallTriggers: [1] } },
    want: { reinstallTriggers: [2] },
    steps: "reinstall with debian-12"
  },
  "triggers of which nothing is known": { want: { reinstallTriggers: [2] }, steps: "" },
  "triggers with the installed operating system": {
    state: { state: { reinstallTriggers: [1] } },
    want: { os: undefined, reinstallTriggers: [2] },
    steps: "reinstall with debian-12"
  },
  "a reinstall boots; off is wanted": {
    from: off,
    want: { os: "debian-13", powerState: "off" },
    steps: "reinstall with debian-13, power off"
  },
  "a reinstall of a server that was off": {
    from: off,
    state: wasOff,
    want: { os: "debian-13" },
    steps: "reinstall with debian-13, power off"
  },
  "resize and reinstall": {
    want: { serviceId: 2, os: "debian-13" },
    steps: "power off, resize to plan 2, reinstall with debian-13"
  },
  "a snapshot comes first": {
    want: { serviceId: 2, snapshotBefore: "safe" },
    steps: "take a snapshot (safe-...), power off, resize to plan 2, power on"
  },
  "a snapshot only before what could go wrong": {
    want: { hostname: "www.example.com", powerState: "off", snapshotBefore: "safe" },
    steps: "set the host name www.example.com, power off"
  },
  "off": { want: { powerState: "off" }, steps: "power off" },
  "on": { from: off, state: wasOff, want: { powerState: "running" }, steps: "power on" },
  "wanted back after a destroy": { from: off, want: {}, steps: "power on" },
  "rescue": { want: { bootMode: "rescue" }, steps: "reboot into rescue mode" },
  "rescue from off boots": {
    from: off,
    state: wasOff,
    want: { bootMode: "rescue" },
    steps: "reboot into rescue mode, power off"
  },
  "rescue and on": { from: off, want: { bootMode: "rescue", powerState: "running" }, steps: "reboot into rescue mode" },
  "back to the disk": { from: rescue, want: { bootMode: "disk" }, steps: "reboot from the disk" },
  "in rescue already": { from: rescue, want: { bootMode: "rescue" }, steps: "" },
  "an unobserved reboot": {
    from: rescue,
    state: { rebootDue: true },
    want: { bootMode: "rescue" },
    steps: "reboot"
  },
  "neither snapshot nor resize in rescue": {
    from: rescue,
    want: { bootMode: "rescue", serviceId: 2, snapshotBefore: "safe" },
    steps: "reboot from the disk, take a snapshot (safe-...), power off, resize to plan 2, reboot into rescue mode"
  },
  "an ISO": { want: { isoId: 2 }, steps: "mount ISO 2" },
  "another ISO": { from: { ...on, isoId: 1 }, want: { isoId: 2 }, steps: "mount ISO 2" },
  "the mounted ISO": { from: { ...on, isoId: 2 }, want: { isoId: 2 }, steps: "" },
  "an ISO no longer": { from: { ...on, isoId: 2 }, want: {}, steps: "unmount the ISO" },
  "an ISO and rescue": { want: { isoId: 1, bootMode: "rescue" }, steps: "mount ISO 1, reboot into rescue mode" },
  "a password": { want: { passwordRotation: "1" }, steps: "set a new root password" },
  "a password that was set": {
    state: { state: { passwordRotation: "1" } },
    want: { passwordRotation: "1" },
    steps: ""
  },
  "a password is last": {
    want: { passwordRotation: "1", powerState: "running", hostname: "www.example.com", serviceId: 2 },
    steps: "power off, resize to plan 2, power on, set the host name www.example.com, set a new root password"
  },
  "a password before rescue, which takes none": {
    want: { passwordRotation: "1", bootMode: "rescue" },
    steps: "set a new root password, reboot into rescue mode"
  },
  "everything": {
    want: everything,
    steps: "take a snapshot (safe-...), power off, resize to plan 2, reinstall with debian-13, mount ISO 2, "
      + "set a new root password, reboot into rescue mode, set the host name www.example.com"
  }
}

describe("the plan of an update", () => {
  it.each(Object.entries(ROWS))("%s", (_, { from = on, state = {}, steps, want }) => {
    assert.strictEqual(describeSteps(plan(from, { ...remembered, ...state }, { ...same, ...want } as Wanted)), steps)
  })
  it("powers an instance off and on at most once, for any change", () => {
    for (const { from = on, state = {}, want } of Object.values(ROWS)) {
      const steps = plan(from, { ...remembered, ...state }, { ...same, ...want } as Wanted).map((step) => step.do)
      assert.isAtMost(steps.filter((step) => step === "stop").length, 1)
      assert.isAtMost(steps.filter((step) => step === "start").length, 1)
    }
  })
})

describe("the obstacle to an update", () => {
  const reason = (from: Observed, want: Partial<Wanted>) =>
    obstacle(PULUMI, from, remembered, { ...same, ...want } as Wanted)
  it("is nothing, when there is nothing to do", () => {
    for (const status of ["suspended", "expired", "rescue"]) assert.isUndefined(reason({ ...on, status }, {}))
  })
  it.each<[string, Observed, Partial<Wanted>, string]>([
    [
      "a suspension",
      { ...on, status: "suspended", suspendedReason: "abuse" },
      { powerState: "off" },
      "it is suspended (abuse)"
    ],
    ["the end of its contract", { ...on, status: "expired" }, { hostname: "x" }, "it has expired; topping up"],
    [
      "somebody in rescue mode",
      { ...rescue, bootMode: undefined },
      { serviceId: 2 },
      "Set bootMode: \"disk\" to leave rescue mode"
    ],
    ["data that may not be lost", on, { os: "debian-13" }, "deletes everything on its disk. Set allowDataLoss: true"],
    ["data that may not be lost", on, { os: "debian-13" }, "or set os: \"debian-12\" to keep the data"]
  ])("%s", (_, from, want, text) => assert.include(reason(from, want), text))
  it("a system that is not known can't be reinstalled", () => {
    const state = { ...remembered, state: { reinstallTriggers: [1] } }
    assert.include(
      obstacle(PULUMI, { ...on, os: undefined }, state, { serviceId: 1, reinstallTriggers: [2], allowDataLoss: true }),
      "Set os"
    )
  })
  it("is nothing when the loss is allowed, and nothing in rescue mode for light work", () => {
    assert.isUndefined(reason(on, { os: "debian-13", allowDataLoss: true }))
    assert.isUndefined(reason(rescue, { hostname: "x" }))
    assert.isUndefined(reason(rescue, { serviceId: 2, bootMode: "disk" }))
  })
})
