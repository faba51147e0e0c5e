/** The parts of the libvirt driver that need no host: hashes, discs, records, and the map from errors to faults. */
import * as fc from "fast-check"
import * as Redacted from "effect/Redacted"
import { spawnSync } from "node:child_process"
import { describe, expect, it } from "vitest"
import { domainXml } from "#service/provisioning/drivers/libvirt/DomainXml"
import {
  fromElement,
  type MachineRecord,
  macOf,
  remember,
  toElement,
  uuidOf
} from "#service/provisioning/drivers/libvirt/MachineRecord"
import { asFault } from "#service/provisioning/drivers/libvirt/Machines"
import { passwordHash } from "#service/provisioning/drivers/libvirt/PasswordHash"
import { CODES, ConnectionLost, LibvirtError } from "#service/provisioning/drivers/libvirt/rpc/Faults"
import { screenXml, tcpScreen, withScreenAt } from "#service/provisioning/drivers/libvirt/Screen"
import { seedDisc } from "#service/provisioning/drivers/libvirt/Seed"
import { noOpenssl } from "../../support/certificates.ts"

const RECORD: MachineRecord = {
  tag: "instance-7",
  hostname: "web.example.test",
  os: "debian-12",
  cpus: 2,
  memoryMib: 1_024,
  diskGib: 20,
  disk: "instance-7.0123456789.qcow2",
  restores: null,
  seeded: true,
  iso: null,
  bootMode: "disk",
  rescue: null,
  ipv4: "203.0.113.7",
  ipv6: null,
  bootedAt: 1,
  images: {},
  pending: { key: "k", type: "provision", since: 1, step: 0, wasOn: false, image: null },
  frozenAt: null,
  done: [],
  preempted: []
}

const PLACE = { pool: "default", bridge: "br0", accelerator: "kvm" } as const

const SCREEN = screenXml(null)

describe("the hash of a password", () => {
  it("is the one of the algorithm's specification", () => {
    expect(passwordHash("Hello world!", "saltstring")).toBe(
      "$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1"
    )
  })

  it.skipIf(noOpenssl)("is the one of openssl, for any password", () => {
    const passwords = fc.string({ minLength: 1, maxLength: 80, unit: fc.constantFrom(..."aZ09 !\"#$%&'()é€") })
    fc.assert(
      fc.property(passwords, (password) => {
        const { stdout } = spawnSync("openssl", ["passwd", "-6", "-salt", "abc", "-stdin"], { input: password })
        expect(passwordHash(password, "abc")).toBe(stdout.toString().trim())
      }),
      { numRuns: 20 }
    )
  })

  it("has another salt each time", () => expect(passwordHash("a")).not.toBe(passwordHash("a")))
})

describe("the disc of the first boot", () => {
  const seed = {
    id: "task-1",
    hostname: "web.example.test",
    sshPublicKey: "ssh-ed25519 AAAA me: \"#1\"",
    rootPassword: Redacted.make("correct-horse"),
    assignment: {
      address: "203.0.113.7",
      gateway: "203.0.113.1",
      prefix: 24,
      ipv6: "2001:db8::1:7",
      ipv6Gateway: "fe80::1",
      ipv6Prefix: 64
    },
    nameservers: ["9.9.9.9"]
  }
  const text = seedDisc(seed).toString()

  it("has what cloud-init needs, and the password as a hash only", () => {
    expect(text).toContain("cidata")
    expect(text).toContain("instance-id: task-1\nlocal-hostname: web.example.test\n")
    expect(text).toContain(String.raw`  - "ssh-ed25519 AAAA me: \"#1\""`)
    expect(text).toContain(`match: {"macaddress":"52:54:cb:00:71:07"}`)
    expect(text).toContain(`routes: [{"to":"0.0.0.0/0","via":"203.0.113.1"},`)
    expect(text).toContain(`nameservers: {"addresses":["9.9.9.9"]}`)
    expect(text).toContain(`addresses: ["203.0.113.7/24","2001:db8::1:7/128"]`)
    expect(text).toContain(`{"to":"::/0","via":"fe80::1","on-link":true}`)
    const { assignment } = seed
    expect(seedDisc({ ...seed, assignment: { ...assignment, ipv6: null } }).toString()).not.toContain("::/0")
    expect(text).toContain("PermitRootLogin yes")
    expect(text).toContain("$6$")
    expect(text).not.toContain("correct-horse")
  })
})

