/** The output of the command line: tables, other formats, and failures. */
import * as Effect from "effect/Effect"
import { sanitize } from "#contract/CommandLine"
import { assert, describe, it, vi } from "vitest"
import { parse } from "yaml"
import { chart, downsample } from "#sdk/cli/commands/instance/MonitoringCommands"
import { json, OUTPUT_FORMATS, type OutputFormat, render } from "#sdk/cli/output/Output"
import { bytes, dateTime, decimal, duration, money, percent, rate } from "#sdk/cli/output/Format"
import { type Column, fields, table } from "#sdk/cli/output/List"
import { detectCapabilities, paint, type TerminalCapabilities } from "#sdk/cli/terminal/Terminal"
import { assertExactlyLike, assertLike } from "../support/like.ts"
import { apiError } from "#sdk/client/errors/ApiErrors"
import {
  ConfigurationError,
  ConnectionError,
  DecodeError,
  ProvisioningFailedError,
  TimeoutError,
  WaitTimeoutError,
  withInstance
} from "#sdk/client/errors/Errors"
import { EXIT, EXIT_CODES, usageError } from "#sdk/cli/errors/CommandError"
import { closest, didYouMean } from "#sdk/Suggestions"
import { type Failure, reportFailure } from "#sdk/cli/output/FailureReport"

const pipe: TerminalCapabilities = {
  isTerminal: false,
  columns: Number.POSITIVE_INFINITY,
  colors: false,
  canRedraw: false
}
const terminal = (columns: number, colors = false): TerminalCapabilities => ({
  isTerminal: true,
  columns,
  colors,
  canRedraw: true
})

interface Row {
  readonly id: number
  readonly name: string
}
const COLUMNS: ReadonlyArray<Column<Row>> = [
  { title: "ID", value: ({ id }) => String(id), right: true },
  { title: "NAME", value: ({ name }) => name, style: () => "green" },
  { title: "LENGTH", value: ({ name }) => String(name.length) }
]

describe("table", () => {
  it("aligns columns, numbers to the right, and prints none without rows", () => {
    assert.strictEqual(
      table(COLUMNS, [{ id: 7, name: "a" }, { id: 10, name: "long one" }], pipe),
      "ID  NAME      LENGTH\n 7  a         1\n10  long one  8\n"
    )
    assert.strictEqual(table(COLUMNS, [], pipe), "none\n")
  })
  it("truncates the widest column to the width of a terminal only", () => {
    const rows = [{ id: 1, name: "x".repeat(100) }]
    const kept = COLUMNS.map((column) => ({ ...column, keep: true } as const))
    const lines = table(kept, rows, terminal(40)).split("\n")
    assert.match(lines[1]!, /^ 1 {2}x+… {2}100$/)
    assert.strictEqual(Math.max(...lines.map((line) => [...line].length)), 40)
    assert.include(table(COLUMNS, rows, pipe), "x".repeat(100))
  })
  it("leaves out columns from the right before it truncates, and never shortens what is copied", () => {
    const address = "2001:db8:1234:5678:9abc:def0:1234:5678"
    const columns: ReadonlyArray<Column<Row>> = [
      { ...COLUMNS[0]!, keep: true },
      { title: "NAME", value: ({ name }) => name, keep: true },
      { title: "IPV6", value: () => address, whole: true },
      { title: "PLAN", value: () => "vps-s" },
      { title: "EXPIRES", value: () => "2026-11-03 09:05 +01:00" }
    ]
    const rows = [{ id: 1, name: "web.example.com" }]
    const at = (width: number) => table(columns, rows, terminal(width)).split("\n")
    assert.strictEqual(at(100)[1], ` 1  web.example.com  ${address}  vps-s  2026-11-03 09:05 +01:00`)
    assertExactlyLike(at(80).slice(0, 3), [
      /^ID {2}NAME +IPV6 +PLAN$/,
      ` 1  web.example.com  ${address}  vps-s`,
      "Too narrow for: expires."
    ])
    assert.strictEqual(at(55)[1], ` 1  web.exampl…  ${address}`)
    assert.include(at(20)[1], address)
  })
  it("without a header, prints rows only", () => {
    assert.strictEqual(table(COLUMNS, [{ id: 7, name: "a" }], pipe, false), "7  a  1\n")
    assert.strictEqual(table(COLUMNS, [], pipe, false), "")
  })
  it("measures the display width", () => {
    const [, wide, narrow] = table(COLUMNS, [{ id: 1, name: "日本" }, { id: 2, name: "abcd" }], pipe).split("\n")
    assert.deepStrictEqual([wide, narrow], [" 1  日本  2", " 2  abcd  4"])
  })
  it("colors cells without moving them", () => {
    const coloured = table(COLUMNS, [{ id: 1, name: "a" }], terminal(80, true))
    assert.include(coloured, "\u001b[32ma   \u001b[0m")
  })
  it("replaces control characters in responses", () => {
    assert.include(table(COLUMNS, [{ id: 1, name: "\u001b[31mred\u009b" }], pipe), "?[31mred?")
    assert.strictEqual(sanitize("a\nb"), "a?b")
    assert.strictEqual(fields([["Name", "x\u0007"]], pipe), "Name  x?\n")
  })
})

