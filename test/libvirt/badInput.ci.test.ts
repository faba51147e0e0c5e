/** Wrong input and failures on a real host: each has a message with cause and remedy, and leaves nothing half-made. */
import { spawnSync } from "node:child_process"
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { hash } from "node:crypto"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { ROOT } from "../support/consumer.ts"
import { type Host, noHosts, reason, startHost } from "./Host.ts"
import { RealService } from "./RealService.ts"
import { rejection } from "../support/rejection.ts"
import { assertLike, containing } from "../support/like.ts"

const TIMEOUT = 200_000

describe.skipIf(noHosts !== undefined)(`on a real host${reason}`, () => {
  const certificates = mkdtempSync(join(tmpdir(), "vps-tls-"))
  let [alpha, beta]: ReadonlyArray<Host> = []
  let service: RealService

  beforeAll(async () => {
    const script = fileURLToPath(new URL("tls.sh", import.meta.url))
    spawnSync(script, [certificates, "alpha=10.90.0.1", "beta=10.90.0.250"])
    alpha = startHost("alpha", 1, { certificates })
    beta = startHost("beta", 250, { certificates })
    alpha.link(beta)
    service = new RealService({
      VPS_SERVICE_LIBVIRT_AGENT_MILLIS: "500",
      VPS_SERVICE_EXPIRY_GRACE_MILLIS: "0"
    })
    await service.open()
  }, TIMEOUT)
  afterAll(async () => {
    await service.close()
    alpha!.stop()
    beta!.stop()
    rmSync(certificates, { recursive: true, force: true })
  })

  /** A folder of certificates as the service reads it. */
  const folderOf = (name: string, authority = "ca-cert.pem") => {
    const folder = join(certificates, `${name}-${authority}`)
    mkdirSync(folder, { recursive: true })
    copyFileSync(join(certificates, authority), join(folder, "cacert.pem"))
    copyFileSync(join(certificates, `${name}-cert.pem`), join(folder, "clientcert.pem"))
    copyFileSync(join(certificates, `${name}-key.pem`), join(folder, "clientkey.pem"))
    return folder
  }

  /** `hosts check` for a database of its own, from the other host, over the cable between both. */
  const connectBy = (folder: string, uri = "tls:10.90.0.1:16514", before: ReadonlyArray<string> = []) => {
    const program = `
      import * as Effect from "effect/Effect"
      import { connectTo } from "#service/provisioning/drivers/libvirt/HostConnection"
      import { PROCEDURES } from "#service/provisioning/drivers/libvirt/rpc/Procedures"
      const limits = { LIBVIRT_CALL_MILLIS: 20000, LIBVIRT_COPY_MILLIS: 20000, LIBVIRT_KEEPALIVE_MILLIS: 5000 }
      const session = connectTo(${JSON.stringify(uri)}, ${JSON.stringify(folder)}, limits)
      const call = session.call(PROCEDURES.hostname, [])
      const outcome = Effect.match(call, { onSuccess: (name) => name, onFailure: ({ message }) => message })
      console.log(await Effect.runPromise(outcome))
      session.close()`
    const node = [process.execPath, "--conditions=pulumi-vps-source", "--input-type=module", "-e", program]
    return beta!.tryExec(...before, "env", "-C", ROOT, ...node).output.trim()
  }

  it("a certificate of the own authority is accepted by TLS between two hosts, and others say what is wrong", () => {
    assert.strictEqual(connectBy(folderOf("service")), "alpha")
    assert.include(
      connectBy(folderOf("stranger")),
      "rejected the certificate. Check that the daemon's tls_allowed_dn_list"
    )
    assert.match(connectBy(folderOf("service", "stranger-cert.pem")), /Check both certificates and their authority/)
    assert.match(connectBy(folderOf("service"), "tls:10.90.0.1:16515"), /ECONNREFUSED.*correct the URI/)
    const nobody = ["setpriv", "--reuid=65534", "--clear-groups"]
    assert.match(connectBy("", `unix:/run/libvirt/libvirt-sock`, nobody), /EACCES.*group that owns the socket/)
  })

  it(
    "a missing pool, a pool without space, and a missing bridge are named, and nothing stays",
    { timeout: TIMEOUT },
    async () => {
      const place = {
        data_center: "Helsinki",
        bridge: "br0",
        accelerator: "qemu",
        overcommit: 8,
        reserved_mib: 0
      } as const
      const input = { ...place, name: "alpha", uri: `unix:${alpha!.socket}`, pool: "default" }
      assert.include(
        (await rejection(service.admin("hosts.add", input))).message,
        "has no storage pool \"default\". Create it with"
      )
      alpha!.exec("bash", "-ec", "mkdir -p /run/small && mount -t tmpfs -o size=4m tmpfs /run/small")
      alpha!.exec("virsh", "pool-create-as", "default", "dir", "--target", "/run/small")
      await service.admin("hosts.add", { ...input, bridge: "br9" })
      const file = service.guest.disk
      const image = { name: "debian-12", kind: "disk", file, sha256: hash("sha256", readFileSync(file)) } as const
      assert.match(
        (await rejection(service.admin("images.import", image))).message,
        /has \d MiB left, and the file needs \d+ MiB, and \d+ MiB stay free\. Free/
      )
      assert.include(
        (await rejection(service.admin("images.import", { ...image, sha256: "0".repeat(64) }))).message,
        "Download it again"
      )
      const checks = await service.admin("hosts.check", { name: "alpha" })
      const failed = checks.filter(({ ok }) => !ok).map(({ check, detail }) => [check, detail])
      assertLike(failed, [
        ["images", containing("Run \"images import\"")],
        ["trial machine", containing("Check that the bridge \"br9\" exists")],
        ["space", containing("No disk can be sold: 0 GiB are promised to instances")]
      ])
      assert.strictEqual(alpha!.exec("virsh", "list", "--all", "--name").trim(), "")
      assert.notInclude(alpha!.exec("virsh", "vol-list", "default"), "image-")
      await service.admin("hosts.drain", { name: "alpha" })
    }
  )

  it("an image that never boots is refunded with the reason; without its agent, a guest's password stays", {
    timeout: TIMEOUT
  }, async () => {
    await service.addHost(beta!)
    const id = await service.buy()
    const { ipv4, status } = await service.settled(id)
    assert.strictEqual(status, "running")
    await service.reaches(beta!, ipv4, "killall qemu-ga; echo stopped", "stopped")
    const { body, status: code } = await service.call("POST", `/instances/${id}/reset-password`)
    assertLike([code, body.detail], [
      502,
      containing("Install and start qemu-guest-agent in it")
    ])

    const empty = join(service.folder, "empty.qcow2")
    spawnSync("qemu-img", ["create", "-q", "-f", "qcow2", empty, "64M"])
    const image = { name: "debian-12", kind: "disk", file: empty, host: "beta" } as const
    await service.admin("images.import", { ...image, sha256: hash("sha256", readFileSync(empty)) })
    await service.process.end()
    await service.start({ VPS_SERVICE_LIBVIRT_BOOT_MILLIS: "3000" })
    const never = await service.buy()
    const tasks = await service.ended(never)
    assertLike(tasks.find(({ type }) => type === "provision"), {
      status: "failed",
      error: containing("has not booted within 3000 ms: neither its guest agent nor its SSH server")
    })
    assert.strictEqual((await service.call("GET", `/instances/${never}`)).body.status, "failed")
    const statement = await service.admin("wallet.statement", { account_id: 1, limit: 100 })
    assert.strictEqual(statement.reduce((sum, { amount }) => sum + amount, 0), 999)
    assert.strictEqual(beta!.exec("virsh", "list", "--all", "--name").trim(), service.tag(id))
    assert.notInclude(beta!.exec("virsh", "vol-list", "default"), `${service.tag(never)}.`)
    assert.deepStrictEqual(
      (await service.admin("machines.audit", { repair: false })).filter(({ kind }) => kind !== "disk"),
      []
    )
  })
})
