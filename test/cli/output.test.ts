/** The output of `vps`: tables, charts, and the formats of money, time, and size. */
import * as Effect from "effect/Effect"
import { sanitize } from "#contract/CommandLine"
import { assert, describe, it, vi } from "vitest"
import { parse } from "yaml"
import { chart, downsample } from "#sdk/cli/commands/instance/MonitoringCommands"
import { json, OUTPUT_FORMATS, type OutputFormat, render } from "#sdk/cli/output/Output"
import { bytes, dateTime, decimal, duration, money, percent, rate } from "#sdk/cli/output/Format"
import { type Column, fields, table } from "#sdk/cli/output/List"
import { detectCapabilities, paint, type TerminalCapabilities } from "#sdk/cli/terminal/Terminal"
import { assertExactlyLike } from "../support/like.ts"

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
