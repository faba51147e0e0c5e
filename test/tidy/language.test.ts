/** The language rules hold in the whole tree, and each finds a sample that breaks it. */
import { assert, describe, it } from "vitest"
import { findings } from "./findings.ts"
import { language, names, pageLanguage } from "./language.ts"
import { parse, type Problem } from "./Source.ts"
import { TERMS } from "./terms.ts"

const show = (problems: ReadonlyArray<Problem>) =>
  problems.map(({ line, message, path }) => `${path}:${line} ${message}`)

const found = (path: string, text: string) => language(parse(path, text))

/** Each breaks one rule once. */
const BREAKS: ReadonlyArray<readonly [path: string, text: string]> = [
  ["sdk/a.ts", "/** What the caller pays. */"],
  ["sdk/a.ts", "/**\n * Who pays.\n */"],
  ["test/a.ts", "// Whether it is paid."],
  ["sdk/a.ts", "/** How long to wait. */"],
  ["sdk/a.ts", "/** ms; how long: 1. What it takes. */".replace("how long: 1. What", "What")],
  ["sdk/a.ts", "/** When it ends. */"],
  ["sdk/a.ts", "/** Where it lies. */"],
  ["sdk/a.ts", "/** Pays.\n * @param by - Who pays. */"],
  ["sdk/a.ts", "// The payer is\n// told of it."],
  ["sdk/a.ts", "const a = 1 // one is kept"],
  ["service/a.ts", "fail(\"This is no number.\")"],
  ["service/a.ts", "fail(`The header ${name} was asked for.`)"],
  ["provider/a.ts", "/** The server is running. */"],
  ["provider/a.ts", "warn(`server ${id} is gone now`)"],
  ["sdk/a.ts", "/** Buys a server. */"],
  ["sdk/a.ts", "say(\"The machine is off.\")"],
  ["test/a.test.ts", "it(\"is kept\", () => {})"],
  ["test/a.test.ts", "it.effect.each(rows)(\"%s is asked for\", () => {})"],
  ["test/a.ts", "export const rows = { \"a row that is kept\": 1 }"],
  ["test/a.test.ts", "it(\"tasks: list and clear\", () => {})"],
  ["test/a.test.ts", "it.each(rows)(\"2: %s\", () => {})"]
]

const KEEPS: ReadonlyArray<readonly [path: string, text: string]> = [
  ["sdk/a.ts", "/** The amount that the caller pays. */"],
  ["sdk/a.ts", "// When it fails, it is retried."],
  ["sdk/a.ts", "/** True if `what was told` is paid. */"],
  ["service/a.ts", "const sql = \"SELECT told FROM kept WHERE asked\""],
  ["service/a.ts", "const text = \"// What\"\nconst form = /\\/\\/ Whoever/"],
  ["test/a.test.ts", "assert.include(text, \"what was asked is kept\")"],
  ["test/a.test.ts", "it.each(rows)(\"%s: %i is refused\", () => {})"],
  ["sdk/a.ts", "/** There is no such instance; it is no longer paid. */"],
  ["sdk/a.ts", "/** The API server closed the connection; run it on another machine. */"],
  ["service/a.ts", "/** The machine is off. */"],
  ["provider/a.ts", "/** Connects to the engine's gRPC server. */"]
]

/** One sentence for each term, in the terms' order. */
const SENTENCES = [
  "The payer is told.",
  "The driver was asked.",
  "The row is kept.",
  "The id is given.",
  "It was seen last.",
  "The session hears it.",
  "The wish is read.",
  "A patient call.",
  "The rows are sown.",
  "A name by chance.",
  "Its duties are few.",
  "The worker is woken.",
  "A second after each look.",
  "It stands in the state.",
  "The wait goes on.",
  "The file is there.",
  "It fails whoever calls.",
  "It takes nothing but text.",
  "Nobody calls it.",
  "Another room has it.",
  "Past this border.",
  "This is no name.",
  "Something else than text.",
  "Items divided by commas.",
  "It begins anew.",
  "It is gone for good.",
  "Begun in the same breath.",
  "The task is carried out.",
  "Nothing is in the way of it.",
  "Not the machine that this runs on.",
  "This is a defect of vps.",
  "Answers its id.",
  "Ends when it is paid."
]

describe("language", () => {
  it("is plain in every file", () => {
    assert.deepStrictEqual(show(findings()), [])
  })

  it.each(BREAKS)("finds what breaks a rule in %s: %s", (path, text) => {
    assert.lengthOf(show(found(path, text)), 1)
  })

  it.each(KEEPS)("passes what keeps the rules in %s: %s", (path, text) => {
    assert.deepStrictEqual(show(found(path, text)), [])
  })

  it("finds each term of the list", () => {
    assert.lengthOf(SENTENCES, TERMS.length)
    assert.deepStrictEqual(TERMS.filter(({ pattern }, index) => !pattern.test(SENTENCES[index]!)), [])
  })

  it("finds a term in a page, but not in its code", () => {
    const page = "The payer is told.\n\n```sh\nvps told\n```\n\nRun `vps told`."
    assert.lengthOf(show(pageLanguage("README.md", page)), 1)
  })

  it("finds the names of files and of exports", () => {
    assert.lengthOf(names(parse("sdk/Leftovers.ts", "export const a = 1")), 1)
    assert.lengthOf(names(parse("sdk/a.ts", "export const isKept = 1\nexport interface TasksAsked {}")), 2)
    assert.deepStrictEqual(names(parse("sdk/Tasks.ts", "export const isPaid = 1\nconst asked = 1")), [])
  })

  it("says where, which word, and what to write", () => {
    assert.deepStrictEqual(show(found("sdk/a.ts", "\n/** The payer is told. */")), [
      "sdk/a.ts:2 \"told\": use notify, publish, report, say (tell apart: distinguish) in \"...The payer is told....\""
    ])
  })
})
