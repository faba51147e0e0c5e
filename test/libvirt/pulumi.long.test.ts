/** `pulumi up`, a change, and `destroy` against a real machine. */
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type CliStack, hasPulumi, pulumiCli } from "../engine/PulumiCli.ts"
import { type Host, noHosts, reason, startHost } from "./Host.ts"
import { RealService } from "./RealService.ts"
import { assertLike } from "../support/like.ts"

const TIMEOUT = 300_000
const missing = hasPulumi ? reason : " (needs pulumi)"

describe.skipIf(noHosts !== undefined || !hasPulumi)(`pulumi on libvirt${missing}`, () => {
  let host: Host
  let service: RealService
  let stack: CliStack

  beforeAll(async () => {
    service = new RealService()
    await service.open()
    host = startHost("alpha")
    await service.addHost(host)
    stack = await pulumiCli({ VPS_BASE_URL: service.process.url, VPS_API_KEY: service.apiKey })
  }, TIMEOUT)
  afterAll(async () => {
    await stack.dispose()
    await service.close()
    host.stop()
  })

  const run = async (verb: "up" | "preview" | "destroy", inputs: string) => {
    stack.program(`import { Instance } from "pulumi-vps/provider"
      export const web = new Instance("web", { os: "debian-12", sshPublicKey: ${JSON.stringify(service.key.publicKey)},
        deletionPolicy: "stop", ${inputs} })`)
    const { code, output } = await stack.run(verb)
    if (code !== 0) throw new Error(output)
    return output
  }

  /** The numbers of charges, instances, machines and assigned addresses. */
  const counts = async () => {
    const statement = await service.admin("wallet.statement", { account_id: 1, limit: 100 })
    return [
      statement.filter(({ kind }) => kind === "instance_create").length,
      (await service.call("GET", "/instances")).body.length,
      host.exec("virsh", "list", "--all", "--name").split("\n").filter((name) => name !== "").length,
      (await service.admin("addresses.list", {}))[0]!.assigned
    ]
  }

  it("buys one machine, changes it in place, and stops it", { timeout: TIMEOUT }, async () => {
    const small = `serviceId: 1, hostname: "web.example.com"`
    await run("up", small)
    const [{ ipv4 }] = (await service.call("GET", "/instances")).body
    await service.reaches(host, ipv4, "hostname; nproc; echo mine > /disk/mark; sync", "web.example.com\n1")
    assert.deepStrictEqual(await counts(), [1, 1, 1, 1])

    const large = `serviceId: 2, hostname: "www.example.com"`
    await run("up", large)
    await service.reaches(host, ipv4, "hostname; nproc; cat /disk/mark", "www.example.com\n2\nmine")
    assert.match(await run("preview", large), /Resources:\n {4}\d+ unchanged/)

    await run("destroy", large)
    assert.strictEqual(host.exec("virsh", "list", "--name"), "")
    assertLike((await service.call("GET", "/instances")).body, [{ status: "stopped" }])
    assert.deepStrictEqual(await counts(), [1, 1, 1, 1])
    assert.deepStrictEqual(await service.admin("machines.audit", { repair: false }), [])
  })
})