describe("a format", () => {
  const HOSTILE = "\u001b]0;x\u0007\u009b2J\u202e\u2066\u2028\r"
  const view = {
    text: (name: string) => fields([["Name", name]], pipe),
    ids: (name: string) => [name]
  }
  const rendered = (format: OutputFormat, name: string) => Effect.runPromise(render(format, name, view))
  // oxlint-disable-next-line no-control-regex
  const UNSAFE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/

  it.each(OUTPUT_FORMATS)("%s has no control character of a response", async (format) => {
    assert.notMatch(await rendered(format, `name${HOSTILE}`), UNSAFE)
    assert.notMatch(await rendered(format, `\u2067${HOSTILE}`), UNSAFE)
  })
  it("YAML and JSON escape them, so that a program reads the value", async () => {
    for (const text of [HOSTILE, `a: b\n${HOSTILE}`, "\u200f"]) {
      assert.strictEqual(parse(await rendered("yaml", text)), text)
      assert.strictEqual(JSON.parse(await rendered("json", text)), text)
    }
  })
  it("YAML has no quotes without need", async () => {
    assert.strictEqual(await rendered("yaml", "größer 🔑"), "größer 🔑\n")
    assert.strictEqual(await rendered("yaml", "web-1.example.com"), "web-1.example.com\n")
  })
  it.each(
    [
      "on",
      "Off",
      "yes",
      "NO",
      "y",
      "~",
      "1:20",
      "2026-01-01",
      "2026-01-01T09:30:00Z",
      "0x10",
      "010",
      "1_000",
      "=",
      "<<"
    ]
  )("YAML quotes %s, which YAML 1.1 does not read as a text", async (text) => {
    assert.strictEqual(await rendered("yaml", text), `"${text}"\n`)
    const pair = { [text]: text } as unknown as string
    assert.strictEqual(await rendered("yaml", pair), `"${text}": "${text}"\n`)
  })
})

describe("chart", () => {
  it("is scaled from 0 to the maximum", () => {
    assert.deepStrictEqual(chart([0, 12, 24], 80), ["  █", " ▄█", " ██"])
    assert.deepStrictEqual(chart([0, 0], 80), ["", "", ""])
  })
  it("retains peaks when there are more values than columns", () => {
    assert.deepStrictEqual(downsample([1, 9, 1, 1, 1, 8], 3), [9, 1, 8])
    assert.deepStrictEqual(downsample([1, 2], 3), [1, 2])
    assert.lengthOf(chart(Array.from({ length: 500 }, (_, at) => at + 1), 60).at(-1)!, 60)
  })
})

describe("formats", () => {
  it.each([
    [money(4.9), "4.90"],
    [money(0.07), "0.07"],
    [money(-12.5, "EUR"), "-12.50 EUR"],
    [money(1.005 * 1000), "1005.00"],
    [money(1234.5, "EUR"), "1234.50 EUR"],
    [money(undefined, "EUR"), "-"],
    [bytes(0), "0 B"],
    [bytes(1536), "1.5 KiB"],
    [bytes(2 ** 40 * 5), "5 TiB"],
    [bytes(null), "-"],
    [rate(2_621_440), "2.5 MiB/s"],
    [percent(23.44), "23.4 %"],
    [decimal(1), "1"],
    [duration(0.5), "0 s"],
    [duration(125), "2 min 5 s"],
    [duration(3600), "1 h"],
    [duration(273_840), "3 d 4 h"],
    [dateTime(null), "-"],
    [dateTime("soon"), "soon"]
  ])("%s", (said, wanted) => assert.strictEqual(said, wanted))

  it.each([Number.NaN, Number.POSITIVE_INFINITY])("refuses %d as an amount of money", (amount) => {
    assert.throws(() => money(amount, "EUR"), `${amount} is not an amount of money`)
  })
  it.each([[0, "UTC"], [-60, "+01:00"], [210, "-03:30"]])(
    "a date names its local time zone, %i minutes behind UTC",
    (offset, name) => {
      vi.spyOn(Date.prototype, "getTimezoneOffset").mockReturnValue(offset)
      const at = new Date(2026, 10, 3, 9, 5)
      assert.strictEqual(dateTime(at.toISOString()), `2026-11-03 09:05 ${name}`)
      vi.restoreAllMocks()
    }
  )
})

