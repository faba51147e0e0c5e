/**
 * Operators' commands as processes: over the running service's socket; and some of them on the file when none runs,
 * with all that a use case writes: a journal, the audit log, a catalogue. The others run in this process, over the
 * socket.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { hostname, tmpdir, userInfo } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { adminProgramOf } from "../support/adminProgram.ts"
import { adminOf } from "../support/command.ts"
import { type ServiceProcess, startService } from "../support/serviceProcess.ts"
import { assertExactlyLike, assertLike, containing } from "../support/like.ts"

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

  it("creates, lists and shows accounts", async () => {
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
    assertLike(made, { id: 1, email: "a@example.com", currency: "EUR", vat_treatment: "oss", vat_rate: 21 })
    const shown = { ...made, charges_due: 0, low_balance: false, failed_tasks: 0 }
    assert.deepStrictEqual(await json("accounts", "list"), [shown])
    assert.deepStrictEqual(await json("accounts", "list", "--after", "1"), [])
    assert.deepStrictEqual(await json("accounts", "show", "1"), shown)
    const printed = await run(["accounts", "show", "1"])
    assertLike(printed, { code: 0, stderr: "" })
    assert.match(printed.stdout, /^id +1\nemail +a@example\.com\n/)
  })

  it("fills a wallet once for each payment, shows its statement, and verifies the ledger", async () => {
    const paid = ["wallet", "top-up", "1", "25.5", "--reference", "bank-1"]
    assert.deepStrictEqual(await json(...paid), {
      account_id: 1,
      amount: 25.5,
      currency: "EUR",
      reference: "top_up:bank-1",
      wallet: 25.5,
      renewed: [],
      not_renewed: []
    })
    const again = await run(paid)
    assert.strictEqual(again.code, 1)
    assert.include(again.stderr, "already booked")
    assertLike(await json("wallet", "statement", "1"), [{ kind: "top_up", amount: 25.5, currency: "EUR" }])
    const table = await run(["wallet", "statement", "1"])
    assert.match(
      table.stdout,
      /^ID +AT +KIND +DESCRIPTION +VAT AMOUNT +AMOUNT +BALANCE +CURRENCY\n.* Top-up bank-1 .* 25\.50 +25\.50 +EUR\n$/
    )
    const both = await run(["wallet", "statement", "1", "--csv", "-o", "json"])
    assertLike(both, { code: 2, stdout: "", stderr: containing("contradict each other") })
    const csv = await run(["wallet", "statement", "1", "--csv"])
    assert.deepStrictEqual(csv.stdout.split("\r\n").map((row) => row.split(",")[3]), [
      "\"description\"",
      "\"Top-up bank-1\"",
      undefined
    ])
    assert.deepStrictEqual(await json("ledger", "verify"), { balanced: true, unbalanced: [], wrong_wallets: [] })
    const audited = await json("audit", "list", "--action", "wallet", "--limit", "2")
    assertLike(audited, [
      { action: "wallet.top_up", outcome: "rejected", actor_kind: "command", account_id: 1 },
      {
        action: "wallet.top_up",
        outcome: "done",
        actor: containing(userInfo().username),
        from: hostname(),
        account_id: 1
      }
    ])
    const { head } = await json("audit", "verify")
    const exported = await run(["audit", "export"])
    const entries = exported.stdout.trimEnd().split("\n").map((line) => JSON.parse(line))
    assert.strictEqual(`${entries.at(-1).seq}:${entries.at(-1).hash}`, head)
    assertLike(await json("audit", "verify", "--head", head), { intact: true, entries: entries.length })
    assertLike(await run(["audit", "verify", "--head", "1"]), { code: 2, stdout: "" })
    const wrong = await run(["audit", "verify", "--head", `1:${"0".repeat(64)}`])
    assertExactlyLike([wrong.code, wrong.stderr], [1, containing("Entry 1 is not the one with the hash")])
  })

  it("imports a catalogue, all of it or nothing, and lists it", async () => {
    const tried = await run(["catalogue", "import", catalogue, "--dry-run"])
    assertLike(tried, { code: 0, stderr: "Dry run: nothing was written.\n" })
    assert.deepStrictEqual(await json("plans", "list"), [])
    const changes = await json("catalogue", "import", catalogue)
    assert.lengthOf(changes, 5)
    assert.deepStrictEqual(new Set(changes.map(({ change }: { change: string }) => change)), new Set(["added"]))
    assertLike(await json("plans", "list"), [
      { id: 1, slug: "vps-s", price: 4.99, data_center: "Frankfurt", auto_deploy: true },
      { id: 2, slug: "vps-held", auto_deploy: false }
    ])
    assertLike(await json("images", "list"), [{ slug: "debian-13", default_in: ["Frankfurt"] }])
    assertLike(await json("isos", "list"), [{ id: 1, name: "rescue", size_bytes: 1_048_576 }])
  })

  it("is named by the first start, for the first account and key, and not by the next one", async () => {
    await service?.end()
    assert.include(hint(), `vps-service admin --database ${database} accounts create --email you@example.com`)
    assert.include(hint(), "keys create --account 1 --scope vps:create")
    assert.include(hint(), "catalogue example > catalogue.yaml")
    service = await startService("--database", database)
    await service.end()
    assert.notInclude(service.log(), "accounts create")
    service = undefined
  })
})

describe("vps-service admin", () => {
  const database = join(folder, "more.db")
  const { json, run } = adminProgramOf(database)
  const processes = adminOf(database)
  let service: ServiceProcess | undefined
  beforeAll(async () => {
    service = await startService("--database", database)
    await json("accounts", "create", "--email", "a@example.com")
    await json("catalogue", "import", catalogue)
  })
  afterAll(() => service?.end())

  it("says in its lists that there are more rows, and how to print them", async () => {
    for (const name of ["b", "c"]) await json("accounts", "create", "--email", `${name}@example.com`)
    const first = await run(["accounts", "list", "--limit", "2", "-o", "json"])
    assert.strictEqual(first.stderr, "There are more. Add --after 2 for the next page.\n")
    assert.deepStrictEqual(JSON.parse(first.stdout).map(({ id }: { id: number }) => id), [1, 2])
    const next = await run(["accounts", "list", "--limit", "2", "--after", "2"])
    assertLike(next, { code: 0, stderr: "" })
    assert.strictEqual((await run(["accounts", "list", "--limit", "3"])).stderr, "")
    assertLike(await json("accounts", "list", "--search", "C@EXAMPLE"), [{ id: 3 }])
    assertLike(await json("accounts", "list", "--search", "2"), [{ id: 2 }])
    const { stderr, stdout } = await run(["audit", "list", "--search", "accounts", "--limit", "1", "-o", "json"])
    const [{ seq }] = JSON.parse(stdout)
    assert.strictEqual(stderr, `There are more. Add --before ${seq} for the next page.\n`)
    assert.deepStrictEqual(await json("tasks", "list", "--search", "restart"), [])
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
    for (const args of wrong) assert.deepStrictEqual([args, (await run(args)).code], [args, 2])
    const email = "a\u061c@example.com"
    const made = await run(["accounts", "create", "--email", email, "--vat-treatment", "oss", "-o", "json"])
    assert.include(made.stdout, "a\\u061c@example.com")
    assert.strictEqual(JSON.parse(made.stdout).email, email)
    assert.include((await run(["accounts", "list"])).stdout, "a?@example.com")
    await run(["accounts", "close", "4", "--reason", "asked"])
  })

  it("creates, lists and revokes keys", async () => {
    const args = ["keys", "create", "--account", "1", "--scope", "vps:read", "--expires-at", "2099-01-31"]
    const { code, stderr, stdout } = await run([...args, "--name", "ci", "-o", "json"])
    assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "The key is shown only once. Store it now.\n" })
    const made = JSON.parse(stdout)
    assertLike(made, { id: 1, account_id: 1, name: "ci", expires_at: "2099-01-31T00:00:00.000Z" })
    assert.match(made.api_key, /^vps_live_[0-9A-Za-z]{38}$/)
    const [listed] = await json("keys", "list", "--account", "1")
    assert.deepStrictEqual(await json("keys", "list", "1"), [listed])
    assert.deepStrictEqual(await json("keys", "list", "2"), [])
    assert.deepStrictEqual(await json("instances", "list", "1"), [])
    assert.isAbove((await json("audit", "list", "1", "--action", "keys")).length, 0)
    assert.deepStrictEqual(await run(["keys", "list", "1", "--account", "2"]), {
      code: 2,
      stdout: "",
      stderr: "vps-service: The account is 1, but --account is 2. Pass one of them.\n"
    })
    assertLike(await json("keys", "create", "1", "--scope", "vps:read", "--name", "second"), {
      account_id: 1
    })
    const invited = await json("people", "invite", "p@example.com", "1")
    assertLike(invited, { account_id: 1 })
    // The system has chosen the port of the service that runs.
    if (service !== undefined) {
      assert.include(invited.link, `http://localhost:${new URL(service.origin).port}/panel/`)
    }
    assertLike(await json("people", "invitations", "1"), [{ email: "p@example.com" }])
    assert.deepStrictEqual(await json("people", "list", "1"), [])
    assertLike(listed, { id: 1, scopes: ["vps:read"], state: "active", last_used_at: null })
    assert.notInclude(JSON.stringify(listed), made.api_key)
    assertLike(await json("keys", "revoke", "1"), { id: 1, state: "revoked" })
    assertLike(await run(["keys", "revoke", "1"]), {
      code: 1,
      stdout: "",
      stderr: "vps-service: Key 1 is already revoked.\n"
    })
  })

  it("exports a catalogue as import takes it", async () => {
    const { code, stdout } = await run(["catalogue", "export"])
    assert.strictEqual(code, 0)
    const { stdout: changes } = await processes.run(["catalogue", "import", "-", "-o", "json"], { input: stdout })
    assert.lengthOf(JSON.parse(changes), 5)
    assert.isTrue(JSON.parse(changes).every(({ change }: { change: string }) => change === "unchanged"))
  })

  it("prints an example of a catalogue that is valid, as in docs/admin.md", async () => {
    const { code, stdout } = await run(["catalogue", "example"])
    assert.strictEqual(code, 0)
    assert.include(readFileSync(README, "utf8"), `\n\`\`\`yaml\n${stdout}\`\`\`\n`)
    const tried = await processes.run(["catalogue", "import", "-", "--dry-run", "-o", "json"], { input: stdout })
    assert.deepStrictEqual({ code: tried.code, changes: JSON.parse(tried.stdout).length }, { code: 0, changes: 4 })
  })

  it("creates and lists coupons", async () => {
    const args = ["coupons", "create", "MINUS5", "--fixed", "5", "--valid-until", "2099-01-01", "--once-per-account"]
    const made = await json(...args)
    assertLike(made, { code: "MINUS5", kind: "fixed", value: 5, currency: "EUR", once_per_account: true })
    assert.deepStrictEqual(await json("coupons", "list"), [made])
    assert.include((await run(args)).stderr, "Coupon MINUS5 already exists")
  })

  it("refuses a test mail without a mail server, and announces maintenance from a shell", async () => {
    const { code, stderr } = await run(["mails", "test", "a@example.com"])
    assert.strictEqual(code, 1)
    assert.include(stderr, "There is no mail server, so mail is only logged. Set smtp-url (VPS_SERVICE_SMTP_URL)")
    const times = ["--starts-at", "2999-01-31T22:00:00Z", "--ends-at", "2999-01-31T23:00:00Z"]
    const made = await json("announcements", "add", "--title", "A switch", "--text", "Some minutes.", ...times)
    assertLike(made, { state: "planned", host: null, kind: "maintenance", starts_at: "2999-01-31T22:00:00.000Z" })
    assertLike(await json("announcements", "cancel", String((made as { readonly id: number }).id)), {
      state: "cancelled"
    })
    assert.deepStrictEqual(await json("announcements", "list"), [])
  })

  it("lists no instances and no tasks when there are none", async () => {
    assert.deepStrictEqual(await run(["instances", "list"]), { code: 0, stdout: "none\n", stderr: "" })
    assert.deepStrictEqual(await json("tasks", "list", "--status", "failed"), [])
    for (const args of [["instances", "suspend", "9", "--reason", "x"], ["instances", "unsuspend", "9"]]) {
      assertLike(await run(args), {
        code: 1,
        stderr: "vps-service: Instance 9 not found. Run \"instances list\" to see all instances.\n"
      })
    }
    for (const verb of ["retry", "approve"]) {
      assert.include((await run(["tasks", verb, "9"])).stderr, "Task 9 not found")
    }
  })
})
