/** `vps instance` and the commands for an instance's disk and network, as processes against the real service. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type ServiceProcess, startService } from "../support/serviceProcess.ts"
import { control, credentials, requestsOf, runVps, startVps, vpsOf } from "../support/vps.ts"

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
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).toMatch(/^Plan +VPS M \(ID 2\)\nCharge now +8\.99 EUR\nDiscount +1\.00 EUR\n/)
    expect((await run("instance list")).stdout).toBe("none\n")
  })
  it("--max-charge refuses a higher charge, and buys nothing", async () => {
    const refused = await run("instance create --plan vps-m --max-charge 9.98EUR")
    expect(refused).toMatchObject({ code: 1, stdout: "" })
    expect(refused.stderr).toContain("This costs 9.99 EUR, but at most 9.98 EUR may be charged")
    expect((await run("instance create --plan vps-m --max-charge 9.98")).code).toBe(2)
    expect((await run("instance list")).stdout).toBe("none\n")
  })
  it("buys, waits, and reports the progress", async () => {
    const file = join(folder, "id.pub")
    writeFileSync(file, `${KEY}\n`)
    const { code, stderr, stdout } = await run(
      `instance create --plan vps-s --hostname web.example.com --os debian-13 --ssh-key ${file} --wait`
    )
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /^Instance +\d+\nHostname +web\.example\.com\nStatus +running\nPlan +VPS S \(vps-s, ID 1\)\n/
    )
    expect(stdout).toMatch(/\nImage +debian-13\nIPv4 +198\.18\.\d+\.\d+\nIPv6 +2001:db8:/)
    expect(stdout).toMatch(/\nPrice +4\.99 EUR monthly\n/)
    expect(stderr).toMatch(/^Instance \d+ is running\n$/)
  })
  it("the same key buys once, with a note", async () => {
    const first = await json("instance create --plan 1 --idempotency-key once-1")
    const again = await run("instance create --plan 1 --idempotency-key once-1 -o id")
    expect(again).toEqual({
      code: 0,
      stdout: `${first.id}\n`,
      stderr: `Instance ${first.id} was already bought with this key. Nothing was charged.\n`
    })
    const other = await run("instance create --plan 2 --hostname other.example.com --idempotency-key once-1")
    expect(other).toMatchObject({ code: 1, stdout: "" })
    expect(other.stderr).toContain(
      `has already bought instance ${first.id} with another order (hostname, service_id). Nothing was bought.`
    )
  })
  it("an unknown plan suggests similar ones, and costs one request", async () => {
    const before = await requestsOf(service)
    const { code, stderr } = await run("instance create --plan vps-xxl")
    expect(code).toBe(3)
    expect(stderr).toContain("Did you mean vps-l, vps-m or vps-s?")
    expect(await requestsOf(service) - before).toBe(1)
  })
  it("a private key is never sent", async () => {
    const file = join(folder, "id")
    writeFileSync(file, "-----BEGIN OPENSSH PRIVATE KEY-----\n")
    writeFileSync(`${file}.pub`, KEY)
    const { code, stderr } = await run(`instance create --plan 1 --ssh-key ${file}`)
    expect(code).toBe(2)
    expect(stderr).toBe(`vps: ${file} is a private key. It was not sent. Did you mean ${file}.pub?\n`)
    expect((await run("instance create --plan 1 --ssh-key nowhere.pub")).stderr)
      .toContain("--ssh-key is neither a public key nor a readable file: ENOENT")
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

  it("list and get show it", async () => {
    const { stdout } = await run("instance list")
    expect(stdout).toMatch(/^ID {2}HOSTNAME +STATUS +IPV4 +PLAN +EXPIRES\n/)
    expect(stdout).toMatch(new RegExp(`\\n *${id} +vps-${id} +running +198\\.18\\.[.\\d]+ +vps-s +\\S+ \\S+ UTC\\n`))
    expect(await json(`instance get ${id}`)).toMatchObject({ id, order: { service: { slug: "vps-s" } } })
  })
  it("its hostname names it, too", async () => {
    const hostname = `vps-${id}`
    expect(await json(`instance get ${hostname}`)).toMatchObject({ id })
    expect(await printed(`instance status ${hostname.toUpperCase()}`)).toContain(`Instance     ${id}\n`)
    expect(await run("instance get nobody.example.com")).toMatchObject({ code: 3, stdout: "" })
  })
  it("list filters, sorts, and chooses columns", async () => {
    const two = `${await bought()}`
    expect(await printed(`instance list --filter hostname=vps-${id},vps-${two} --sort id:desc -o id`))
      .toBe(`${two}\n${id}\n`)
    expect(await printed(`instance list --filter id=${id} --columns id,image,auto-renew --no-header`))
      .toBe(`${id}  debian-12  yes\n`)
    expect(await run("instance list --columns id -o json"))
      .toMatchObject({ code: 2, stderr: expect.stringContaining("do not apply to -o json") })
    expect(await run("instance list --sort id:up")).toMatchObject({ code: 2 })
  })
  it("--debug prints the requests, and not the key", async () => {
    const { stderr, stdout } = await run(`instance get ${id} -o id --debug`)
    expect(stdout).toBe(`${id}\n`)
    expect(stderr).toMatch(
      new RegExp(
        `^debug: ${service.url} with the key from VPS_API_KEY\ndebug: GET /instances/${id}: 200, \\d+ ms, request ID`
      )
    )
    expect(stderr).not.toContain(service.apiKey)
  })
  it("status, plans, and metrics show it", async () => {
    expect(await printed(`instance status ${id}`)).toContain("Power        on\n")
    expect(await printed(`instance plans ${id}`)).toContain("CHARGE NOW\n")
    await control(service, "POST", "/clock", { advance_ms: 600_000 })
    expect(await printed(`instance metrics ${id}`)).toContain("METRIC ")
    expect((await json(`instance metrics ${id} --range 6h`)).range).toBe("6h")
  })
  it("stop, start, and restart control its power, and wait with --wait", async () => {
    expect(await printed(`instance stop ${id} --wait`)).toContain(`Instance ${id}: stop is done, status stopped.`)
    expect(await printed(`instance start ${id} --wait`)).toContain(`Instance ${id}: start is done, status running.`)
    expect(await printed(`instance restart ${id} --wait -o id`)).toContain(`${id}\n`)
    expect(await printed(`instance start ${id}`)).toContain("start is done, status running.")
  })
  it("set-hostname, reset-password and rdns set change it", async () => {
    expect(await printed(`instance set-hostname ${id} b.example.com`)).toBe(
      `Instance ${id}: set hostname is done, status running. Its hostname is b.example.com.\n`
    )
    expect((await json(`instance reset-password ${id}`)).password).toMatch(/^\S{8,}$/)
    expect(await printed(`rdns set ${id} --ptr b.example.com --wait`)).toContain("resolves to b.example.com.")
  })
  it("reset-password rejects -o id, which would lose the password", async () => {
    expect(await run(`instance reset-password ${id} -o id`))
      .toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("would not show the password") })
  })
  it("resize changes its plan by slug, and prints the charge", async () => {
    expect(await printed(`instance resize ${id} --plan vps-m --wait`)).toContain(
      "resize is done, status running. Charged "
    )
    expect(await run(`instance resize ${id} --plan vps-m`))
      .toMatchObject({ code: 2, stderr: `vps: Instance ${id} is already on plan vps-m. Nothing was changed.\n` })
    expect((await run(`instance resize ${id} --plan vps-m-hel`)).stderr).toBe(
      `vps: Plan vps-m-hel is in Helsinki, but instance ${id} is in Frankfurt, where it stays.\n`
        + "vps: Available: vps-s, vps-l.\n"
    )
    expect((await run(`instance resize ${id} --plan ded-1`)).stderr)
      .toContain(`vps: Instance ${id} cannot be resized to plan ded-1.\n`)
    expect(await run(`instance resize ${id} --plan 2 --yes`)).toMatchObject({ code: 1, stdout: "" })
  })
  it("tasks shows the feed, in pages", async () => {
    expect(await printed(`instance tasks ${id}`)).toContain("provision ")
    const page = await run(`instance tasks ${id} --limit 1 --offset 1`)
    expect(page.stdout).toMatch(/\d+ older tasks: --offset 2\n$/)
    expect((await run(`instance tasks ${id} --limit 2 -o id`)).stdout).toMatch(/^\d+\n\d+\n$/)
  })
  it("tasks --follow runs until interrupted: exit code 130", async () => {
    const following = startVps(["instance", "tasks", String(id), "--follow", "-o", "json"], credentials(service))
    await following.wrote("\"type\":\"provision\"")
    await run(`instance restart ${id}`)
    await following.wrote("\"type\":\"restart\",\"status\":\"succeeded\"")
    const { code, stdout } = await following.end("SIGINT")
    expect(code).toBe(130)
    const changes = stdout.trimEnd().split("\n").map((line) => JSON.parse(line))
    expect(new Set(changes.map((task) => `${task.id} ${task.status} ${task.progress}`)).size).toBe(changes.length)
  })
  it("wait ends when no task is running", async () => {
    await run(`instance restart ${id}`)
    expect(await json(`instance wait ${id}`)).toMatchObject({ id, status: "running" })
  })
  it("rescue enter and exit change the boot mode", async () => {
    expect(await printed(`rescue enter ${id} --wait`)).toContain(
      `Instance ${id} booted from rescue, status rescue.\nIts console is at ${service.origin}/panel/instances/${id}\n`
    )
    expect(await printed(`rescue exit ${id}`)).toContain(`Instance ${id} is restarting and boots from disk.`)
    expect(await printed(`rescue exit ${id} --wait`)).toContain(`Instance ${id} booted from disk, status running.`)
  })
  it("iso list, mount, and unmount manage the drive", async () => {
    expect(await printed(`iso mount ${id} 2 --wait`)).toContain("iso mount is done")
    expect(await printed(`iso list ${id}`)).toContain("debian-netinst.iso  650 MiB  yes\n")
    expect(await printed(`iso unmount ${id} --wait`)).toContain("iso unmount is done")
  })
  it("snapshot create, list, restore, and delete manage the disk", async () => {
    const { snapshot } = await json(`snapshot create ${id} --name first --wait`)
    expect(snapshot).toMatchObject({ name: "first", status: "available" })
    expect(await printed(`snapshot list ${id}`)).toContain("first  available")
    expect(await printed(`snapshot restore ${id} ${snapshot.id} --yes --wait`)).toContain("snapshot restore is done")
    expect(await printed(`snapshot delete ${id} ${snapshot.id} --yes --wait`)).toContain("snapshot delete is done")
    expect((await run(`snapshot list ${id}`)).stdout).toBe("none\n")
  })
  it("backup list and restore use the nightly backup", async () => {
    await control(service, "POST", "/clock", { advance_ms: 2 * 86_400_000 })
    const [backup] = (await run(`backup list ${id} -o id`)).stdout.split("\n")
    expect(backup).toMatch(/^\d+$/)
    expect(await printed(`backup restore ${id} ${backup} --yes --wait`)).toContain("backup restore is done")
  })
  it("reinstall installs another image", async () => {
    expect(await printed(`instance reinstall ${id} --os alma-9 --yes --wait`)).toContain(
      "reinstall is done, status running."
    )
    expect(await printed(`instance get ${id}`)).toContain("Image       alma-9\n")
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
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toContain("vps: This command destroys data. Nothing was changed.\nvps: Pass --yes to confirm.\n")
    expect(await requestsOf(service)).toBe(before)
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
    expect(await runVps(args, { env })).toEqual({ code: 7, stdout: `-l admin ${ipv4} -p 2222 uptime -p\n`, stderr: "" })
  })
  it("reports that ssh is not installed", async () => {
    const env = { ...credentials(service), PATH: "/nonexistent" }
    expect(await runVps(["instance", "ssh", "1"], { env }))
      .toMatchObject({ code: 1, stderr: expect.stringContaining("vps: ssh is not installed.") })
  })
})
