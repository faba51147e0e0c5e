/** `vps --help` lists and documents every command in 80 columns. */
import { availableParallelism } from "node:os"
import { assert, beforeAll, describe, it } from "vitest"
import { ALIASES } from "#sdk/cli/line/CommandLine"
import { EXIT_CODES } from "#sdk/cli/errors/CommandError"
import { codeBlocks, DOCUMENTS, readDocument } from "../support/documents.ts"
import { runVps } from "../support/vps.ts"
import { assertExactlyLike, assertLike, isText } from "../support/like.ts"

const INSTANCE = "list get create start stop restart reinstall reset-password set-hostname resize plans status metrics "
  + "tasks wait ssh"

/** Every command that does something. */
const LEAVES = [
  "login",
  "logout",
  "context list",
  "context use",
  "context remove",
  "whoami",
  "account",
  "plan list",
  "os list",
  ...INSTANCE.split(" ").map((name) => `instance ${name}`),
  ...["list", "create", "restore", "delete"].map((name) => `snapshot ${name}`),
  "backup list",
  "backup restore",
  "iso list",
  "iso mount",
  "iso unmount",
  "rdns set",
  "rescue enter",
  "rescue exit",
  "pulumi orphans",
  "terraform init",
  "completions"
]
const GROUPS = [
  "",
  "context",
  "plan",
  "os",
  "instance",
  "snapshot",
  "backup",
  "iso",
  "rdns",
  "rescue",
  "pulumi",
  "terraform"
]

const COLUMNS = 80

/** The output of each, run a few at a time. */
const helpOf = async (commands: ReadonlyArray<string>): Promise<ReadonlyMap<string, string>> => {
  const texts = new Map<string, string>()
  const waiting = [...commands]
  const work = async (): Promise<void> => {
    for (let command = waiting.pop(); command !== undefined; command = waiting.pop()) {
      const { code, stderr, stdout } = await runVps([...command.split(" ").filter(Boolean), "--help"])
      assert.deepStrictEqual({ command, code, stderr }, { command, code: 0, stderr: "" })
      texts.set(command, stdout)
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work))
  return texts
}

const section = (text: string, title: string): string =>
  new RegExp(`(?:^|\\n)${title}\\n((?: .*\\n)+)`).exec(text)?.[1] ?? ""

let texts: ReadonlyMap<string, string>
beforeAll(async () => {
  texts = await helpOf([...GROUPS, ...LEAVES])
}, 60_000)

describe("vps --help", () => {
  it("lists every command, and no other", () => {
    const named = GROUPS.flatMap((group) =>
      section(texts.get(group)!, "COMMANDS").split("\n").flatMap((line) => {
        const name = /^ {2}(\S+)/.exec(line)?.[1]
        return name === undefined ? [] : [group === "" ? name : `${group} ${name}`]
      })
    )
    assert.deepStrictEqual(named.toSorted(), [...LEAVES, ...GROUPS.filter(Boolean)].toSorted())
  })
  it.each(Object.entries(ALIASES))("names the aliases of \"%s\", as does docs/cli.md", (group, aliases) => {
    const named = new Map(
      section(texts.get(group)!, "ALIASES").trim().split("\n").flatMap((row) => {
        const [meaning, names] = row.trim().split(/ {2,}/)
        return names!.split(", ").map((name) => [name, meaning] as const)
      })
    )
    const listed = Object.entries(aliases).filter(([, meaning]) => meaning !== "delete" || group !== "instance")
    assert.deepStrictEqual(named, new Map(listed))
    const guide = readDocument("docs/cli.md")
    for (const alias of Object.keys(aliases)) assert.include(guide, `\`vps ${`${group} ${alias}`.trim()}`)
  })
  it("documents every exit code", () => {
    const codes = section(texts.get("")!, "EXIT CODES").match(/^ {2}\d+/gm)!.map(Number)
    assert.deepStrictEqual(codes, [0, 1, 2, 3, 4, 5, 124, 130])
  })
  it("a group without a subcommand prints its help", async () => {
    const { code, stdout } = await runVps(["instance"])
    assert.deepStrictEqual({ code, stdout }, { code: 0, stdout: texts.get("instance") })
  })
  it("--version prints the version", async () => {
    assertLike(await runVps(["--version"]), {
      code: 0,
      stdout: /^vps \d+\.\d+\.\d+\n$/
    })
  })
})

describe.each([...GROUPS, ...LEAVES])("vps %s --help", (command) => {
  const text = () => texts.get(command)!
  it("fits 80 columns, and describes everything", () => {
    const lines = text().split("\n")
    assert.deepStrictEqual(lines.filter((line) => line.length > COLUMNS || /\s$/.test(line)), [])
    assert.match(lines[0]!, /^[A-Z].{8,}/)
    const rows = ["COMMANDS", "ARGUMENTS", "FLAGS", "GLOBAL FLAGS"]
      .flatMap((title) => section(text(), title).split("\n").filter((line) => /^ {2}\S/.test(line)))
    // A long name alone in its line has its description below.
    assert.deepStrictEqual(rows.filter((row) => !/^ {2}\S.*? {2,}\S|^ {2}-.{25,}$/.test(row)), [])
  })
  it("shows the usage", () => {
    assert.include(section(text(), "USAGE"), `vps ${command}`.trim())
  })
})

describe("examples", () => {
  it.each(LEAVES)("vps %s has an example", (command) => {
    assert.include(section(texts.get(command)!, "EXAMPLES"), `vps ${command}`)
  })
})

it("docs/cli.md lists every exit code with the text of --help", () => {
  const listed = [...readDocument("docs/cli.md").matchAll(/^\| (\d+) +\| (.+?) +\|$/gm)]
  const plain = (text: string) => text.replaceAll("`", "").toLowerCase()
  assert.deepStrictEqual(
    listed.map(([, code, meaning]) => [Number(code), plain(meaning!)]),
    EXIT_CODES.map(([code, meaning]) => [code, plain(meaning)])
  )
})

describe("the commands in the documents", () => {
  const blocks = DOCUMENTS.flatMap((path) => codeBlocks(readDocument(path), "sh"))
  const lines = blocks.flatMap((block) =>
    [...block.matchAll(/^(?:npx |id=\$\()?(vps [a-z][^#|\n]*)/gm)].map(([, line]) => line!)
  )
  it.each(lines)("%s is valid", (line) => {
    const leaf = LEAVES.find((name) => line.startsWith(`vps ${name}`))
    const flags = line.match(/(?<=\s)--?[a-z][a-z-]*/g) ?? []
    const help = texts.get(leaf ?? "")!
    assertExactlyLike({ leaf, unknown: flags.filter((flag) => !new RegExp(`(^|[ ,])${flag}[ ,\n]`, "m").test(help)) }, {
      leaf: isText,
      unknown: []
    })
  })
})
