/**
 * Help, wrong usage and refusals of `vps-service config` and `vps-service admin`, as the shell sees them. Long tables
 * run the commands in this process, because each process takes a third of a second to start.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { VERSION } from "#contract/Version"
import { COMMANDS } from "#service/admin/Commands"
import { adminProgramOf, runProgram } from "../support/adminProgram.ts"
import { adminOf, runCommand } from "../support/command.ts"
import { startService } from "../support/serviceProcess.ts"

const folder = mkdtempSync(join(tmpdir(), "pulumi-vps-admin-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const LEAVES = [
  "accounts create",
  "accounts list",
  "accounts show",
  "accounts edit",
  "accounts limits",
  "accounts close",
  "accounts reopen",
  "accounts freeze",
  "accounts unfreeze",
  "keys create",
  "keys list",
  "keys revoke",
  "people invite",
  "people invitations",
  "people withdraw",
  "people link",
  "people list",
  "people permission",
  "people remove",
  "wallet top-up",
  "wallet move-payment",
  "wallet debit",
  "wallet refund",
  "wallet statement",
  "wallet bookings",
  "catalogue example",
  "catalogue import",
  "catalogue export",
  "plans list",
  "plans reprice",
  "images list",
  "images import",
  "isos list",
  "coupons create",
  "coupons list",
  "hosts add",
  "hosts set",
  "hosts list",
  "hosts check",
  "hosts drain",
  "hosts activate",
  "hosts evacuate",
  "hosts fence",
  "addresses add",
  "addresses list",
  "addresses neighbors",
  "rdns check",
  "machines audit",
  "machines confirm",
  "instances list",
  "instances show",
  "instances suspend",
  "instances unsuspend",
  "instances terminate",
  "instances auto-renew",
  "instances undo-renewal",
  "instances undo-expiry",
  "instances extend-grace",
  "notes add",
  "notes list",
  "notes delete",
  "announcements add",
  "announcements list",
  "announcements change",
  "announcements cancel",
  "mails list",
  "mails show",
  "mails retry",
  "mails test",
  "tasks list",
  "tasks show",
  "tasks retry",
  "tasks approve",
  "tasks reject",
  "tasks unreconciled",
  "tasks abandon",
  "clock show",
  "clock confirm",
  "audit list",
  "audit export",
  "audit verify",
  "ledger verify",
  "backup",
  "restore",
  "verify",
  "secret list",
  "secret rotate",
  "secret forget"
]

/** Commands that print their own text, or work on files. */
const BESIDE = ["catalogue example", "backup", "restore", "verify"]
/** The commands of the service that those use. */
const FOR_FILES = ["database copy"]