describe("terminal capabilities", () => {
  const environment = {
    apiKey: undefined,
    baseUrl: undefined,
    contextFile: "",
    allowsColor: true,
    isDumbTerminal: false
  }
  it("include a width and colors on a terminal only", () => {
    assert.deepStrictEqual(detectCapabilities({ isTTY: true, columns: 100 }, environment), terminal(100, true))
    assert.strictEqual(detectCapabilities({ isTTY: true, columns: 0 }, environment).columns, 80)
    assert.deepStrictEqual(detectCapabilities({}, environment), pipe)
    assert.isFalse(detectCapabilities({ isTTY: true }, { ...environment, allowsColor: false }).colors)
    assert.isFalse(detectCapabilities({ isTTY: true }, { ...environment, isDumbTerminal: true }).canRedraw)
  })
  it("paint styles where colors are supported", () => {
    assert.strictEqual(paint({ colors: true }, "red", "x"), "\u001b[31mx\u001b[0m")
    assert.strictEqual(paint({ colors: false }, "red", "x"), "x")
  })
})

describe("json", () => {
  it("escapes all control characters", () => {
    const text = json({ a: "\u001b\u009b\u007f" })
    assert.include(text, "\\u001b\\u009b\\u007f")
    assert.deepStrictEqual(JSON.parse(text), { a: "\u001b\u009b\u007f" })
  })
})

const create = { method: "POST", path: "/instances", attempts: 1, idempotencyKey: "k-1", requestId: "r-1" }
const response = (status: number, more: object = {}) =>
  apiError({
    ...create,
    status,
    detail: "the message",
    retryAfter: undefined,
    headers: {},
    missingScope: undefined,
    issues: [],
    ...more
  })
const report = (error: Failure) => reportFailure(error, { colors: false })
const RESUME = "Run the same command with --idempotency-key k-1 to resume. It never buys twice."

describe("exit codes", () => {
  it.each([
    [response(400), EXIT.failed],
    [response(401), EXIT.auth],
    [response(402), EXIT.insufficientFunds],
    [response(403), EXIT.auth],
    [response(404), EXIT.notFound],
    [response(409), EXIT.failed],
    [response(422), EXIT.failed],
    [response(429), EXIT.failed],
    [response(503), EXIT.failed],
    [new ConfigurationError("no"), EXIT.usage],
    [new DecodeError(200, "no", create), EXIT.failed],
    [new ProvisioningFailedError(7, "failed", {}), EXIT.failed],
    [usageError("no"), EXIT.usage]
  ])("%s has its exit code", (error, exit) => assert.strictEqual(report(error).exit, exit))
  it("are all documented", () => {
    assert.deepStrictEqual(EXIT_CODES.map(([code]) => code).toSorted(), Object.values(EXIT).toSorted())
  })
})

describe("a purchase", () => {
  it.each([
    [response(503)],
    [response(429, { retryAfter: 3 })],
    [new ConnectionError("reset", "ECONNRESET", true, create)],
    [new TimeoutError(1, true, create)],
    [new DecodeError(201, "no id", create)]
  ])(
    "whose outcome is unknown after %s is resumed with its key",
    (error) => assert.include(report(error).text, RESUME)
  )
  it.each([[response(402)], [response(404)], [response(403)], [response(422)]])(
    "that was rejected with %s is not resumed",
    (error) => assert.notInclude(report(error).text, "k-1")
  )
  it("that was made names the instance and the key", () => {
    assert.include(
      report(withInstance(response(500), 7, undefined, "k-1")).text,
      "Instance 7 was bought (idempotency key k-1). See it: vps instance get 7\n"
    )
  })
})

