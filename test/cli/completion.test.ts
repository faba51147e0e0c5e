/** The words that can follow a partial command line. */
import * as Command from "effect/cli/Command"
import * as Completions from "effect/cli/Completions"
import { assert, describe, it } from "vitest"
import { vps } from "#sdk/cli/Command"
import { context } from "#sdk/cli/commands/ContextCommands"
import { completions } from "#sdk/cli/completion/Completions"
import { instance } from "#sdk/cli/commands/instance/InstanceCommands"
import { pulumi } from "#sdk/cli/commands/PulumiCommand"
import { parseLine, readLine } from "#sdk/cli/line/CommandLine"
import { assertLike } from "../support/like.ts"

const root = Completions.fromCommand(vps.pipe(Command.withSubcommands([context, instance, pulumi, completions])))

/** The line up to the cursor. */
const after = (line: string) => {
  const { candidates, source, ...next } = parseLine(root, line.split(" "))
  return { ...next, source, values: candidates.map(({ value }) => value) }
}

describe("a partial command line", () => {
  it.each([
    ["", ["context", "instance", "pulumi", "completions"]],
    ["context ", ["list", "use", "remove"]],
    ["completions ", ["bash", "zsh", "fish"]],
    ["instance metrics 7 --range ", ["1h", "6h", "24h", "7d", "30d"]],
    ["-o ", ["table", "json", "yaml", "id"]],
    ["instance ssh 7 -- ", []],
    ["instance get 7 ", []]
  ])("vps %s offers %j", (line, values) => assertLike(after(line), { source: undefined, values }))

  it.each([
    ["instance get ", "instances"],
    ["instance stop web.example.com db", "instances"],
    ["instance --context staging get ", "instances"],
    ["instance create --plan ", "plans"],
    ["instance create --plan=", "plans"],
    ["instance create --os ", "images"],
    ["context use ", "contexts"],
    ["instance list -c ", "contexts"],
    ["instance create --ssh-key ", "files"],
    ["instance create --root-password ", "files"],
    ["pulumi orphans a.json ", "files"]
  ])("vps %s needs %s", (line, source) => assert.strictEqual(after(line).source, source))

  it("knows the flags before it", () => {
    assert.deepStrictEqual([...after("instance create --plan=vps-s -c staging --wait --os ").flags], [
      ["plan", "vps-s"],
      ["context", "staging"],
      ["wait", ""]
    ])
    assertLike(after("instance create --plan=vp"), { prefix: "--plan=", typed: "vp" })
  })
  it("offers flags that are not on the line, and no negations", () => {
    const flags = after("instance create --wait --dry-run -").values
    assert.includeMembers(flags, ["--plan", "--yes", "--output", "--debug", "--help"])
    assert.notInclude(flags, "--wait")
    assert.deepStrictEqual(flags.filter((flag) => flag.startsWith("--no-")), [])
    assert.deepStrictEqual(after("instance list -").values.filter((flag) => flag.startsWith("--no-")), ["--no-header"])
    assert.include(after("instance list --filter status=running -").values, "--filter")
  })
})

describe("an alias", () => {
  const read = (line: string): string => readLine(root, line.split(" ")).words.join(" ")

  it.each([
    ["ls", "instance list"],
    ["-o json ls --sort plan", "-o json instance list --sort plan"],
    ["server ls", "instance list"],
    ["help instance create", "--help instance create"],
    ["version", "--version"],
    ["context delete a", "context remove a"],
    ["instance rm 7", "instance delete 7"],
    ["instance list -ojson", "instance list -o json"],
    ["instance create -yojson", "instance create -y -o json"]
  ])("vps %s means vps %s", (line, meaning) => assert.strictEqual(read(line), meaning))

  it.each([
    "context use server",
    "context use ls",
    "--context ls instance list",
    "instance get ls",
    "instance ssh 7 -- ls",
    "instance list -o=json",
    "instance toString",
    "-zjson"
  ])("vps %s has none", (line) => assert.strictEqual(read(line), line))

  it("is completed once a part of it is typed, and completes what follows it", () => {
    assert.include(after("se").values, "server")
    assert.strictEqual(after("context rm ").source, "contexts")
    assert.strictEqual(after("server get ").source, "instances")
    assert.include(after("help inst").values, "instance")
  })
})