describe("vps-service config", () => {
  it("prints each setting and limit with its value, source, unit and reason", async () => {
    const env = { VPS_SERVICE_HOST: "0.0.0.0", VPS_SERVICE_ATTEMPTS_MAX: "4" }
    const { code, stderr, stdout } = await runCommand(["config", "--port", "9000", "-o", "json"], { env })
    assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
    const all = JSON.parse(stdout) as ReadonlyArray<{ name: string; unit: string; reason: string }>
    const of = (name: string) => all.find((each) => each.name === name)
    assert.containSubset(of("port"), { value: 9000, source: "--port", unit: "TCP port" })
    assert.containSubset(of("host"), { value: "0.0.0.0", source: "VPS_SERVICE_HOST" })
    assert.containSubset(of("database"), { value: "vps-service.db", source: "default" })
    assert.containSubset(of("ATTEMPTS_MAX"), { value: 4, source: "VPS_SERVICE_ATTEMPTS_MAX", unit: "attempts" })
    assert.containSubset(of("SHUTDOWN_MILLIS"), { value: 8_000, source: "default", unit: "milliseconds" })
    assert.deepStrictEqual(all.filter(({ reason, unit }) => reason === "" || unit === ""), [])
  })
  it("prints them for people, too", async () => {
    const { code, stdout } = await runCommand(["config", "--emulator"])
    assert.strictEqual(code, 0)
    assert.match(stdout, /emulator\n +value +yes\n +unit +true or false\n +from +--emulator\n +Runs an emulator/)
    assert.match(stdout, /database\n +value +:memory:\n/)
  })
  it.each([
    [
      ["--port", "70000"],
      {},
      2,
      "vps-service: --port should be a whole number from 0 to 65535 (TCP port); got \"70000\".\n"
    ],
    [[], { VPS_SERVICE_EMULATOR: "maybe" }, 1, "vps-service: VPS_SERVICE_EMULATOR should be true or false"],
    [[], { VPS_SERVICE_LEASE_MILLIS: "soon" }, 1, "vps-service: VPS_SERVICE_LEASE_MILLIS should be a whole number"]
  ])("%j with %j is refused by name: exit code 2 for a flag; else 1, and 78 of the service", async (...row) => {
    const [flags, env, usage, message] = row
    for (const start of [["config"], []]) {
      const exit = usage === 1 && start.length === 0 ? 78 : usage
      const { code, stderr, stdout } = await runCommand([...start, ...flags], { env: env as Record<string, string> })
      assert.deepStrictEqual({ code, stdout }, { code: exit, stdout: "" })
      assert.include(stderr, message)
    }
  })
  it.each([
    [["--prot", "80"], "Unrecognized flag: --prot"],
    [["--port"], "--port needs a value."],
    [["start"], "Unexpected positional argument: \"start\""]
  ])("%j is wrong usage: exit code 2, and only the problem", async (flags, message) => {
    assert.deepStrictEqual(await runCommand(flags), {
      code: 2,
      stdout: "",
      stderr: `vps-service: ${message}\nvps-service: For usage, run: vps-service --help\n`
    })
  })
  it("--database with a file: URL is wrong usage, unless the environment has it", async () => {
    assert.containSubset(await runCommand(["config", "--database", "file:x"]), { code: 2, stdout: "" })
    const env = { VPS_SERVICE_DATABASE: "file:x" }
    assert.containSubset(await runCommand(["config"], { env }), { code: 1, stdout: "" })
  })
  it("--check says that a config file is valid, or each line that is not", async () => {
    const path = join(folder, "service.yaml")
    writeFileSync(path, "driver: simulated\nport: 0\n")
    const valid = await runCommand(["config", "--check", "--config", path])
    assert.deepStrictEqual(valid, {
      code: 0,
      stderr: "",
      stdout: "The settings are valid; 3 differ from their defaults.\n"
    })
    writeFileSync(path, "driver: simulated\nport: none\nsecret: { file: none }\n")
    const { code, stderr, stdout } = await runCommand(["config", "--check"], { env: { VPS_SERVICE_CONFIG: path } })
    assert.deepStrictEqual({ code, stdout }, { code: 1, stdout: "" })
    assert.match(stderr, /^vps-service: \S+service\.yaml:2: port should be .*\nvps-service: \S+:3: secret names /)
  })
  it("--check reads the file that says how customers pay", async () => {
    const [payment, path] = [join(folder, "payment.yaml"), join(folder, "paid.yaml")]
    writeFileSync(path, "driver: simulated\npayment: payment.yaml\n")
    writeFileSync(payment, "page: https://pay.example.test/{acount}\n")
    for (const flags of [["--config", path], ["--payment", payment]]) {
      const { code, stderr, stdout } = await runCommand(["config", "--check", ...flags])
      assert.deepStrictEqual({ code, stdout }, { code: 1, stdout: "" })
      assert.match(stderr, /payment\.yaml.*page contains \{acount\}, which is not a placeholder/)
    }
    writeFileSync(payment, "page: https://pay.example.test/{account}\n")
    assert.containSubset(await runCommand(["config", "--check", "--config", path]), { code: 0, stderr: "" })
  })
  it.each([
    [{ VPS_SERVICE_DRIVER: "" }, "VPS_SERVICE_DRIVER should be"],
    [{ VPS_SERVICE_SECRET: "short" }, "VPS_SERVICE_SECRET should have at least 32 characters."],
    [{ VPS_SERVICE_DATABASE: "postgres://db/vps" }, "VPS_SERVICE_SECRET is not set. PostgreSQL requires it"]
  ])("--check with %j finds what the service would not start with", async (env, message) => {
    const { code, stderr } = await runCommand(["config", "--check"], { env: env as Record<string, string> })
    assert.strictEqual(code, 1)
    assert.include(stderr, message)
  })
  it.each(["--version", "version"])("%s is that of the package", async (word) => {
    const { code, stderr, stdout } = await runCommand([word])
    assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
    assert.strictEqual(stdout, `vps-service ${VERSION} (Node.js ${process.version})\n`)
  })
  it("the service does not start on a limit that is nonsense", async () => {
    const env = { VPS_SERVICE_WORKER_TASKS_MAX: "0" }
    const { code, stderr, stdout } = await runCommand(["--emulator", "--port", "0"], { env })
    assert.deepStrictEqual({ code, stdout }, { code: 78, stdout: "" })
    assert.include(stderr, "VPS_SERVICE_WORKER_TASKS_MAX should be a whole number from 1 to 10000 (tasks); got \"0\".")
  })
})

