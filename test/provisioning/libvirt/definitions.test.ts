/** The parts of the libvirt driver that need no host: hashes, discs, records, and the map from errors to faults. */
import * as fc from "fast-check"
import * as Redacted from "effect/Redacted"
import { spawnSync } from "node:child_process"
import { assert, describe, it } from "vitest"
import { parse } from "yaml"
import { byHandIn } from "#service/provisioning/drivers/libvirt/ByHand"
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
import { CODES, ConnectionLost, LibvirtError } from "#service/provisioning/drivers/libvirt/rpc/Faults"
import { screenXml, tcpScreen, withScreenAt } from "#service/provisioning/drivers/libvirt/Screen"
import { passwordHash, seedDisc } from "#service/provisioning/drivers/libvirt/Seed"
import { noOpenssl } from "../../support/certificates.ts"
import { assertLike } from "../../support/like.ts"

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
  spaces: [],
  frozenAt: null,
  done: [],
  preempted: []
}

const PLACE = { pool: "default", bridge: "br0", accelerator: "kvm" } as const

const SCREEN = screenXml(null)

describe("the hash of a password", () => {
  it("is the one of the algorithm's specification", () => {
    assert.strictEqual(
      passwordHash("Hello world!", "saltstring"),
      "$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1"
    )
  })

  it.skipIf(noOpenssl)("is the one of openssl, for any password", () => {
    const passwords = fc.string({ minLength: 1, maxLength: 80, unit: fc.constantFrom(..."aZ09 !\"#$%&'()é€") })
    fc.assert(
      fc.property(passwords, (password) => {
        const { stdout } = spawnSync("openssl", ["passwd", "-6", "-salt", "abc", "-stdin"], { input: password })
        assert.strictEqual(passwordHash(password, "abc"), stdout.toString().trim())
      }),
      { numRuns: 20 }
    )
  })

  it("has another salt each time", () => assert.notStrictEqual(passwordHash("a"), passwordHash("a")))
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
    assert.include(text, "cidata")
    assert.include(text, `instance-id: "task-1"\nlocal-hostname: "web.example.test"\n`)
    assert.include(text, String.raw`  - "ssh-ed25519 AAAA me: \"#1\""`)
    assert.include(text, `match: {"macaddress":"52:54:cb:00:71:07"}`)
    assert.include(text, `routes: [{"to":"0.0.0.0/0","via":"203.0.113.1"},`)
    assert.include(text, `nameservers: {"addresses":["9.9.9.9"]}`)
    assert.include(text, `addresses: ["203.0.113.7/24","2001:db8::1:7/128"]`)
    assert.include(text, `{"to":"::/0","via":"fe80::1","on-link":true}`)
    const { assignment } = seed
    assert.notInclude(seedDisc({ ...seed, assignment: { ...assignment, ipv6: null } }).toString(), "::/0")
    assert.include(text, "PermitRootLogin yes")
    assert.include(text, "$6$")
    assert.notInclude(text, "correct-horse")
  })

  it.each(["0x10", "0b11", "yes", "null", "1.5", "12:30"])("has the host name %s as text", (hostname) => {
    const data = seedDisc({ ...seed, hostname }).toString().match(/instance-id: .*\nlocal-hostname: .*\n/)![0]
    assert.deepStrictEqual(parse(data, { version: "1.1" }), { "instance-id": "task-1", "local-hostname": hostname })
  })
})

describe("the parts of a definition that an operator has added", () => {
  const card = `      <mac address='${macOf(RECORD.ipv4)}'/>`
  /** As libvirt formats it. */
  const definition = `<domain type='kvm'>
  <name>instance-7</name>
  <title>of a friend</title>
  <memory unit='KiB'>1048576</memory>
  <cputune>
    <shares>77</shares>
  </cputune>
  <devices>
    <emulator>/usr/bin/qemu-system-x86_64</emulator>
    <disk type='volume' device='disk'>
      <source pool='default' volume='instance-7.0123456789.qcow2'/>
      <target dev='vda' bus='virtio'/>
      <iotune>
        <total_iops_sec>300</total_iops_sec>
      </iotune>
    </disk>
    <disk type='file' device='cdrom'>
      <target dev='sda' bus='scsi'/>
    </disk>
    <disk type='file' device='disk'>
      <source file='/data.qcow2'/>
      <target dev='vdb' bus='virtio'/>
    </disk>
    <interface type='bridge'>
${card}
      <bandwidth>
        <inbound average='128'/>
      </bandwidth>
    </interface>
    <interface type='bridge'>
      <mac address='52:54:00:00:00:01'/>
    </interface>
    <sound model='ich6'/>
    <memballoon model='virtio'/>
  </devices>
</domain>
`

  it("are found, and are in the next definition", () => {
    const byHand = byHandIn(definition, macOf(RECORD.ipv4))
    const names = (xml: string) => [...xml.matchAll(/<(\w+)/g)].map(([, name]) => name)
    assert.deepStrictEqual(names(byHand.root), ["title", "cputune", "shares"])
    assert.deepStrictEqual(names(byHand.devices), ["sound", "disk", "source", "target", "interface", "mac"])
    assert.deepStrictEqual([names(byHand.disk), names(byHand.network)], [["iotune", "total_iops_sec"], [
      "bandwidth",
      "inbound"
    ]])
    const next = domainXml(RECORD, PLACE, SCREEN, null, { byHand, mtu: 1_400 })
    for (const part of ["<shares>77", "dev='vdb'", "52:54:00:00:00:01", "ich6"]) assert.include(next, part)
    assert.match(next, /<target dev="vda" bus="virtio"\/>\s*<iotune>/)
    assert.match(next, /<mtu size="1400"\/>\s*<bandwidth>/)
    assert.notInclude(domainXml(RECORD, PLACE, SCREEN, null, { byHand, mtu: 1_500 }), "<mtu")
  })

  it("bring the namespace of QEMU's own arguments", () => {
    const xml = "<domain>\n  <qemu:commandline>\n    <qemu:arg value='-x'/>\n  </qemu:commandline>\n</domain>\n"
    assert.match(
      domainXml(RECORD, PLACE, SCREEN, null, { byHand: byHandIn(xml, ""), mtu: null }),
      /^<domain type="kvm" xmlns:qemu="[^"]+">[^]*<qemu:arg value='-x'/
    )
  })
})

