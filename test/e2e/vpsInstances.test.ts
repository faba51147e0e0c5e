/** `vps instance` and the commands for an instance's disk and network, as processes against the real service. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type ServiceProcess, startService } from "../support/serviceProcess.ts"
import { control, credentials, requestsOf, runVps, startVps, vpsOf } from "../support/vps.ts"
import { assertLike, containing } from "../support/like.ts"

let service: ServiceProcess
let folder: string
const { json, run } = vpsOf(() => service)
const KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJx0fSQm2t1wXGxjC5mV0m0d2Yc8nGZ9mYx1eM8bU0aC you@machine"

/** Buys an instance and returns its ID. */
const bought = async (): Promise<number> => Number((await run("instance create --plan vps-s --wait -o id")).stdout)

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "pulumi-vps-command-"))
  service = await startService("--emulator")
  await control(service, "PUT", "/deploy", { mode: "instant" })
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await service.end()
})

describe("vps instance create", () => {
  it("a dry run shows the charge and buys nothing", async () => {
    const { code, stderr, stdout } = await run("instance create --plan vps-m --coupon WELCOME10 --dry-run")
    assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
    assert.match(stdout, /^Plan +VPS M \(ID 2\)\nCharge now +8\.99 EUR\nDiscount +1\.00 EUR\n/)
    assert.strictEqual((await run("instance list")).stdout, "none\n")
  })
  it("--max-charge refuses a higher charge, and buys nothing", async () => {
    const refused = await run("instance create --plan vps-m --max-charge 9.98EUR")
    assertLike(refused, { code: 1, stdout: "" })
    assert.include(refused.stderr, "This costs 9.99 EUR, but at most 9.98 EUR may be charged")
    assert.strictEqual((await run("instance create --plan vps-m --max-charge 9.98")).code, 2)
    assert.strictEqual((await run("instance list")).stdout, "none\n")
  })
  it("buys, waits, and reports the progress", async () => {
    const file = join(folder, "id.pub")
    writeFileSync(file, `${KEY}\n`)
    const { code, stderr, stdout } = await run(
      `instance create --plan vps-s --hostname web.example.com --os debian-13 --ssh-key ${file} --wait`
    )
    assert.strictEqual(code, 0)
    assert.match(stdout, /^Instance +\d+\nHostname +web\.example\.com\nStatus +running\nPlan +VPS S \(vps-s, ID 1\)\n/)
    assert.match(stdout, /\nImage +debian-13\nIPv4 +198\.18\.\d+\.\d+\nIPv6 +2001:db8:/)
    assert.match(stdout, /\nPrice +4\.99 EUR monthly\n/)
    assert.match(stderr, /^Instance \d+ is running\n$/)
  })
  it("the same key buys once, with a note", async () => {
    const first = await json("instance create --plan 1 --idempotency-key once-1")
    const again = await run("instance create --plan 1 --idempotency-key once-1 -o id")
    assert.deepStrictEqual(again, {
      code: 0,
      stdout: `${first.id}\n`,
      stderr: `Instance ${first.id} was already bought with this key. Nothing was charged.\n`
    })
    const other = await run("instance create --plan 2 --hostname other.example.com --idempotency-key once-1")
    assertLike(other, { code: 1, stdout: "" })
    assert.include(
      other.stderr,
      `has already bought instance ${first.id} with another order (hostname, service_id). Nothing was bought.`
    )
  })
  it("an unknown plan suggests similar ones, and costs one request", async () => {
    const before = await requestsOf(service)
    const { code, stderr } = await run("instance create --plan vps-xxl")
    assert.strictEqual(code, 3)
    assert.include(stderr, "Did you mean vps-l, vps-m or vps-s?")
    assert.strictEqual(await requestsOf(service) - before, 1)
  })
  it("a private key is never sent", async () => {
    const file = join(folder, "id")
    writeFileSync(file, "-----BEGIN OPENSSH PRIVATE KEY-----\n")
    writeFileSync(`${file}.pub`, KEY)
    const { code, stderr } = await run(`instance create --plan 1 --ssh-key ${file}`)
    assert.strictEqual(code, 2)
    assert.strictEqual(stderr, `vps: ${file} is a private key. It was not sent. Did you mean ${file}.pub?\n`)
    assert.include(
      (await run("instance create --plan 1 --ssh-key nowhere.pub")).stderr,
      "--ssh-key is neither a public key nor a readable file: ENOENT"
    )
  })
})

