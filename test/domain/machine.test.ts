/** The operations that an instance may run in each state, and the comparison of its machine with it. */
import * as fc from "fast-check"
import { assert, describe, it } from "@effect/vitest"
import {
  CONDITIONS,
  INSTANCE_OPERATIONS,
  isInstanceOperation,
  statusOf,
  verdict
} from "#service/domain/InstanceMachine"
import { idle, STATES, TRANSITIONS } from "../support/transitions.ts"
import type { AuditedInstance, HostContents } from "#service/domain/Finding"
import { differences, keyOf } from "#service/domain/MachineComparison"
import { hostContents, listedMachine } from "../support/hostContents.ts"

describe("what may be done in which state", () => {
  for (const operation of INSTANCE_OPERATIONS) {
    it(`${operation}: ${TRANSITIONS[operation]}`, () => {
      assert.strictEqual(CONDITIONS.map((name) => verdict(operation, STATES[name])).join(" "), TRANSITIONS[operation])
    })
  }

  it("leaving rescue is done, not a no-op, for a stopped instance that would boot into rescue", () => {
    assert.strictEqual(verdict("rescue_exit", { ...idle, power: "off", bootMode: "rescue" }), "yes")
  })

  it.each(
    [
      ["rescue_enter", { bootMode: "rescue", booted: "disk" }],
      ["rescue_exit", { bootMode: "disk", booted: "rescue" }]
    ] as const
  )("%s makes the reboot that is owed: set and booted are two facts", (operation, modes) => {
    assert.strictEqual(verdict(operation, { ...idle, ...modes }), "yes")
    const { bootMode } = modes
    assert.strictEqual(verdict(operation, { ...idle, bootMode, booted: bootMode }), "done")
  })

  it("a stopped instance next boots the mode that is set, not the one that it booted last", () => {
    const stopped = { ...idle, power: "off" } as const
    assert.strictEqual(verdict("rescue_exit", { ...stopped, bootMode: "disk", booted: "rescue" }), "done")
    assert.strictEqual(verdict("rescue_enter", { ...stopped, bootMode: "rescue", booted: "rescue" }), "yes")
  })

  it("each operation of the design has a row, and nothing else is one", () => {
    assert.deepStrictEqual(INSTANCE_OPERATIONS.toSorted(), Object.keys(TRANSITIONS).toSorted())
    assert.isTrue(isInstanceOperation("start"))
    for (const type of ["provision", "terminate", "toString"]) assert.isFalse(isInstanceOperation(type))
  })

  it("nothing may be done with a deleted instance", () => {
    for (const operation of INSTANCE_OPERATIONS) {
      assert.strictEqual(verdict(operation, { ...idle, lifecycle: "deleted" }), "no")
    }
  })
})

describe("the public status", () => {
  it.each(
    [
      [STATES.pending, false, "pending"],
      [{ ...STATES.pending, task: "provision" }, false, "pending"],
      [{ ...STATES.pending, task: "provision" }, true, "provisioning"],
      [{ ...STATES.pending, task: "terminate" }, true, "pending"],
      [STATES.running, false, "running"],
      [STATES.stopped, false, "stopped"],
      [STATES.rescue, false, "rescue"],
      [{ ...STATES.rescue, power: "off" }, false, "stopped"],
      [{ ...STATES.running, bootMode: "rescue" }, false, "running"],
      [{ ...STATES.rescue, bootMode: "disk" }, false, "rescue"],
      [{ ...STATES.running, task: "set_hostname" }, true, "running"],
      [{ ...STATES.expired, task: "terminate" }, true, "expired"],
      [STATES.failed, false, "failed"]
    ] as const
  )("%o (running: %s) is %s", (state, running, status) => {
    assert.strictEqual(statusOf(state, running), status)
  })

  it.each([
    ["start", "starting"],
    ["stop", "stopping"],
    ["restart", "restarting"],
    ["reinstall", "reinstalling"],
    ["resize", "resizing"],
    ["snapshot_restore", "restoring"],
    ["backup_restore", "restoring"],
    ["rescue_enter", "restarting"],
    ["rescue_exit", "restarting"]
  ])("while %s is open is %s, whether or not a worker has it, and only of an active instance", (task, status) => {
    for (const state of [STATES.running, STATES.stopped, STATES.rescue]) {
      for (const running of [false, true]) assert.strictEqual(statusOf({ ...state, task }, running), status)
    }
    for (const name of ["suspended", "expired", "failed"] as const) {
      assert.strictEqual(statusOf({ ...STATES[name], task }, true), name)
    }
  })
})

