/** No secret appears in any output or response of a real process. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { join } from "node:path"
import { SETTINGS } from "#service/config/Config"
import { collector } from "../support/collector.ts"
import { adminOf, runCommand } from "../support/command.ts"
import { mailServer } from "../support/mailServer.ts"
import { temporaryFolder } from "../support/temporary.ts"
import { begin, type Day, live, MARKER, SECRETS } from "../security/canaries.ts"
import { filesOf, found, holds, type Place } from "../security/haystack.ts"

/** The output of operator commands: all lists, a created key, and the settings. */
const operators = async (day: Day, env: Readonly<Record<string, string>>): Promise<ReadonlyArray<Place>> => {
  const { json, run } = adminOf(day.database)
  const made = await json("keys", "create", "--account", "1", "--scope", "vps:read", "--name", "operators")
  day.made["an operator's API key"] = made.api_key
  await day.ask({ path: "/whoami", key: made.api_key })
  const lists = [
    ["accounts", "list"],
    ["accounts", "show", "1"],
    ["keys", "list", "--account", "1"],
    ["instances", "list"],
    ["tasks", "list"],
    ["tasks", "unreconciled"],
    ["coupons", "list"],
    ["wallet", "statement", "1"],
    ["ledger", "verify"]
  ]
  const printed = await Promise.all(lists.map((command) => run([...command, "-o", "json"])))
  const settings = await runCommand(["config", "-o", "json"], {
    env: { ...env, VPS_SERVICE_SECRET: SECRETS["service secret"] }
  })
  return [...printed, settings].map(({ stderr, stdout }, index) => ({
    name: `what \`${lists[index]?.join(" ") ?? "config"}\` prints`,
    content: Buffer.from(`${stdout}${stderr}`)
  }))
}

const PUBLIC = { marker: MARKER }

/** Runs a day with this environment, and returns every output with the secrets in it. */
const lived = Effect.fnUntraced(function*(env: Readonly<Record<string, string>>) {
  const folder = yield* temporaryFolder
  const to = yield* collector
  const day = yield* Effect.promise(() => begin({ database: join(folder, "vps.db"), collector: to.url, env }))
  const printed = yield* Effect.promise(async () => {
    await live(day)
    return await operators(day, env)
  })
  // With the write-ahead log still beside the database, and once more when it is closed.
  const open = filesOf(folder)
  const output = yield* Effect.promise(() => day.end())
  const spans = { name: "the spans", content: Buffer.from(JSON.stringify(to.exports)) }
  return { day, output, spans, printed, files: [...open, ...filesOf(folder)] }
})

/** The emulator shows its tester what a client sent as a query, keys excepted: that is what it is for. */
const SHOWN_BY_DESIGN = new Set(["token in a query in the answer to GET /_emulator/requests"])

/** No secret anywhere; and every kind of place was looked at, because what is public is found there. */
const assertSilent = ({ day, files, output, printed, spans }: Effect.Success<ReturnType<typeof lived>>) => {
  const places = [...day.answers, ...output, spans, ...printed, ...files]
  const told = found(places, { ...SECRETS, ...day.made }).filter((one) => !SHOWN_BY_DESIGN.has(one))
  assert.deepStrictEqual(told, [])
  const marked = found(places, PUBLIC)
  for (const name of ["standard error", "the spans", "the file vps.db", "the answer to GET /instances/1/tasks"]) {
    assert.include(marked, `marker in ${name}`)
  }
  assert.isAbove(day.answers.length, 80)
  assert.sameMembers(Object.keys(day.made), [
    "API key",
    "an account's API key",
    "expired API key",
    "revoked API key",
    "reset password",
    "an operator's API key"
  ])
}

describe("the search", () => {
  it.each([
    "as it is: x Kanari y",
    Buffer.from("abKanarizz").toString("base64"),
    Buffer.from("Kanari").toString("hex")
  ])(
    "finds a secret that is written down as %j",
    (content) => assert.isTrue(holds({ name: "", content: Buffer.from(content) }, "Kanari"))
  )

  it("finds nothing where nothing is", () =>
    assert.isFalse(holds({ name: "", content: Buffer.from("Kana ri, S2FuYX") }, "Kanari")))
})

const DATABASE: readonly [string, string] = ["VPS_SERVICE_DATABASE", "postgres://user:Kanari-password@127.0.0.1:1/vps"]

const NONSENSE: ReadonlyArray<readonly [variable: string, value: string]> = [
  ["VPS_SERVICE_SECRET", "Kanari-too-short"],
  ["VPS_SERVICE_SMTP_URL", "smtp//user:Kanari-password@mail.example.test"],
  ...(SETTINGS.database.unit.includes("postgres") ? [DATABASE] : [])
]

describe("secrets", () => {
  it.live("are written nowhere, while mail goes to the log", () =>
    Effect.gen(function*() {
      const day = yield* lived({})
      assertSilent(day)
      // The log says that there was mail, which would hold the password.
      assert.include(day.output.map(({ content }) => content.toString()).join(), "New root password")
    }).pipe(Effect.scoped), 60_000)

  it.live("are written nowhere, when the mail server takes no mail", () =>
    Effect.gen(function*() {
      const { url } = yield* mailServer()
      const smtp = new URL(url)
      smtp.password = SECRETS["mail server's password"]
      const day = yield* lived({ VPS_SERVICE_SMTP_URL: smtp.href })
      assertSilent(day)
      const told = Buffer.concat(day.day.answers.map(({ content }) => content)).toString()
      assert.match(told, /mail/i)
    }).pipe(Effect.scoped), 60_000)

  it.each(NONSENSE)("that make no sense in %s are not repeated in the complaint", async (variable, value) => {
    const { code, stderr, stdout } = await runCommand(["--port", "0"], { env: { [variable]: value } })
    assert.strictEqual(code, 78)
    assert.isNotEmpty(stderr)
    assert.notInclude(stdout + stderr, "Kanari")
  })
})
