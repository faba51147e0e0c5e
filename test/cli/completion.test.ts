/** The words that can follow a partial command line. */
import * as Command from "effect/cli/Command"
import * as Completions from "effect/cli/Completions"
import { describe, expect, it } from "vitest"
import { vps } from "#sdk/cli/Command"
import { context } from "#sdk/cli/commands/ContextCommands"
import { completions } from "#sdk/cli/completion/Completions"
import { instance } from "#sdk/cli/commands/instance/InstanceCommands"
import { pulumi } from "#sdk/cli/commands/PulumiCommand"
import { parseLine, readLine } from "#sdk/cli/line/CommandLine"

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
  ])("vps %s offers %j", (line, values) => expect(after(line)).toMatchObject({ source: undefined, values }))

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
  ])("vps %s needs %s", (line, source) => expect(after(line).source).toBe(source))

  it("knows the flags before it", () => {
    expect([...after("instance create --plan=vps-s -c staging --wait --os ").flags])
      .toEqual([["plan", "vps-s"], ["context", "staging"], ["wait", ""]])
    expect(after("instance create --plan=vp")).toMatchObject({ prefix: "--plan=", typed: "vp" })
  })
  it("offers flags that are not on the line, and no negations", () => {
    const flags = after("instance create --wait --dry-run -").values
    expect(flags).toEqual(expect.arrayContaining(["--plan", "--yes", "--output", "--debug", "--help"]))
    expect(flags).not.toContain("--wait")
    expect(flags.filter((flag) => flag.startsWith("--no-"))).toEqual([])
    expect(after("instance list -").values.filter((flag) => flag.startsWith("--no-"))).toEqual(["--no-header"])
    expect(after("instance list --filter status=running -").values).toContain("--filter")
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
  ])("vps %s means vps %s", (line, meaning) => expect(read(line)).toBe(meaning))

  it.each([
    "context use server",
    "context use ls",
    "--context ls instance list",
    "instance get ls",
    "instance ssh 7 -- ls",
    "instance list -o=json",
    "instance toString",
    "-zjson"
  ])("vps %s has none", (line) => expect(read(line)).toBe(line))

  it("is completed once a part of it is typed, and completes what follows it", () => {
    expect(after("se").values).toContain("server")
    expect(after("context rm ").source).toBe("contexts")
    expect(after("server get ").source).toBe("instances")
    expect(after("help inst").values).toContain("instance")
  })
})