describe("vps-service admin", () => {
  it("has a leaf for each command of the socket, and no other", () => {
    const commands = Object.keys(COMMANDS).map((name) => name.replace(".", " ").replaceAll("_", "-"))
    assert.deepStrictEqual([...LEAVES, ...FOR_FILES].toSorted(), [...commands, ...BESIDE].toSorted())
  })
  it.each(LEAVES)("%s --help describes the command and its arguments", async (leaf) => {
    const { code, stderr, stdout } = await runProgram(["admin", ...leaf.split(" "), "--help"])
    assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
    assert.match(stdout, /^DESCRIPTION\n {2}\S/)
    assert.include(stdout, `vps-service admin ${leaf}`)
    assert.include(stdout, "--output, -o choice")
  })
  it.each([
    [["accounts", "create"], "Missing required flag: --email"],
    [["accounts", "show"], "account"],
    [["accounts", "show", "one"], "account"],
    [["accounts", "creat"], "create"],
    [["accounts", "create", "--email", "a@b.c", "--vat-treatment", "none"], "vat-treatment"],
    [["keys", "create", "--account", "1"], "--scope"],
    [["keys", "create", "--account", "1", "--scope", "vps:all"], "vps:create"],
    [["tasks", "list", "--status", "done"], "status"],
    [["tasks", "abandon", "1"], "--reason"],
    [["instances", "auto-renew", "1", "yes"], "state"],
    [["accounts", "list", "-o", "xml"], "output"],
    [["accounts", "list", "--colour"], "--colour"]
  ])("%j is wrong usage: exit code 2, and names what is wrong", async (args, message) => {
    const { code, stderr, stdout } = await runProgram(["admin", ...args])
    assert.deepStrictEqual({ code, stdout }, { code: 2, stdout: "" })
    assert.include(stderr, message)
  })
  it("a group without a command shows its help, and succeeds", async () => {
    const { code, stderr, stdout } = await runProgram(["admin", "accounts"])
    assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
    assert.include(stdout, "Manage accounts")
  })
  it("an error comes first, without the help, and names everything that is missing", async () => {
    const of = async (...args: ReadonlyArray<string>) => (await runCommand(["admin", ...args])).stderr.split("\n")
    assert.deepStrictEqual(await of("wallet", "debit"), [
      "vps-service: Missing required arguments: account, amount",
      "vps-service: Missing required flag: --reason",
      "vps-service: For usage, run: vps-service admin wallet debit --help",
      ""
    ])
    assert.deepStrictEqual(await of("hosts", "add", "h1", "--uri=x"), [
      "vps-service: Missing required flag: --data-center",
      "vps-service: For usage, run: vps-service admin hosts add --help",
      ""
    ])
    assert.deepStrictEqual(await of("keys", "create"), [
      "vps-service: Missing required argument: account",
      "vps-service: Missing required flag: --scope",
      "vps-service: For usage, run: vps-service admin keys create --help",
      ""
    ])
  })
  it.each([
    ["no-such.db", "No database found at no-such.db. Set --database"],
    [":memory:", "Only its own service can access a database in memory."]
  ])("refuses %s as a database", async (database, message) => {
    const { code, stderr, stdout } = await adminOf(database).run(["accounts", "list"])
    assert.deepStrictEqual({ code, stdout }, { code: 1, stdout: "" })
    assert.include(stderr, `vps-service: ${message}`)
  })
})