describe("a machine's record", () => {
  it("is read from its definition, with any text in it", () => {
    fc.assert(fc.property(fc.string({ unit: "grapheme" }), fc.string(), (hostname, tag) => {
      const record = { ...RECORD, hostname, tag }
      expect(fromElement(toElement(record))).toStrictEqual(record)
      expect(domainXml(record, PLACE, SCREEN, null)).toContain(toElement(record))
    }))
  })

  it.each(["", "<vps:machine/>", "<vps:machine>text</vps:machine>"])(
    "is absent from %s",
    (element) => expect(fromElement(element)).toBeUndefined()
  )

  it("of an earlier version has no IPv6 address", () => {
    const { ipv6: _, ...earlier } = RECORD
    expect(fromElement(toElement(earlier as MachineRecord))).toStrictEqual(RECORD)
  })

  it("has the same UUID on every host, and a MAC for each address", () => {
    expect(uuidOf("instance-7")).toMatch(/^[\da-f]{8}-[\da-f]{4}-5[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
    expect(uuidOf("instance-7")).not.toBe(uuidOf("instance-70"))
    expect(macOf("203.0.113.7")).not.toBe(macOf("203.0.113.70"))
  })

  it("remembers the latest keys", () => {
    let keys: ReadonlyArray<string> = []
    for (let key = 0; key < 100; key++) keys = remember(keys, String(key))
    expect([keys.length, keys[0]]).toStrictEqual([32, "99"])
    expect(remember(["a", "b"], "b")).toStrictEqual(["b", "a"])
  })
})

describe("a machine's definition", () => {
  it("filters its address, and boots from the disk", () => {
    const xml = domainXml(RECORD, PLACE, SCREEN, null)
    expect(xml).toContain(`<filterref filter="vps-clean-traffic-ipv4-2"><parameter name="IP" value="203.0.113.7"/>`)
    expect(xml).toContain(`<boot dev="hd"/><boot dev="cdrom"/>`)
    expect(xml).toContain(`volume="instance-7.seed.iso"`)
    expect(xml).toContain(`<domain type="kvm">`)
  })

  it("filters its IPv6 address, too", () => {
    const xml = domainXml({ ...RECORD, ipv6: "2001:db8::1:7" }, PLACE, SCREEN, "2001:db8::1")
    expect(xml).toContain(`<filterref filter="vps-clean-traffic-2"><parameter name="IP" value="203.0.113.7"/>`)
    expect(xml).toContain(`<parameter name="IPV6" value="2001:db8::1:7"/>`)
    // 52:54:cb:00:71:07
    expect(xml).toContain(`<parameter name="LINK_LOCAL" value="fe80::5054:cbff:fe00:7107"/>`)
    expect(xml).toContain(`<parameter name="GATEWAY6" value="2001:db8::1"/>`)
  })

  it("boots the rescue system, with the disk attached", () => {
    const rescue = {
      ...RECORD,
      bootMode: "rescue",
      rescue: "image-rescue.iso",
      seeded: false,
      iso: "other.iso"
    } as const
    const xml = domainXml(rescue, { ...PLACE, accelerator: "qemu" }, SCREEN, null)
    expect(xml).toContain(`<boot dev="cdrom"/><boot dev="hd"/>`)
    expect(xml).toContain(`volume="image-rescue.iso"`)
    expect(xml).not.toContain(`volume="other.iso"`)
    expect(xml).toContain(`volume="${RECORD.disk}"`)
    expect(xml).not.toContain("seed.iso")
  })

  it("has a screen on a Unix socket, or on an address with a password that has expired", () => {
    expect(domainXml(RECORD, PLACE, SCREEN, null)).toContain(`<graphics type="vnc"><listen type="socket"/></graphics>`)
    const one = screenXml("10.0.0.2")
    const live = "<disk a='address'/><graphics type='vnc' port='5900' listen='10.0.0.2' passwd='x'>"
      + "<listen type='address' address='10.0.0.2'/></graphics><address type='pci'/>"
    expect(withScreenAt(live, "10.0.0.3")).toBe(live.replaceAll("10.0.0.2", "10.0.0.3"))
    expect(withScreenAt("<domain/>", "10.0.0.3")).toBe("<domain/>")
    expect(one).toMatch(/ passwd="[\w-]{8}" passwdValidTo="1970-01-01T00:00:00"/)
    expect(one).toContain(`<listen type="address" address="10.0.0.2"/>`)
    expect(one).not.toBe(screenXml("10.0.0.2"))
    expect(tcpScreen("10.0.0.2", "secret12", Date.UTC(2026, 0, 2, 3, 4, 5, 678))).toContain(
      `passwd="secret12" passwdValidTo="2026-01-02T03:04:05"`
    )
  })

  it("escapes names", () => {
    expect(domainXml(RECORD, { ...PLACE, bridge: `br"0<` }, SCREEN, null)).toContain(`<source bridge="br&#34;0&#60;"/>`)
  })
})

describe("an error of libvirt", () => {
  const error = (code: number) => new LibvirtError("define", { code, message: "/var/lib/libvirt/x" })

  it.each([
    [55, "Busy"],
    [68, "Busy"],
    [83, "Busy"],
    [86, "Busy"],
    [8, "Rejected"],
    [35, "Rejected"],
    [67, "Rejected"],
    [92, "Rejected"],
    [1, "Unavailable"],
    [9, "Unavailable"],
    [38, "Unavailable"],
    [12_345, "Unavailable"]
  ])("%i is %s", (code, tag) => expect(asFault(error(code))._tag).toBe(tag))

  it.each(Object.values(CODES))("%i shows customers nothing of the host", (code) => {
    expect(asFault(error(code)).reason).not.toMatch(/var.lib|define/)
  })

  it("that is a lost connection leaves the outcome unknown", () =>
    expect(asFault(new ConnectionLost("/run/x"))).toMatchObject({
      _tag: "Unavailable",
      reason: "the connection to its host was lost"
    }))
})