const audit = (contents: ReadonlyArray<HostContents>, instances: ReadonlyArray<AuditedInstance>) =>
  differences(contents, instances, {
    powerOff: (tag) => `off ${tag}`,
    remove: (tag) => `remove ${tag}`,
    rename: (name, tag) => `rename ${name} ${tag}`,
    resume: (tag) => `resume ${tag}`,
    continueSaved: (tag) => `continue ${tag}`,
    discardSaved: (tag) => `discard ${tag}`,
    deleteDisk: "delete",
    logOf: (tag) => `${tag}.log`
  })

const INSTANCE: AuditedInstance = {
  id: 1,
  tag: "instance-1",
  lifecycle: "active",
  power: "on",
  isBusy: false,
  isDeployed: true,
  isRestartable: true,
  isGivenUp: false,
  host: "alpha",
  target: null
}

const MACHINE = listedMachine("instance-1")

const withBackups = (backups: HostContents["backups"]) => hostContents("alpha", [MACHINE], { backups })

const disk = { tag: "instance-1", name: "instance-1.0123456789.qcow2" }

const kinds = (contents: ReadonlyArray<HostContents>, instance: Partial<AuditedInstance> | null) =>
  audit(contents, instance === null ? [] : [{ ...INSTANCE, ...instance }]).map(({ hosts, kind, repair }) =>
    [kind, hosts.join("+"), ...(repair === null ? [] : [repair])].join(" ")
  )

describe("an audit of certificates", () => {
  it("names the one that ends soon, with the host and the day", () => {
    const certificates = [{ name: "of the host itself", endsAt: 30 * 86_400_000 }]
    const [found, ...others] = audit([hostContents("alpha", [MACHINE], { certificates })], [INSTANCE])
    assert.deepStrictEqual(others, [])
    assert.deepInclude(found, { kind: "certificate", hosts: ["alpha"], repair: null })
    assert.match(found!.detail, /^The certificate of the host itself ends on 1970-01-31T00:00:00\.000Z\. .*Renew it/)
  })
})

describe("an audit of backups", () => {
  const backup = { tag: "instance-1", name: "instance-1.backup-1.qcow2" }
  const stored = (storage: string, failure: string | null = null) => ({ storage, disks: [backup], failure })
  const beta = hostContents("beta", [], { backups: stored("nas") })

  it.each(
    [
      ["no backup of a machine of a host that shares them", [withBackups(stored("nas")), beta], []],
      ["a backup of no machine, once", [hostContents("alpha", [], { backups: stored("nas") }), beta], [
        "missing alpha",
        "disk alpha"
      ]],
      ["no backup of a host that is not listed", [
        hostContents("alpha", [], { failure: "no", backups: stored("nas") }),
        beta
      ], [
        "unreachable alpha"
      ]],
      ["a backup on another host's own storage", [withBackups(stored("own")), beta], ["disk beta"]],
      ["a pool that cannot be read", [withBackups(stored("nas", "no pool")), beta], ["backups alpha"]]
    ] as const
  )("finds %s", (_, contents, expected) => assert.deepStrictEqual(kinds(contents, {}), [...expected]))

  it("finds the same pool that cannot be read again, also for another reason", () => {
    const [one, other] = ["mounted", "active"].map((reason) =>
      audit([withBackups(stored("nas", reason))], [INSTANCE])[0]!
    )
    assert.strictEqual(keyOf(one!), keyOf(other!))
  })
})

