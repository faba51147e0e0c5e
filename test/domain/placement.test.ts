/** The networks of addresses, and the choice of a host. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { parseNetwork, toAddress, toNumber, usable } from "#service/domain/IpAddress"
import { fits, type HostLoad, place } from "#service/domain/Placement"
import { HOST_STATES } from "#service/contract/Words"

describe("a network", () => {
  it.each([["203.0.113.0/30", ["203.0.113.2"]], ["203.0.113.8/31", ["203.0.113.9"]], ["10.0.0.0/29", [
    "10.0.0.2",
    "10.0.0.3",
    "10.0.0.4",
    "10.0.0.5",
    "10.0.0.6"
  ]]])("%s has addresses for machines", (text, addresses) => {
    const network = parseNetwork(text)!
    const gateway = text === "203.0.113.8/31" ? network.first : network.first + 1
    assert.deepStrictEqual(usable(network, gateway), addresses)
  })

  it.each(["203.0.113.1/24", "203.0.113.0", "203.0.113.0/33", "2001:db8::/64", "01.0.0.0/8", "a/8", "1.2.3.0/24/1"])(
    "%s is rejected",
    (text) => assert.isUndefined(parseNetwork(text))
  )

  it("has addresses that are numbers", () => {
    fc.assert(fc.property(fc.ipV4(), (address) => assert.strictEqual(toAddress(toNumber(address)), address)))
  })
})

const size = (max: number) =>
  fc.record({
    cpus: fc.integer({ min: 1, max }),
    memoryMib: fc.integer({ min: 1, max }),
    diskGib: fc.integer({ min: 1, max })
  })

const hostsOf = fc.array(fc.record({ state: fc.constantFrom(...HOST_STATES), capacity: size(64) }), { maxLength: 6 })
  .map(
    (hosts) =>
      hosts.map((host, id): HostLoad => ({
        ...host,
        id,
        used: { cpus: 0, memoryMib: 0, diskGib: 0 },
        diskLeftGib: null
      }))
  )

const add = (host: HostLoad, { cpus, diskGib, memoryMib }: HostLoad["capacity"]): HostLoad => ({
  ...host,
  used: {
    cpus: host.used.cpus + cpus,
    memoryMib: host.used.memoryMib + memoryMib,
    diskGib: host.used.diskGib + diskGib
  }
})

describe("placement", () => {
  it("never exceeds a host, uses active hosts only, and finds a host if one fits", () => {
    fc.assert(fc.property(hostsOf, fc.array(size(16), { maxLength: 40 }), (initial, machines) => {
      let hosts: ReadonlyArray<HostLoad> = initial
      const own = new Map<number, number>()
      for (const machine of machines) {
        const chosen = place(hosts, machine, own)
        assert.strictEqual(chosen !== undefined, hosts.some((host) => fits(host, machine)))
        if (chosen === undefined) continue
        hosts = hosts.map((host) => host === chosen ? add(host, machine) : host)
        own.set(chosen.id, (own.get(chosen.id) ?? 0) + 1)
      }
      for (const { capacity, state, used } of hosts) {
        assert.isTrue(used.cpus <= capacity.cpus && used.memoryMib <= capacity.memoryMib)
        assert.isTrue(used.diskGib <= capacity.diskGib)
        assert.isTrue(state === "active" || used.cpus === 0)
      }
    }))
  })

  const host = (id: number, memoryMib: number): HostLoad => ({
    id,
    state: "active",
    capacity: { cpus: 8, memoryMib, diskGib: 100 },
    used: { cpus: 0, memoryMib: 0, diskGib: 0 },
    diskLeftGib: null
  })
  const small = { cpus: 1, memoryMib: 1, diskGib: 1 }

  it("takes no disk that its storage has no space for, but other changes", () => {
    const tight = { ...host(1, 10), diskLeftGib: 4 }
    assert.deepStrictEqual([4, 5].map((diskGib) => fits(tight, { ...small, diskGib })), [true, false])
    const full = { ...tight, diskLeftGib: -3 }
    assert.deepStrictEqual([0, 1].map((diskGib) => fits(full, { ...small, diskGib })), [true, false])
    assert.strictEqual(place([full, host(2, 5)], small, new Map())!.id, 2)
  })

  it("prefers a host without machines of the customer, then the one with most free memory", () => {
    const hosts = [host(1, 10), host(2, 30), host(3, 20)]
    assert.strictEqual(place(hosts, small, new Map())!.id, 2)
    assert.strictEqual(place(hosts, small, new Map([[2, 1]]))!.id, 3)
    assert.strictEqual(place(hosts, small, new Map([[1, 1], [2, 1], [3, 1]]))!.id, 2)
  })
})
