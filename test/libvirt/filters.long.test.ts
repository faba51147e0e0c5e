/** Filters that an operator or another program removes from a guest that runs: they are found, and set again. */
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { assertLike } from "../support/like.ts"
import { type Host, noHosts, reason, startHost } from "./Host.ts"
import { RealService, until } from "./RealService.ts"

const TIMEOUT = 200_000
const FOREIGN = "203.0.113.77"

describe.skipIf(noHosts !== undefined)(`a filter that is removed${reason}`, () => {
  let host: Host
  let service: RealService
  let id = 0
  let address = ""

  beforeAll(async () => {
    host = startHost("alpha")
    service = new RealService({ VPS_SERVICE_HOST_CHECK_MILLIS: "1000" })
    await service.open()
    await service.addHost(host)
    id = await service.buy()
    address = (await service.settled(id)).ipv4
    await service.reaches(host, address, `ip addr add ${FOREIGN}/24 dev eth0 && echo added`, "added")
  }, TIMEOUT)
  afterAll(async () => {
    await service.close()
    host.stop()
  })

  const port = () => /vnet\d+/.exec(host.exec("virsh", "domiflist", service.tag(id)))![0]
  /** Chains of the kernel for the guest's port on the bridge. */
  /** The number of chains; -1 while libvirt writes them, which ends the listing with an error. */
  const chains = () => {
    const { output, status } = host.tryExec("ebtables", "-t", "nat", "-L")
    return status === 0 ? output.match(/Bridge chain: \S+-vnet\d+/g)?.length ?? 0 : -1
  }
  /** The guest sends from an address that it does not have. */
  const spoofs = () =>
    service.ssh(host, address, `ping -c 2 -W 2 -I ${FOREIGN} 203.0.113.1`).output.includes("bytes from")
  const audit = () => service.admin("machines.audit", { repair: true })
  const found = [{ kind: "unprotected", repair: "protect", repaired: true }]

  it("protects the others at first", { timeout: TIMEOUT }, async () => {
    assert.isAbove(chains(), 2)
    assert.isFalse(spoofs())
    assert.deepStrictEqual(await audit(), [])
  })

  it("from the host is found by the audit, and protects the others again", { timeout: TIMEOUT }, async () => {
    host.exec("virsh", "nwfilter-binding-delete", port())
    assert.strictEqual(chains(), 0)
    assert.isTrue(spoofs())
    assertLike(await audit(), found)
    assert.isAbove(chains(), 2)
    assert.isFalse(spoofs())
    assert.deepStrictEqual(await audit(), [])
  })

  it("from the guest's network card is found by the audit, and is set again", { timeout: TIMEOUT }, async () => {
    const script = `virsh dumpxml ${
      service.tag(id)
    } --xpath //interface | sed '/<filterref/,/<\\/filterref>/d' > /run/card
      virsh update-device ${service.tag(id)} /run/card --live`
    host.exec("bash", "-ec", script)
    assert.isTrue(spoofs())
    assertLike(await audit(), found)
    assert.isFalse(spoofs())
    assert.deepStrictEqual(await audit(), [])
  })

  it(
    "from the kernel, as by a firewall that is reloaded, is set again after a while",
    { timeout: TIMEOUT },
    async () => {
      const before = chains()
      await service.process.end()
      // The other cases have no renewal that comes between.
      await service.start({ VPS_SERVICE_LIBVIRT_FILTER_MILLIS: "5000" })
      host.exec("bash", "-ec", "ebtables -t nat -F; ebtables -t nat -X")
      // libvirt does not know that the rules are gone, so only time helps.
      await until(spoofs, (isPossible) => !isPossible, 60_000)
      await until(chains, (count) => count === before, 60_000)
      assert.deepStrictEqual(await audit(), [])
    }
  )
})