describe("an instance", () => {
  let id: number
  beforeAll(async () => {
    id = await bought()
  })
  /** Runs a command that must succeed; returns its output. */
  const printed = async (line: string): Promise<string> => {
    const { code, stderr, stdout } = await run(line)
    return code === 0 ? stdout : `exit code ${code}: ${stderr}`
  }

  it("is shown by list and get", async () => {
    const { stdout } = await run("instance list")
    assert.match(stdout, /^ID {2}HOSTNAME +STATUS +IPV4 +PLAN +EXPIRES\n/)
    assert.match(stdout, new RegExp(`\\n *${id} +vps-${id} +running +198\\.18\\.[.\\d]+ +vps-s +\\S+ \\S+ UTC\\n`))
    assertLike(await json(`instance get ${id}`), { id, order: { service: { slug: "vps-s" } } })
  })
  it("is found by its hostname, too", async () => {
    const hostname = `vps-${id}`
    assertLike(await json(`instance get ${hostname}`), { id })
    assert.include(await printed(`instance status ${hostname.toUpperCase()}`), `Instance     ${id}\n`)
    assertLike(await run("instance get nobody.example.com"), { code: 3, stdout: "" })
  })
  it("list filters, sorts, and chooses columns", async () => {
    const two = `${await bought()}`
    assert.strictEqual(
      await printed(`instance list --filter hostname=vps-${id},vps-${two} --sort id:desc -o id`),
      `${two}\n${id}\n`
    )
    assert.strictEqual(
      await printed(`instance list --filter id=${id} --columns id,image,auto-renew --no-header`),
      `${id}  debian-12  yes\n`
    )
    assertLike(await run("instance list --columns id -o json"), {
      code: 2,
      stderr: containing("do not apply to -o json")
    })
    assertLike(await run("instance list --sort id:up"), { code: 2 })
  })
  it("--debug prints the requests, and not the key", async () => {
    const { stderr, stdout } = await run(`instance get ${id} -o id --debug`)
    assert.strictEqual(stdout, `${id}\n`)
    assert.match(
      stderr,
      new RegExp(
        `^debug: ${service.url} with the key from VPS_API_KEY\ndebug: GET /instances/${id}: 200, \\d+ ms, request ID`
      )
    )
    assert.notInclude(stderr, service.apiKey)
  })
  it("status, plans, and metrics show it", async () => {
    assert.include(await printed(`instance status ${id}`), "Power        on\n")
    assert.include(await printed(`instance plans ${id}`), "CHARGE NOW\n")
    await control(service, "POST", "/clock", { advance_ms: 600_000 })
    assert.include(await printed(`instance metrics ${id}`), "METRIC ")
    assert.strictEqual((await json(`instance metrics ${id} --range 6h`)).range, "6h")
  })
  it("is stopped, started and restarted; with --wait the command waits for it", async () => {
    assert.include(await printed(`instance stop ${id} --wait`), `Instance ${id}: stop is done, status stopped.`)
    assert.include(await printed(`instance start ${id} --wait`), `Instance ${id}: start is done, status running.`)
    assert.include(await printed(`instance restart ${id} --wait -o id`), `${id}\n`)
    assert.include(await printed(`instance start ${id}`), "start is done, status running.")
  })
  it("set-hostname, reset-password and rdns set change it", async () => {
    assert.strictEqual(
      await printed(`instance set-hostname ${id} b.example.com`),
      `Instance ${id}: set hostname is done, status running. Its hostname is b.example.com.\n`
    )
    assert.match((await json(`instance reset-password ${id}`)).password, /^\S{8,}$/)
    assert.include(await printed(`rdns set ${id} --ptr b.example.com --wait`), "resolves to b.example.com.")
  })
  it("reset-password rejects -o id, which would lose the password", async () => {
    assertLike(await run(`instance reset-password ${id} -o id`), {
      code: 2,
      stdout: "",
      stderr: containing("would not show the password")
    })
  })
  it("resize changes its plan by slug, and prints the charge", async () => {
    assert.include(
      await printed(`instance resize ${id} --plan vps-m --wait`),
      "resize is done, status running. Charged "
    )
    assertLike(await run(`instance resize ${id} --plan vps-m`), {
      code: 2,
      stderr: `vps: Instance ${id} is already on plan vps-m. Nothing was changed.\n`
    })
    assert.strictEqual(
      (await run(`instance resize ${id} --plan vps-m-hel`)).stderr,
      `vps: Plan vps-m-hel is in Helsinki, but instance ${id} is in Frankfurt, where it stays.\n`
        + "vps: Available: vps-s, vps-l.\n"
    )
    assert.include(
      (await run(`instance resize ${id} --plan ded-1`)).stderr,
      `vps: Instance ${id} cannot be resized to plan ded-1.\n`
    )
    assertLike(await run(`instance resize ${id} --plan 2 --yes`), { code: 1, stdout: "" })
  })
  it("tasks shows the feed, in pages", async () => {
    assert.include(await printed(`instance tasks ${id}`), "provision ")
    const page = await run(`instance tasks ${id} --limit 1 --offset 1`)
    assert.match(page.stdout, /\d+ older tasks: --offset 2\n$/)
    assert.match((await run(`instance tasks ${id} --limit 2 -o id`)).stdout, /^\d+\n\d+\n$/)
  })
  it("tasks --follow runs until interrupted: exit code 130", async () => {
    const following = startVps(["instance", "tasks", String(id), "--follow", "-o", "json"], credentials(service))
    await following.wrote("\"type\":\"provision\"")
    await run(`instance restart ${id}`)
    await following.wrote("\"type\":\"restart\",\"status\":\"succeeded\"")
    const { code, stdout } = await following.end("SIGINT")
    assert.strictEqual(code, 130)
    const changes = stdout.trimEnd().split("\n").map((line) => JSON.parse(line))
    assert.strictEqual(
      new Set(changes.map((task) => `${task.id} ${task.status} ${task.progress}`)).size,
      changes.length
    )
  })
  it("wait ends when no task is running", async () => {
    await run(`instance restart ${id}`)
    assertLike(await json(`instance wait ${id}`), { id, status: "running" })
  })
  it("enters and leaves its rescue system", async () => {
    assert.include(
      await printed(`rescue enter ${id} --wait`),
      `Instance ${id} booted from rescue, status rescue.\nIts console is at ${service.origin}/panel/instances/${id}\n`
    )
    assert.include(await printed(`rescue exit ${id}`), `Instance ${id} is restarting and boots from disk.`)
    assert.include(await printed(`rescue exit ${id} --wait`), `Instance ${id} booted from disk, status running.`)
  })
  it("has a drive, into which ISOs of the list are mounted", async () => {
    assert.include(await printed(`iso mount ${id} 2 --wait`), "iso mount is done")
    assert.include(await printed(`iso list ${id}`), "debian-netinst.iso  650 MiB  yes\n")
    assert.include(await printed(`iso unmount ${id} --wait`), "iso unmount is done")
  })
  it("has snapshots, which are created, listed, restored and deleted", async () => {
    const { snapshot } = await json(`snapshot create ${id} --name first --wait`)
    assertLike(snapshot, { name: "first", status: "available" })
    assert.include(await printed(`snapshot list ${id}`), "first  available")
    assert.include(await printed(`snapshot restore ${id} ${snapshot.id} --yes --wait`), "snapshot restore is done")
    assert.include(await printed(`snapshot delete ${id} ${snapshot.id} --yes --wait`), "snapshot delete is done")
    assert.strictEqual((await run(`snapshot list ${id}`)).stdout, "none\n")
  })
  it("is restored from its nightly backup, which is listed", async () => {
    await control(service, "POST", "/clock", { advance_ms: 2 * 86_400_000 })
    const [backup] = (await run(`backup list ${id} -o id`)).stdout.split("\n")
    assert.match(backup!, /^\d+$/)
    assert.include(await printed(`backup restore ${id} ${backup} --yes --wait`), "backup restore is done")
  })
  it("reinstall installs another image", async () => {
    assert.include(
      await printed(`instance reinstall ${id} --os alma-9 --yes --wait`),
      "reinstall is done, status running."
    )
    assert.include(await printed(`instance get ${id}`), "Image       alma-9\n")
  })
})