describe("what means nothing", () => {
  const database = join(folder, "refusals.db")
  const { json, run } = adminProgramOf(database)
  const file = join(folder, "broken.yaml")
  beforeAll(async () => {
    await (await startService("--database", database)).end()
    await json("accounts", "create", "--email", "a@b.c")
  })
  it.each([
    [["accounts", "create", "--email", "nobody"], "email: Input should be an e-mail address"],
    [["accounts", "create", "--email", "a@b.c", "--currency", "eur"], "currency: Input should be a currency with two"],
    [["accounts", "create", "--email", "a@b.c", "--vat-rate", "101"], "vat_rate: Input should be less than or equal"],
    [["accounts", "list", "--limit", "1001"], "limit: Input should be less than or equal to 1000"],
    [["accounts", "limits", "1", "--creates-per-hour", "many"], "--creates-per-hour should be a number or \"default\""],
    [
      ["keys", "create", "--account", "1", "--scope", "vps:read", "--expires-at", "soon"],
      "expires_at: Input should be"
    ],
    [["wallet", "top-up", "1", "0"], "amount: Input should be greater than 0"],
    [["wallet", "top-up", "1", "0.001"], "amount: Decimal input should have no more than 2 decimal places"],
    [["coupons", "create", "X"], "either --percent or --fixed"],
    [["coupons", "create", "X", "--percent", "5", "--fixed", "5"], "either --percent or --fixed"],
    [["coupons", "create", "X", "--percent", "0"], "percent: Input should be greater than 0"]
  ])("%j is wrong usage: exit code 2, and says why", async (args, message) => {
    const { code, stderr, stdout } = await run(args)
    assert.deepStrictEqual({ code, stdout }, { code: 2, stdout: "" })
    assert.include(stderr, message)
  })
  it.each([
    [["accounts", "show", "7"], "Account 7 not found. Run \"accounts list\" to see all accounts."],
    [["accounts", "limits", "7"], "Account 7 not found"],
    [["instances", "auto-renew", "7", "off"], "Instance 7 not found"],
    [
      ["tasks", "abandon", "7", "--reason", "x"],
      "Task 7 has nothing left to do. Run \"tasks unreconciled\" to see tasks that have."
    ],
    [["tasks", "reject", "7", "--reason", "x"], "Task 7 not found"],
    [["keys", "create", "--account", "7", "--scope", "vps:read"], "Account 7 not found"],
    [["keys", "create", "--account", "1", "--scope", "vps:read", "--expires-at", "2020-01-01"], "is in the past"],
    [["keys", "revoke", "7"], "Key 7 not found"],
    [["wallet", "statement", "7"], "Account 7 not found"],
    [["catalogue", "import", "no-such.yaml"], "Cannot read no-such.yaml"]
  ])("%j is refused: exit code 1, and says why", async (args, message) => {
    const { code, stderr, stdout } = await run(args)
    assert.deepStrictEqual({ code, stdout }, { code: 1, stdout: "" })
    assert.include(stderr, message)
  })
  it.each([
    ["plans: [", "invalid YAML"],
    ["", "is not a catalogue"],
    ["- 1", "is not a catalogue"],
    ["plan: []", "document.plan: Extra inputs are not permitted"],
    ["plans:\n  - { id: 1 }", "document.plans.0.slug: Field required"]
  ])("a file with %j is refused", async (text, message) => {
    writeFileSync(file, text)
    const { code, stderr } = await run(["catalogue", "import", file])
    assert.strictEqual(code, 2)
    assert.include(stderr, message)
  })
})
