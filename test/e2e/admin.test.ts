/** Each operator command as a process: over the running service's socket, and on the file when none runs. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { hostname, tmpdir, userInfo } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { adminOf } from "../support/command.ts"
import { type ServiceProcess, startService } from "../support/serviceProcess.ts"

const CATALOGUE = `
data_centers:
  - { id: 1, label: Frankfurt }
images:
  - { os_id: 1, slug: debian-13, label: Debian, version: "13", family: linux,
      data_centers: [Frankfurt], default_in: [Frankfurt] }
plans:
  - { id: 1, slug: vps-s, name: VPS S, price: 4.99, currency: EUR, category: vps, data_center: Frankfurt,
      specs: { vcpu: 1, ram: 2 GB } }
  - { id: 2, slug: vps-held, name: VPS Held, price: 0.01, currency: EUR, category: vps, data_center: Frankfurt,
      auto_deploy: false }
isos:
  - { id: 1, name: rescue, file_name: rescue.iso, size_bytes: 1048576 }
`

const README = fileURLToPath(new URL("../../docs/admin.md", import.meta.url))

const folder = mkdtempSync(join(tmpdir(), "pulumi-vps-admin-"))
const catalogue = join(folder, "catalogue.yaml")
afterAll(() => rmSync(folder, { recursive: true, force: true }))
beforeAll(() => writeFileSync(catalogue, CATALOGUE))

describe.each(["socket", "file"])("vps-service admin over the %s", (way) => {
  const database = join(folder, `${way}.db`)
  const { json, run } = adminOf(database)
  let service: ServiceProcess | undefined
  let hint = () => ""
  beforeAll(async () => {
    service = await startService("--database", database)
    hint = service.log
    if (way === "socket") return
    await service.end()
    service = undefined
  })
  afterAll(() => service?.end())

  it("accounts create, list, show", async () => {
    const made = await json(
      "accounts",
      "create",
      "--email",
      "a@example.com",
      "--vat-treatment",
      "oss",
      "--vat-rate",
      "21"
    )
    expect(made).toMatchObject({ id: 1, email: "a@example.com", currency: "EUR", vat_treatment: "oss", vat_rate: 21 })
    expect(await json("accounts", "list")).toEqual([made])
    expect(await json("accounts", "list", "--after", "1")).toEqual([])
    expect(await json("accounts", "show", "1")).toEqual(made)
    const shown = await run(["accounts", "show", "1"])
    expect(shown).toMatchObject({ code: 0, stderr: "" })
    expect(shown.stdout).toMatch(/^id +1\nemail +a@example\.com\n/)
  })

  it("lists say that there are more rows, and how to print them", async () => {
    for (const name of ["b", "c"]) await json("accounts", "create", "--email", `${name}@example.com`)
    const first = await run(["accounts", "list", "--limit", "2", "-o", "json"])
    expect(first.stderr).toBe("There are more. Add --after 2 for the next page.\n")
    expect(JSON.parse(first.stdout).map(({ id }: { id: number }) => id)).toEqual([1, 2])
    const next = await run(["accounts", "list", "--limit", "2", "--after", "2"])
    expect(next).toMatchObject({ code: 0, stderr: "" })
    expect((await run(["accounts", "list", "--limit", "3"])).stderr).toBe("")
    expect(await json("accounts", "list", "--search", "C@EXAMPLE")).toMatchObject([{ id: 3 }])
    expect(await json("accounts", "list", "--search", "2")).toMatchObject([{ id: 2 }])
    const { stderr, stdout } = await run(["audit", "list", "--search", "accounts", "--limit", "1", "-o", "json"])
    const [{ seq }] = JSON.parse(stdout)
    expect(stderr).toBe(`There are more. Add --before ${seq} for the next page.\n`)
    expect(await json("tasks", "list", "--search", "restart")).toEqual([])
    for (const id of ["2", "3"]) await json("accounts", "close", id, "--reason", "a test")
  })

  it("exits with 2 for wrong usage, and escapes what could mislead a reader of the terminal", async () => {
    const wrong = [
      ["accounts", "show", "0"],
      ["accounts", "list", "--limit", "1001"],
      ["accounts", "show", "x"],
      ["accounts", "create", "--email", "b@example.com", "--currency", "JPY", "--vat-treatment", "oss"],
      ["wallet", "top-up", "1", "1.001"],
      ["nonsense"]
    ]
    for (const args of wrong) expect([args, (await run(args)).code]).toEqual([args, 2])
    const email = "a\u061c@example.com"
    const made = await run(["accounts", "create", "--email", email, "--vat-treatment", "oss", "-o", "json"])
    expect(made.stdout).toContain("a\\u061c@example.com")
    expect(JSON.parse(made.stdout).email).toBe(email)
    expect((await run(["accounts", "list"])).stdout).toContain("a?@example.com")
    await run(["accounts", "close", "4", "--reason", "asked"])
  })

  it("keys create, list, revoke", async () => {
    const args = ["keys", "create", "--account", "1", "--scope", "vps:read", "--expires-at", "2099-01-31"]
    const { code, stderr, stdout } = await run([...args, "--name", "ci", "-o", "json"])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "The key is shown only once. Store it now.\n" })
    const made = JSON.parse(stdout)
    expect(made).toMatchObject({ id: 1, account_id: 1, name: "ci", expires_at: "2099-01-31T00:00:00.000Z" })
    expect(made.api_key).toMatch(/^vps_live_[0-9A-Za-z]{38}$/)
    const [listed] = await json("keys", "list", "--account", "1")
    expect(await json("keys", "list", "1")).toEqual([listed])
    expect(await json("keys", "list", "2")).toEqual([])
    expect(await json("instances", "list", "1")).toEqual([])
    expect((await json("audit", "list", "1", "--action", "keys")).length).toBeGreaterThan(0)
    expect(await run(["keys", "list", "1", "--account", "2"])).toEqual({
      code: 2,
      stdout: "",
      stderr: "vps-service: The account is 1, but --account is 2. Pass one of them.\n"
    })
    expect(await json("keys", "create", "1", "--scope", "vps:read", "--name", "second")).toMatchObject({
      account_id: 1
    })
    expect(await json("people", "invite", "p@example.com", "1")).toMatchObject({ account_id: 1 })
    expect(await json("people", "invitations", "1")).toMatchObject([{ email: "p@example.com" }])
    expect(await json("people", "list", "1")).toEqual([])
    expect(listed).toMatchObject({ id: 1, scopes: ["vps:read"], state: "active", last_used_at: null })
    expect(JSON.stringify(listed)).not.toContain(made.api_key)
    expect(await json("keys", "revoke", "1")).toMatchObject({ id: 1, state: "revoked" })
    expect(await run(["keys", "revoke", "1"])).toMatchObject({
      code: 1,
      stdout: "",
      stderr: "vps-service: Key 1 is already revoked.\n"
    })
  })

  it("wallet top-up, once for each payment, and statement; ledger verify", async () => {
    const paid = ["wallet", "top-up", "1", "25.5", "--reference", "bank-1"]
    expect(await json(...paid)).toEqual({
      account_id: 1,
      amount: 25.5,
      currency: "EUR",
      reference: "top_up:bank-1",
      wallet: 25.5,
      renewed: [],
      not_renewed: []
    })
    const again = await run(paid)
    expect(again.code).toBe(1)
    expect(again.stderr).toContain("already booked")
    expect(await json("wallet", "statement", "1")).toMatchObject([{ kind: "top_up", amount: 25.5, currency: "EUR" }])
    const table = await run(["wallet", "statement", "1"])
    expect(table.stdout).toMatch(
      /^ID +AT +KIND +DESCRIPTION +VAT AMOUNT +AMOUNT +BALANCE +CURRENCY\n.* Top-up bank-1 .* 25\.50 +25\.50 +EUR\n$/
    )
    const both = await run(["wallet", "statement", "1", "--csv", "-o", "json"])
    expect(both).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("contradict each other") })
    const csv = await run(["wallet", "statement", "1", "--csv"])
    expect(csv.stdout.split("\r\n").map((row) => row.split(",")[3])).toEqual([
      "\"description\"",
      "\"Top-up bank-1\"",
      undefined
    ])
    expect(await json("ledger", "verify")).toEqual({ balanced: true, unbalanced: [], wrong_wallets: [] })
    const audited = await json("audit", "list", "--action", "wallet", "--limit", "2")
    expect(audited).toMatchObject([
      { action: "wallet.top_up", outcome: "rejected", actor_kind: "command", account_id: 1 },
      {
        action: "wallet.top_up",
        outcome: "done",
        actor: expect.stringContaining(userInfo().username),
        from: hostname(),
        account_id: 1
      }
    ])
    const { head } = await json("audit", "verify")
    const exported = await run(["audit", "export"])
    const entries = exported.stdout.trimEnd().split("\n").map((line) => JSON.parse(line))
    expect(`${entries.at(-1).seq}:${entries.at(-1).hash}`).toBe(head)
    expect(await json("audit", "verify", "--head", head)).toMatchObject({ intact: true, entries: entries.length })
    expect(await run(["audit", "verify", "--head", "1"])).toMatchObject({ code: 2, stdout: "" })
    const wrong = await run(["audit", "verify", "--head", `1:${"0".repeat(64)}`])
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining("Entry 1 is not the one with the hash")])
  })

  it("catalogue import, all of it or nothing, and lists", async () => {
    const tried = await run(["catalogue", "import", catalogue, "--dry-run"])
    expect(tried).toMatchObject({ code: 0, stderr: "Dry run: nothing was written.\n" })
    expect(await json("plans", "list")).toEqual([])
    const changes = await json("catalogue", "import", catalogue)
    expect(changes).toHaveLength(5)
    expect(new Set(changes.map(({ change }: { change: string }) => change))).toEqual(new Set(["added"]))
    expect(await json("plans", "list")).toMatchObject([
      { id: 1, slug: "vps-s", price: 4.99, data_center: "Frankfurt", auto_deploy: true },
      { id: 2, slug: "vps-held", auto_deploy: false }
    ])
    expect(await json("images", "list")).toMatchObject([{ slug: "debian-13", default_in: ["Frankfurt"] }])
    expect(await json("isos", "list")).toMatchObject([{ id: 1, name: "rescue", size_bytes: 1_048_576 }])
  })

  it("catalogue export prints what import takes", async () => {
    const { code, stdout } = await run(["catalogue", "export"])
    expect(code).toBe(0)
    const { stdout: changes } = await run(["catalogue", "import", "-", "-o", "json"], { input: stdout })
    expect(JSON.parse(changes)).toHaveLength(5)
    expect(JSON.parse(changes).every(({ change }: { change: string }) => change === "unchanged")).toBe(true)
  })

  it("catalogue example prints a valid import, as in docs/admin.md", async () => {
    const { code, stdout } = await run(["catalogue", "example"])
    expect(code).toBe(0)
    expect(readFileSync(README, "utf8")).toContain(`\n\`\`\`yaml\n${stdout}\`\`\`\n`)
    const tried = await run(["catalogue", "import", "-", "--dry-run", "-o", "json"], { input: stdout })
    expect({ code: tried.code, changes: JSON.parse(tried.stdout).length }).toEqual({ code: 0, changes: 4 })
  })

  it("coupons create, list", async () => {
    const args = ["coupons", "create", "MINUS5", "--fixed", "5", "--valid-until", "2099-01-01", "--once-per-account"]
    const made = await json(...args)
    expect(made).toMatchObject({ code: "MINUS5", kind: "fixed", value: 5, currency: "EUR", once_per_account: true })
    expect(await json("coupons", "list")).toEqual([made])
    expect((await run(args)).stderr).toContain("Coupon MINUS5 already exists")
  })

  it("instances and tasks list nothing when there is nothing", async () => {
    expect(await run(["instances", "list"])).toEqual({ code: 0, stdout: "none\n", stderr: "" })
    expect(await json("tasks", "list", "--status", "failed")).toEqual([])
    for (const args of [["instances", "suspend", "9", "--reason", "x"], ["instances", "unsuspend", "9"]]) {
      expect(await run(args)).toMatchObject({
        code: 1,
        stderr: "vps-service: Instance 9 not found. Run \"instances list\" to see all instances.\n"
      })
    }
    for (const verb of ["retry", "approve"]) {
      expect((await run(["tasks", verb, "9"])).stderr).toContain("Task 9 not found")
    }
  })

  it("the first start says how to make the first account and key, the next one does not", async () => {
    await service?.end()
    expect(hint()).toContain(`vps-service admin --database ${database} accounts create --email you@example.com`)
    expect(hint()).toContain("keys create --account 1 --scope vps:create")
    expect(hint()).toContain("catalogue example > catalogue.yaml")
    service = await startService("--database", database)
    await service.end()
    expect(service.log()).not.toContain("accounts create")
    service = undefined
  })
})
