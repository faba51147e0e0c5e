/** A machine that attacks its neighbors, on its own host and on another one: packets as no honest system sends them. */
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { linkLocalOf, macOf } from "#service/provisioning/drivers/libvirt/MachineRecord"
import { spawn } from "node:child_process"
import { setTimeout } from "node:timers/promises"
import * as Frames from "./Frames.ts"
import { type Host, noHosts, reason, startHost } from "./Host.ts"
import { RealService } from "./RealService.ts"
import { blocksWith, PAGE, runShell } from "./Script.ts"
import { until } from "../support/until.ts"

const TIMEOUT = 200_000
const GATEWAY = "2001:db8::1"
const ALL_NODES = { to: "ff02::1", toMac: "33:33:00:00:00:01" }
const BROADCAST = { to: "255.255.255.255", toMac: "ff:ff:ff:ff:ff:ff" }

interface Machine {
  readonly host: Host
  readonly ipv4: string
  readonly ipv6: string
  readonly mac: string
}

describe.skipIf(noHosts !== undefined)(`neighbors${reason}`, () => {
  let service: RealService
  let [alpha, beta]: ReadonlyArray<Host> = []
  let gatewayMac = ""
  /** The attackers, of which one has no IPv6, and the victims: on the host of the attackers, and on the other one. */
  let [plain, attacker, near, far]: ReadonlyArray<Machine> = []

  const machine = async (hostname: string): Promise<Machine> => {
    const id = await service.buy({ hostname })
    const { ipv4 } = await service.settled(id)
    const host = [alpha!, beta!].find((each) => each.exec("virsh", "list", "--name").includes(service.tag(id)))!
    return { host, ipv4, ipv6: `2001:db8::1:${id.toString(16)}`, mac: macOf(ipv4) }
  }

  beforeAll(async () => {
    service = new RealService()
    await service.open()
    alpha = startHost("alpha")
    beta = startHost("beta", 250)
    alpha.link(beta)
    await service.addHost(alpha)
    plain = await machine("plain")
    await service.admin("addresses.add", { network: "2001:db8::/64", gateway: GATEWAY, data_center: "Helsinki" })
    attacker = await machine("attacker")
    near = await machine("near")
    await service.addHost(beta)
    far = await machine("far")
    gatewayMac = alpha.exec("cat", "/sys/class/net/br0/address")
    // It is the router of the machines.
    alpha.exec("sysctl", "-qw", "net.ipv6.conf.all.forwarding=1", "net.ipv6.conf.br0.forwarding=1")
  }, TIMEOUT)
  afterAll(async () => {
    await service.close()
    for (const host of [alpha, beta]) host?.stop()
  })

  const inside = ({ ipv4 }: Machine, command: string) => service.ssh(alpha!, ipv4, command).output.trim()
  const attack = (from: Machine, ...frames: ReadonlyArray<Buffer>) =>
    assert.strictEqual(inside(from, Frames.sending(...frames)), "sent")
  const route = (from: Machine, to: Machine) => ({ from: from.ipv6, to: to.ipv6, fromMac: from.mac, toMac: to.mac })
  /** The MAC that a machine uses for an address, after it has used it. */
  const macAt = (at: Machine, address: string) => {
    inside(at, `ping6 -c 1 -W 2 ${address} > /dev/null`)
    return /lladdr (\S+)/.exec(inside(at, `ip -6 neigh show ${address}`))?.[1]
  }
  /** On a busy machine, a system checks its own address for a while before it answers. */
  const reaches = (from: Machine, address: string) =>
    inside(from, `for try in 1 2 3 4 5 6; do ping6 -c 1 -W 5 ${address} > /dev/null && echo yes && break; done`)
  const victims = () => [near!, far!] as const

  it("has victims on both hosts, which reach each other through the router", { timeout: TIMEOUT }, () => {
    assert.deepStrictEqual([attacker!.host, near!.host, far!.host].map(({ name }) => name), ["alpha", "alpha", "beta"])
    for (const victim of victims()) assert.strictEqual(reaches(victim, attacker!.ipv6), "yes")
    assert.strictEqual(reaches(near!, far!.ipv6), "yes")
  })

  it("one packet does not take the address of the router over, nor of another machine", { timeout: TIMEOUT }, () => {
    const linkLocal = linkLocalOf(attacker!.ipv4)
    for (const victim of victims()) {
      assert.strictEqual(macAt(victim, GATEWAY), gatewayMac)
      const to = route(attacker!, victim)
      for (const source of [attacker!.ipv6, linkLocal, GATEWAY, "fe80::1"]) {
        attack(
          attacker!,
          Frames.neighborAdvertisement({ ...to, from: source }, GATEWAY),
          Frames.neighborAdvertisement({ ...to, ...ALL_NODES, from: source }, GATEWAY),
          Frames.neighborSolicitation({ ...to, from: GATEWAY }, victim.ipv6)
        )
      }
      assert.strictEqual(/lladdr (\S+)/.exec(inside(victim, `ip -6 neigh show ${GATEWAY}`))?.[1], gatewayMac)
      assert.strictEqual(macAt(victim, GATEWAY), gatewayMac)
    }
  })

  it("does not become a router by its own advertisement", { timeout: TIMEOUT }, () => {
    const linkLocal = linkLocalOf(attacker!.ipv4)
    attack(attacker!, Frames.routerAdvertisement({ ...route(attacker!, near!), ...ALL_NODES, from: linkLocal }))
    for (const victim of victims()) assert.notInclude(inside(victim, "ip -6 route"), linkLocal)
  })

  /** The texts of the datagrams that arrive. */
  const received = async (
    at: Machine,
    ports: ReadonlyArray<number>,
    version: 4 | 6,
    from: Machine,
    frames: ReadonlyArray<Buffer>
  ): Promise<string> => {
    const listener = `ssh -i ${service.key.privateKey} -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null `
      + `-o LogLevel=ERROR root@${at.ipv4}`
    const child = spawn("bash", [
      new URL("host.sh", import.meta.url).pathname,
      "exec",
      alpha!.folder,
      ...listener.split(" "),
      Frames.receiving(ports, version)
    ])
    let output = ""
    child.stdout.on("data", (data: Buffer) => {
      output += data.toString()
    })
    const ended = new Promise((resolve) => child.on("close", resolve))
    await setTimeout(1_000)
    attack(from, ...frames)
    await ended
    return output.trim()
  }

  it("a DHCP server reaches no other machine, also one without IPv6", { timeout: TIMEOUT }, async () => {
    for (const from of [plain!, attacker!]) {
      for (const victim of victims()) {
        const to = { from: from.ipv4, to: victim.ipv4, fromMac: from.mac, toMac: victim.mac }
        const at68 = [[67, 68], [1_000, 68]].flatMap(([one, other]) => [
          Frames.datagram(to, [one!, other!], "offer"),
          Frames.datagram({ ...to, ...BROADCAST }, [one!, other!], "offer")
        ])
        const others = [Frames.datagram(to, [67, 1_001], "offer"), Frames.datagram(to, [1_000, 1_001], "other")]
        assert.strictEqual(await received(victim, [68, 1_001], 4, from, [...at68, ...others]), "1001 other")
      }
    }
  })

  it("nor does a DHCPv6 server", { timeout: TIMEOUT }, async () => {
    for (const victim of victims()) {
      const to = route(attacker!, victim)
      const linkLocal = { ...to, from: linkLocalOf(attacker!.ipv4), to: linkLocalOf(victim.ipv4) }
      const at546 = [to, linkLocal].flatMap((way) => [
        Frames.datagram(way, [547, 546], "reply"),
        Frames.datagram(way, [1_000, 546], "reply")
      ])
      const others = [Frames.datagram(to, [547, 1_001], "reply"), Frames.datagram(linkLocal, [1_000, 1_001], "other")]
      assert.strictEqual(await received(victim, [546, 1_001], 6, attacker!, [...at546, ...others]), "1001 other")
    }
  })

  it("the router ignores what is claimed of a machine once it knows its MAC", { timeout: TIMEOUT }, () => {
    const router = { from: attacker!.ipv6, to: GATEWAY, fromMac: attacker!.mac, toMac: gatewayMac }
    const known = () => /lladdr (\S+)/.exec(alpha!.exec("ip", "-6", "neigh", "show", far!.ipv6))?.[1]
    inside(far!, `ping6 -c 1 -W 5 ${GATEWAY} > /dev/null`)
    attack(attacker!, Frames.neighborAdvertisement(router, far!.ipv6))
    // No filter of the machines' host keeps it from that.
    assert.strictEqual(known(), attacker!.mac)
    const [list, load] = blocksWith(PAGE, "addresses neighbors")[0]!.split("|\n")
    const listed = runShell(list!, service.folder, { VPS_SERVICE_DATABASE: service.database })
    alpha!.exec("bash", "-c", `echo '${listed}' | ${load!.trim()}`)
    attack(attacker!, Frames.neighborAdvertisement(router, far!.ipv6))
    assert.strictEqual(known(), far!.mac)
    // Those of the others are right, too.
    assert.strictEqual(reaches(near!, far!.ipv6), "yes")
  })

  it("the documented rules close the ports of the host, and not its routes", { timeout: TIMEOUT }, async () => {
    const server = spawn("bash", [
      new URL("host.sh", import.meta.url).pathname,
      "exec",
      alpha!.folder,
      "perl",
      "-MIO::Socket::INET",
      "-e",
      `$s = IO::Socket::INET->new(LocalPort => 2222, Listen => 5);`
      + ` while ($c = $s->accept) { print $c "open"; undef $c }`
    ])
    const open = (address: string) => inside(near!, `echo | nc -w 3 ${address} 2222`)
    await until(() => open("203.0.113.1"), (said) => said === "open", { millis: 20_000 })
    alpha!.exec("bash", "-ec", blocksWith(PAGE, "-A INPUT")[0]!)
    assert.notStrictEqual(open("203.0.113.1"), "open")
    assert.strictEqual(reaches(near!, far!.ipv6), "yes")
    server.kill()
  })
})
