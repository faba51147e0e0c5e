/** What `vps` prints: tables, charts, and words for money, time and size. */
import { describe, expect, it } from "vitest"
import { chart, squeezed } from "#sdk/cli/output/Chart"
import { json } from "#sdk/cli/output/Show"
import { type Column, fields, table } from "#sdk/cli/output/Table"
import { bytes, decimal, moment, money, percent, rate, span } from "#sdk/cli/output/Words"
import { harmless, paint, type Surface, surfaceOf } from "#sdk/cli/terminal/Surface"

const pipe: Surface = { terminal: false, columns: Number.POSITIVE_INFINITY, colours: false, redraws: false }
const screen = (columns: number, colours = false): Surface => ({ terminal: true, columns, colours, redraws: true })

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
  it("aligns columns, numbers to the right, and says when there is nothing", () => {
    expect(table(COLUMNS, [{ id: 7, name: "a" }, { id: 10, name: "long one" }], pipe))
      .toBe("ID  NAME      LENGTH\n 7  a         1\n10  long one  8\n")
    expect(table(COLUMNS, [], pipe)).toBe("none\n")
  })
  it("cuts the widest column to the width of the terminal, and nothing where nobody looks", () => {
    const rows = [{ id: 1, name: "x".repeat(100) }]
    const lines = table(COLUMNS, rows, screen(40)).split("\n")
    expect(lines[1]).toMatch(/^ 1 {2}x+… {2}100$/)
    expect(Math.max(...lines.map((line) => [...line].length))).toBe(40)
    expect(table(COLUMNS, rows, pipe)).toContain("x".repeat(100))
  })
  it("counts what a terminal shows, not what a string holds", () => {
    const [, wide, narrow] = table(COLUMNS, [{ id: 1, name: "日本" }, { id: 2, name: "abcd" }], pipe).split("\n")
    expect([wide, narrow]).toEqual([" 1  日本  2", " 2  abcd  4"])
  })
  it("colours cells without moving them", () => {
    const coloured = table(COLUMNS, [{ id: 1, name: "a" }], screen(80, true))
    expect(coloured).toContain("\u001b[32ma   \u001b[0m")
  })
  it("obeys no control characters of a host", () => {
    expect(table(COLUMNS, [{ id: 1, name: "\u001b[31mred\u009b" }], pipe)).toContain("?[31mred?")
    expect(harmless("a\nb")).toBe("a?b")
    expect(fields([["Name", "x\u0007"]], pipe)).toBe("Name  x?\n")
  })
})

describe("chart", () => {
  it("is filled by the highest value and empty at 0", () => {
    expect(chart([0, 12, 24], 80)).toEqual(["  █", " ▄█", " ██"])
    expect(chart([0, 0], 80)).toEqual(["", "", ""])
  })
  it("keeps every peak when there are more values than columns", () => {
    expect(squeezed([1, 9, 1, 1, 1, 8], 3)).toEqual([9, 1, 8])
    expect(squeezed([1, 2], 3)).toEqual([1, 2])
    expect(chart(Array.from({ length: 500 }, (_, at) => at + 1), 60).at(-1)).toHaveLength(60)
  })
})

describe("words", () => {
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
    [span(0.5), "0 s"],
    [span(125), "2 min 5 s"],
    [span(3600), "1 h"],
    [span(273_840), "3 d 4 h"],
    [moment(null), "-"],
    [moment("soon"), "soon"]
  ])("%s", (said, wanted) => expect(said).toBe(wanted))
  it("a moment is told in the time zone of the person", () => {
    const at = new Date(2026, 10, 3, 9, 5)
    expect(moment(at.toISOString())).toBe("2026-11-03 09:05")
  })
})

describe("a surface", () => {
  const environment = { apiKey: undefined, baseUrl: undefined, file: "", allowsColour: true, dumb: false }
  it("has a width and colours on a terminal only", () => {
    expect(surfaceOf({ isTTY: true, columns: 100 }, environment)).toEqual(screen(100, true))
    expect(surfaceOf({ isTTY: true, columns: 0 }, environment).columns).toBe(80)
    expect(surfaceOf({}, environment)).toEqual(pipe)
    expect(surfaceOf({ isTTY: true }, { ...environment, allowsColour: false }).colours).toBe(false)
    expect(surfaceOf({ isTTY: true }, { ...environment, dumb: true }).redraws).toBe(false)
  })
  it("paints where it takes colours", () => {
    expect(paint({ colours: true }, "red", "x")).toBe("\u001b[31mx\u001b[0m")
    expect(paint({ colours: false }, "red", "x")).toBe("x")
  })
})

describe("json", () => {
  it("holds no character that a terminal would obey", () => {
    const text = json({ a: "\u001b\u009b\u007f" })
    expect(text).toContain("\\u001b\\u009b\\u007f")
    expect(JSON.parse(text)).toEqual({ a: "\u001b\u009b\u007f" })
  })
})