describe("a report", () => {
  it("has a line each for the problem, the solution, and the request ID", () => {
    assert.strictEqual(
      report(response(403, { missingScope: "vps:write" })).text,
      "vps: the message\nvps: Log in with a key that has the vps:write scope: vps login\nvps: Request ID: r-1\n"
    )
    assert.include(report(response(409, { retryAfter: 4, idempotencyKey: undefined })).text, "vps: Try again in 4 s.\n")
  })
  it("names each wrong field", () => {
    const issues = [{ loc: ["body", "hostname"], msg: "too long", type: "x" }, { loc: ["query"], msg: "no", type: "x" }]
    assert.match(report(response(422, { issues })).text, /^vps: hostname: too long\nvps: query: no\nvps: Request/)
  })
  it.each([
    ["os", "Value error, os \"x\" is not available for this plan", "\"x\" is not available for this plan"],
    ["name", "String should have at least 1 character", "should have at least 1 character"],
    ["id", "Input should be a valid integer, unable to parse string as an integer", "should be a whole number"],
    ["ptr", "Field required", "is required"],
    ["colour", "Extra inputs are not permitted", "is not a field of this request"]
  ])("words an issue with %s for people, not for programs: %s", (field, msg, plain) => {
    const { document, text } = report(
      response(422, { issues: [{ loc: ["body", field], msg, type: "x" }], detail: msg })
    )
    assert.include(text, `vps: ${field}: ${plain}\n`)
    assertLike(JSON.parse(document).error, {
      message: `${field}: ${plain}`,
      detail: `${field}: ${plain}`,
      issues: [{ loc: ["body", field], msg: plain, type: "x" }]
    })
  })
  it("says how to continue after a wait timed out", () => {
    const late = withInstance(
      new WaitTimeoutError({ id: 7, target: "idle", resume: "x", status: "running", waitTimeout: 2_000 }, {}),
      7
    )
    assertLike(report(late), {
      exit: EXIT.timeout,
      text:
        "vps: Instance 7 was not ready after 2 s.\nvps: The operation continues. To keep waiting: vps instance wait 7\n"
    })
  })
  it("replaces control characters", () => {
    assert.strictEqual(
      report(response(404, { detail: "a\u001b[2Jb", requestId: "r\u0007" })).text,
      "vps: a?[2Jb\nvps: Request ID: r?\n"
    )
  })
  it("is one JSON document for programs, with the field names of the API", () => {
    assert.deepStrictEqual(JSON.parse(report(response(429, { retryAfter: 3 })).document), {
      error: {
        name: "RateLimitError",
        message: "the message",
        detail: "the message",
        hint: RESUME,
        exit_code: 1,
        status: 429,
        method: "POST",
        path: "/instances",
        attempts: 1,
        request_id: "r-1",
        retry_after: 3,
        idempotency_key: "k-1"
      }
    })
  })
})

describe("suggestions", () => {
  const plans = ["vps-s", "vps-m", "vps-l", "ded-1"]
  it("come closest first, three at most", () => {
    assert.strictEqual(closest("vps-m", plans)[0], "vps-m")
    assert.deepStrictEqual(closest("VPS-X", plans), ["vps-l", "vps-m", "vps-s"])
    assert.deepStrictEqual(closest("ded", plans), ["ded-1"])
    assert.deepStrictEqual(closest("", plans), [])
  })
  it("are only the name that differs in case or punctuation", () => {
    assert.deepStrictEqual(closest("Debian13", ["debian-12", "debian-13", "debian-1"]), ["debian-13"])
    assert.strictEqual(didYouMean("VPS_S", plans), "Did you mean vps-s?")
  })
  it("are all names when none is similar", () => {
    assert.strictEqual(didYouMean("zzzzzz", plans), "Available: vps-s, vps-m, vps-l, ded-1.")
    assert.strictEqual(didYouMean("ded", plans), "Did you mean ded-1?")
    assert.strictEqual(didYouMean("x", []), "None exist.")
  })
  it("are the first ten names of many", () => {
    const names = Array.from({ length: 300 }, (_, index) => `n${index}.example.com`)
    const ten = names.slice(0, 10).join(", ")
    assert.strictEqual(didYouMean("database-primary", names.slice(0, 10)), `Available: ${ten}.`)
    assert.strictEqual(didYouMean("database-primary", names), `Available: ${ten} and 290 more.`)
  })
})

describe("a refused key", () => {
  const hintOf = (status: number, context: string | undefined, more: object = {}) =>
    reportFailure(response(status, { idempotencyKey: undefined, ...more }), { colors: false }, { origin: { context } })
      .text.split("\n")[1]

  it("names its origin, and how to replace it", () => {
    assert.strictEqual(
      hintOf(401, undefined),
      "vps: The key is from VPS_API_KEY. Set it to a valid key, or unset it to use a saved context."
    )
    assert.strictEqual(
      hintOf(401, "staging"),
      "vps: The key is from context \"staging\". Log in with a valid key: vps login --context staging"
    )
    assert.include(
      hintOf(403, "staging", { missingScope: "vps:write" }),
      "Log in with a key that has the vps:write scope: vps login --context staging"
    )
  })
})