describe("an audit", () => {
  it("finds the same host that does not respond again, although its connection fails for another reason", () => {
    const [lost, refused, other] = [["alpha", "lost"], ["alpha", "refused"], ["beta", "lost"]]
      .map(([name, failure]) => keyOf(audit([hostContents(name!, [], { failure: failure! })], [])[0]!))
    assert.strictEqual(lost, refused)
    assert.notStrictEqual(lost, other)
  })

  const alpha = hostContents("alpha", [MACHINE])
  const off = hostContents("alpha", [{ ...MACHINE, power: "off" }])
  const crashed = hostContents("alpha", [{ ...MACHINE, power: "off", isCrashed: true }])
  const silent = hostContents("alpha", [], { failure: "It does not respond." })
  const declaredOff = hostContents("alpha", [], { failure: "It was declared off.", isOff: true })
  const leftOff = hostContents("alpha", [{ ...MACHINE, power: "off", isLeftOff: true }])
  const saved = hostContents("alpha", [{ ...MACHINE, power: "off", isSaved: true }])
  const savedAndLeft = hostContents("alpha", [{ ...MACHINE, power: "off", isSaved: true, isLeftOff: true }])
  const cameBack = { ...declaredOff, machines: [MACHINE] }
  const beta = hostContents("beta", [MACHINE])

  it.each(
    [
      ["nothing", [alpha], {}, []],
      ["a missing machine", [hostContents("alpha", [])], {}, ["missing alpha"]],
      ["a machine without an instance", [alpha], null, ["unknown alpha"]],
      ["a machine of a failed instance", [alpha], { lifecycle: "failed", isDeployed: false }, ["unknown alpha"]],
      ["two machines of one instance", [alpha, hostContents("beta", [MACHINE])], {}, ["duplicate alpha+beta"]],
      ["a machine on another host", [hostContents("alpha", []), hostContents("beta", [MACHINE])], {}, [
        "misplaced beta"
      ]],
      ["a machine that crashed", [crashed], {}, ["power alpha start"]],
      ["a machine that crashed too often", [crashed], { isRestartable: false }, ["crash alpha give_up"]],
      ["a machine that is paused", [hostContents("alpha", [{ ...MACHINE, isPaused: true }])], {}, ["paused alpha"]],
      [
        "a paused machine whose pool has space again",
        [
          hostContents("alpha", [{ ...MACHINE, isPaused: true, isResumable: true }])
        ],
        {},
        ["paused alpha resume"]
      ],
      [
        "a machine that its host does not protect others from",
        [hostContents("alpha", [{ ...MACHINE, isUnprotected: true }])],
        {},
        ["unprotected alpha protect"]
      ],
      ["a machine that is frozen", [hostContents("alpha", [{ ...MACHINE, isFrozen: true }])], {}, [
        "frozen alpha thaw"
      ]],
      ["a machine that was given up", [off], { power: "off", isGivenUp: true }, ["crash alpha"]],
      ["nothing about a machine that was given up and started", [alpha], { isGivenUp: true }, []],
      ["nothing about a machine that was stopped", [crashed], { power: "off", isRestartable: false }, []],
      ["a machine that was shut down from inside", [off], {}, ["power alpha record_off"]],
      ["a machine that was started by hand", [alpha], { power: "off" }, ["power alpha record_on"]],
      ["a suspended instance that runs", [alpha], { lifecycle: "suspended", power: "off" }, ["power alpha stop"]],
      ["an expired instance that runs", [alpha], { lifecycle: "expired" }, ["power alpha stop"]],
      ["nothing about a stopped expired instance", [off], { lifecycle: "expired" }, []],
      ["nothing about a busy instance", [hostContents("alpha", [], { disks: [disk] })], { isBusy: true }, []],
      ["nothing about an instance that is not deployed", [hostContents("alpha", [])], { isDeployed: false }, []],
      ["a host that does not respond, and not its machines", [silent], {}, ["unreachable alpha"]],
      ["what was on a host that was declared off", [declaredOff], {}, ["unreachable alpha", "missing alpha"]],
      ["a machine of a host that was restarted", [leftOff], { isRestartable: false }, ["power alpha start_again"]],
      ["nothing about a stopped machine of such a host", [leftOff], { power: "off" }, []],
      ["a machine whose memory is saved, and not that it was shut down", [saved], {}, ["saved alpha"]],
      ["it also when its instance is not to run", [saved], { lifecycle: "suspended", power: "off" }, ["saved alpha"]],
      ["a saved machine of a host that was restarted", [savedAndLeft], {}, ["power alpha start_again"]],
      ["a machine on a host that was declared off and came back", [cameBack, beta], { host: "beta" }, [
        "unreachable alpha",
        "stale alpha"
      ]],
      ["it also while its instance is busy", [cameBack], { host: "beta", isBusy: true }, [
        "unreachable alpha",
        "stale alpha"
      ]],
      ["what no instance needs on such a host", [cameBack], null, ["unreachable alpha", "stale alpha"]],
      ["not what still belongs to such a host", [cameBack], {}, ["unreachable alpha", "missing alpha"]],
      ["not what moves to such a host", [cameBack, beta], { host: "beta", target: "alpha" }, ["unreachable alpha"]],
      ["nothing about a host that the driver chose", [alpha], { host: null }, []],
      [
        "an image that is gone below disks, once",
        [
          hostContents("alpha", [MACHINE], { storage: "nas", lostImages: [{ name: "image-x", disks: [disk.name] }] }),
          hostContents("beta", [], { storage: "nas", lostImages: [{ name: "image-x", disks: [disk.name] }] })
        ],
        {},
        ["image beta"]
      ],
      ["a disk of no machine", [hostContents("alpha", [], { disks: [disk] })], null, ["disk alpha"]]
    ] as const
  )("finds %s", (_, contents, instance, expected) => {
    assert.deepStrictEqual(kinds(contents, instance), [...expected])
  })

  it("knows disks on shared storage by the machines of all its hosts, once", () => {
    const shared = { storage: "ceph", disks: [disk] }
    const beta = hostContents("beta", [], shared)
    assert.deepStrictEqual(kinds([hostContents("alpha", [MACHINE], shared), beta], {}), [])
    assert.deepStrictEqual(kinds([hostContents("alpha", [], shared), beta], null), ["disk alpha"])
    assert.deepStrictEqual(kinds([hostContents("alpha", [], { ...shared, failure: "no" }), beta], null), [
      "unreachable alpha"
    ])
  })

  const TAGS = ["instance-1", "instance-2", "instance-3"] as const
  const power = fc.constantFrom("on" as const, "off" as const)
  const machines = fc.uniqueArray(
    fc.record({
      tag: fc.constantFrom(...TAGS),
      power,
      isCrashed: fc.boolean(),
      isLeftOff: fc.boolean(),
      isSaved: fc.constant(false),
      isPaused: fc.boolean(),
      isResumable: fc.constant(false),
      isUnprotected: fc.constant(false),
      isFrozen: fc.constant(false)
    }),
    { selector: ({ tag }) => tag }
  )
  // Giving a machine up records it as off.
  const instances = fc.uniqueArray(
    fc.record({
      id: fc.constant(1),
      tag: fc.constantFrom(...TAGS),
      lifecycle: fc.constantFrom("pending" as const, "active" as const, "failed" as const, "expired" as const),
      power,
      isBusy: fc.boolean(),
      isDeployed: fc.boolean(),
      isRestartable: fc.boolean(),
      isGivenUp: fc.boolean(),
      host: fc.constantFrom("alpha", "beta"),
      target: fc.constant(null)
    }).map((record) => ({ ...record, isGivenUp: record.isGivenUp && record.power === "off" })),
    { selector: ({ tag }) => tag }
  )

  /** The world after the repairs of an audit. */
  const repaired = (contents: ReadonlyArray<HostContents>, records: ReadonlyArray<AuditedInstance>) => {
    const repairs = new Map(audit(contents, records).map(({ repair, tag }) => [tag, repair]))
    const powers = { start: "on", start_again: "on", stop: "off" } as const
    const after = contents.map((each) => ({
      ...each,
      machines: each.machines.map((machine) => {
        const repair = repairs.get(machine.tag)
        return repair === "start" || repair === "start_again" || repair === "stop"
          ? { ...machine, power: powers[repair] } :
          machine
      })
    }))
    const corrected = records.map((record) => {
      const repair = repairs.get(record.tag)
      if (repair === "give_up") return { ...record, power: "off" as const, isGivenUp: true }
      return repair === "record_on" || repair === "record_off"
        ? { ...record, power: repair === "record_on" ? "on" as const : "off" as const }
        : record
    })
    return audit(after, corrected)
  }

  it("never changes anything but power, and finds nothing that it could repair afterwards", () => {
    fc.assert(fc.property(machines, machines, instances, (on, other, records) => {
      const contents = [hostContents("alpha", on), hostContents("beta", other)]
      const findings = audit(contents, records)
      for (const { kind, repair } of findings) assert.isTrue(repair === null || kind === "power" || kind === "crash")
      // A crash stays a finding, which nothing repairs.
      const rest = findings.filter(({ kind, repair }) => repair === null || kind === "crash")
        .map((finding) => ({ ...finding, repair: null }))
      assert.deepStrictEqual(repaired(contents, records), rest)
    }))
  })

  it("reports every machine that is not exactly where its instance is", () => {
    fc.assert(fc.property(machines, machines, instances, (on, other, records) => {
      const findings = audit([hostContents("alpha", on), hostContents("beta", other)], records)
      for (const tag of TAGS) {
        const record = records.find((each) => each.tag === tag)
        if (record?.isBusy === true) continue
        const places = [
          ...on.filter((m) => m.tag === tag).map(() => "alpha"),
          ...other.filter((m) => m.tag === tag).map(() => "beta")
        ]
        const wanted = record !== undefined && record.isDeployed && ["active", "expired"].includes(record.lifecycle)
        const agrees = wanted ? places.length === 1 && places[0] === record.host : places.length === 0
        const isElsewhere = findings.some(({ kind, tag: of }) =>
          of === tag && !["power", "crash", "paused"].includes(kind)
        )
        assert.strictEqual(isElsewhere, !agrees)
      }
    }))
  })
})