describe("a destructive command", () => {
  it.each([
    "instance reinstall ID --os debian-13",
    "snapshot restore ID 1",
    "snapshot delete ID 1",
    "backup restore ID 1"
  ])("%s without a terminal requires --yes: exit code 2", async (line) => {
    const before = await requestsOf(service)
    const { code, stderr, stdout } = await run(line.replace("ID", "1"))
    assert.deepStrictEqual({ code, stdout }, { code: 2, stdout: "" })
    assert.include(stderr, "vps: This command destroys data. Nothing was changed.\nvps: Pass --yes to confirm.\n")
    assert.strictEqual(await requestsOf(service), before)
  })
})

describe("vps instance ssh", () => {
  it("runs the system's ssh with the address and what follows --, and ends with its exit code", async () => {
    const id = await bought()
    const { ipv4 } = await json(`instance get ${id}`)
    const ssh = join(folder, "ssh")
    writeFileSync(ssh, "#!/bin/sh\necho \"$@\"\nexit 7\n")
    chmodSync(ssh, 0o755)
    const env = { ...credentials(service), PATH: [folder, "/usr/bin", "/bin"].join(delimiter) }
    const args = ["instance", "ssh", String(id), "--user", "admin", "--", "-p", "2222", "uptime", "-p"]
    assert.deepStrictEqual(await runVps(args, { env }), {
      code: 7,
      stdout: `-l admin ${ipv4} -p 2222 uptime -p\n`,
      stderr: ""
    })
  })
  it("reports that ssh is not installed", async () => {
    const env = { ...credentials(service), PATH: "/nonexistent" }
    assertLike(await runVps(["instance", "ssh", "1"], { env }), {
      code: 1,
      stderr: containing("vps: ssh is not installed.")
    })
  })
})
