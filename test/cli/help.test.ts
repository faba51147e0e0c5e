/** The layout of help texts. */
import * as Context from "effect/Context"
import type { HelpDoc } from "effect/cli/HelpDoc"
import * as Option from "effect/Option"
import { assert, describe, it } from "vitest"
import { help, wrap } from "#sdk/cli/output/Help"
import type { TerminalCapabilities } from "#sdk/cli/terminal/Terminal"

const pipe: TerminalCapabilities = {
  isTerminal: false,
  columns: Number.POSITIVE_INFINITY,
  colors: false,
  canRedraw: false
}

const doc: HelpDoc = {
  description: "Does a thing.\nAnd says more about it.",
  usage: "vps thing [flags]",
  commandPath: ["vps", "thing"],
  annotations: Context.empty(),
  flags: [
    { name: "all", aliases: ["-a"], type: "boolean", description: Option.some("All of it"), required: false },
    {
      name: "a-name-that-is-very-long-indeed",
      aliases: [],
      type: "a|b",
      description: Option.some("One of them (choices: a, b)"),
      required: true
    }
  ],
  examples: [{ command: "vps thing" }, {
    command: `vps thing ${"--flag value ".repeat(8)}`.trim(),
    description: "Long"
  }]
}

describe("wrapped", () => {
  it("breaks between words, and never within one", () => {
    assert.deepStrictEqual(wrap("aa bb cc", 5), ["aa bb", "cc"])
    assert.deepStrictEqual(wrap("a-very-long-word b", 5), ["a-very-long-word", "b"])
  })
})

describe("help", () => {
  it("puts a long name above its description, and a long example into lines that can be copied", () => {
    assert.strictEqual(
      help(doc, pipe),
      [
        "Does a thing.",
        "And says more about it.",
        "",
        "USAGE",
        "  vps thing [flags]",
        "",
        "FLAGS",
        "  -a, --all  All of it",
        "  --a-name-that-is-very-long-indeed a|b",
        "             One of them (required)",
        "",
        "EXAMPLES",
        "  vps thing",
        "",
        "  # Long",
        "  vps thing --flag value --flag value --flag value --flag value --flag value \\",
        "    --flag value --flag value --flag value",
        ""
      ].join("\n")
    )
  })
  it("is narrower on a narrow terminal", () => {
    const lines = help({ ...doc, examples: [] }, { ...pipe, isTerminal: true, columns: 40 }).split("\n")
    assert.deepStrictEqual(lines.filter((line) => line.length > 40), [])
  })
})