describe("a machine's record", () => {
  it("is read from its definition, with any text in it", () => {
    fc.assert(fc.property(fc.string({ unit: "grapheme" }), fc.string(), (hostname, tag) => {
      const record = { ...RECORD, hostname, tag }
      assert.deepStrictEqual(fromElement(toElement(record)), record)
      assert.include(domainXml(record, PLACE, SCREEN, null), toElement(record))
    }))
  })

  it.each(["", "<vps:machine/>", "<vps:machine>text</vps:machine>"])(
    "is absent from %s",
    (element) => assert.isUndefined(fromElement(element))
  )

  it("of an earlier version has no IPv6 address", () => {
    const { ipv6: _, ...earlier } = RECORD
    assert.deepStrictEqual(fromElement(toElement(earlier as MachineRecord)), RECORD)
  })

  it("has the same UUID on every host, and a MAC for each address", () => {
    assert.match(uuidOf("instance-7"), /^[\da-f]{8}-[\da-f]{4}-5[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
    assert.notStrictEqual(uuidOf("instance-7"), uuidOf("instance-70"))
    assert.notStrictEqual(macOf("203.0.113.7"), macOf("203.0.113.70"))
  })

  it("remembers the latest keys", () => {
    let keys: ReadonlyArray<string> = []
    for (let key = 0; key < 100; key++) keys = remember(keys, String(key))
    assert.deepStrictEqual([keys.length, keys[0]], [32, "99"])
    assert.deepStrictEqual(remember(["a", "b"], "b"), ["b", "a"])
  })
})

describe("a machine's definition", () => {
  it("filters its address, and boots from the disk", () => {
    const xml = domainXml(RECORD, PLACE, SCREEN, null)
    assert.include(xml, `<filterref filter="vps-clean-traffic-ipv4-2"><parameter name="IP" value="203.0.113.7"/>`)
    assert.include(xml, `<boot dev="hd"/><boot dev="cdrom"/>`)
    assert.include(xml, `volume="instance-7.seed.iso"`)
    assert.include(xml, `<domain type="kvm">`)
  })

  it("filters its IPv6 address, too", () => {
    const xml = domainXml({ ...RECORD, ipv6: "2001:db8::1:7" }, PLACE, SCREEN, "2001:db8::1")
    assert.include(xml, `<filterref filter="vps-clean-traffic-2"><parameter name="IP" value="203.0.113.7"/>`)
    assert.include(xml, `<parameter name="IPV6" value="2001:db8::1:7"/>`)
    // 52:54:cb:00:71:07
    assert.include(xml, `<parameter name="LINK_LOCAL" value="fe80::5054:cbff:fe00:7107"/>`)
    assert.include(xml, `<parameter name="GATEWAY6" value="2001:db8::1"/>`)
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
    assert.include(xml, `<boot dev="cdrom"/><boot dev="hd"/>`)
    assert.include(xml, `volume="image-rescue.iso"`)
    assert.notInclude(xml, `volume="other.iso"`)
    assert.include(xml, `volume="${RECORD.disk}"`)
    assert.notInclude(xml, "seed.iso")
  })

  it("has a screen on a Unix socket, or on an address with a password that has expired", () => {
    assert.include(domainXml(RECORD, PLACE, SCREEN, null), `<graphics type="vnc"><listen type="socket"/></graphics>`)
    const one = screenXml("10.0.0.2")
    const live = "<disk a='address'/><graphics type='vnc' port='5900' listen='10.0.0.2' passwd='x'>"
      + "<listen type='address' address='10.0.0.2'/></graphics><address type='pci'/>"
    assert.strictEqual(withScreenAt(live, "10.0.0.3"), live.replaceAll("10.0.0.2", "10.0.0.3"))
    assert.strictEqual(withScreenAt("<domain/>", "10.0.0.3"), "<domain/>")
    assert.match(one, / passwd="[\w-]{8}" passwdValidTo="1970-01-01T00:00:00"/)
    assert.include(one, `<listen type="address" address="10.0.0.2"/>`)
    assert.notStrictEqual(one, screenXml("10.0.0.2"))
    assert.include(
      tcpScreen("10.0.0.2", "secret12", Date.UTC(2026, 0, 2, 3, 4, 5, 678)),
      `passwd="secret12" passwdValidTo="2026-01-02T03:04:05"`
    )
  })

  it("escapes names", () => {
    assert.include(domainXml(RECORD, { ...PLACE, bridge: `br"0<` }, SCREEN, null), `<source bridge="br&#34;0&#60;"/>`)
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
  ])("%i is %s", (code, tag) => assert.strictEqual(asFault(error(code))._tag, tag))

  it.each(Object.values(CODES))("%i shows customers nothing of the host", (code) => {
    assert.notMatch(asFault(error(code)).reason, /var.lib|define/)
  })

  it("that is a lost connection leaves the outcome unknown", () =>
    assertLike(asFault(new ConnectionLost("/run/x")), {
      _tag: "Unavailable",
      reason: "the connection to its host was lost"
    }))
})
