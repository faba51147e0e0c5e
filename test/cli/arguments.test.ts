/** The arguments of the command line: completion, help, and instances by their names. */
import * as Command from "effect/cli/Command"
import * as Completions from "effect/cli/Completions"
import * as Context from "effect/Context"
import * as Option from "effect/Option"
import * as Effect from "effect/Effect"
import { assert, describe, it } from "vitest"
import { vps } from "#sdk/cli/Command"
import { context } from "#sdk/cli/commands/ContextCommands"
import { completions } from "#sdk/cli/completion/Completions"
import { instance } from "#sdk/cli/commands/instance/InstanceCommands"
import { pulumi } from "#sdk/cli/commands/PulumiCommand"
import { parseLine, readLine } from "#sdk/cli/line/CommandLine"
import { assertExactlyLike, assertLike, containing } from "../support/like.ts"
import type { HelpDoc } from "effect/cli/HelpDoc"
import { help, wrap } from "#sdk/cli/output/Help"
import type { TerminalCapabilities } from "#sdk/cli/terminal/Terminal"
import { findInstance } from "#sdk/cli/shared/Selection"
import { instances, parseProviderData } from "#sdk/cli/shared/Views"
import { parseFilters } from "#sdk/cli/output/List"
import { startEmulator } from "#sdk/testing/index"
import type { Instance } from "#sdk/index"

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

/** A failed one, two with the same hostname, and one whose hostname is only ordered yet. */
const bought = async (): Promise<ReadonlyArray<Instance>> => {
  await using emulator = await startEmulator({ seed: { deploy: { mode: "instant" } } })
  const { instances: calls } = emulator.client()
  const names = ["web.example.com", "db.example.com", "db.example.com"]
  for (const hostname of names) await calls.createAndWait({ service_id: 1, hostname })
  await emulator.deploy.after(3_600_000)
  await calls.create({ service_id: 2, hostname: "new.example.com" })
  return await calls.list()
}
const all = await bought()

const found = (named: string, list = all) =>
  Effect.runPromise(Effect.match(findInstance(named, list), {
    onFailure: ({ exit, hint, message }) => ({ exit, message, hint }),
    onSuccess: ({ id }) => id
  }))

describe("an instance", () => {
  it("is named by ID, or by hostname in any case", async () => {
    assert.strictEqual(await found("1"), 1)
    assert.strictEqual(await found("web.example.com"), 1)
    assert.strictEqual(await found("WEB.Example.COM"), 1)
  })
  it("has the ordered hostname while it is provisioned", async () => {
    assertLike(all[3], { status: "provisioning", provider_data: null })
    assert.deepStrictEqual(parseProviderData(all[3]!), { hostname: "new.example.com", os: "debian-12" })
    assert.strictEqual(await found("new.example.com"), 4)
  })
  it("with the hostname of another must be named by ID", async () => {
    const message =
      /^2 instances have the hostname db\.example\.com: 2 \(running, vps-s, [\d.]+\), 3 \(running, vps-s, [\d.]+\)\.$/
    assertExactlyLike(await found("db.example.com"), { exit: 2, message, hint: "Use the ID of one." })
  })
  it("that failed is only meant if no other has its hostname", async () => {
    const failed = all.map((each) => each.id === 2 ? { ...each, status: "failed" } : each)
    assert.strictEqual(await found("db.example.com", failed), 3)
    assert.strictEqual(await found("db.example.com", failed.slice(0, 2)), 2)
  })
  it("that does not exist suggests similar hostnames", async () => {
    assertLike(await found("wev.example.com"), { exit: 3, hint: containing("web.example.com") })
    assertLike(await found("99"), { exit: 3, message: "Instance \"99\" not found." })
  })
})

describe("--filter", () => {
  const filtered = (...conditions: ReadonlyArray<string>) =>
    Effect.runPromise(Effect.match(parseFilters(instances.columns, conditions), {
      onFailure: ({ message }) => message,
      onSuccess: (test) => all.filter(test).map(({ id }) => id)
    }))

  it.each([
    [["status=running"], [1, 2, 3]],
    [["status!=running"], [4]],
    [["hostname=*.example.com", "plan=vps-m"], [4]],
    [["hostname=web*,NEW*"], [1, 4]],
    [["hostname=web.example.co."], []],
    [["ipv4=-"], [4]],
    [[], [1, 2, 3, 4]]
  ])("%j selects %j", async (conditions, ids) => assert.deepStrictEqual(await filtered(...conditions), ids))
  it("an unknown column, or no condition, is an error", async () => {
    assert.strictEqual(await filtered("colour=red"), "There is no column \"colour\".")
    assert.strictEqual(await filtered("running"), "--filter running is not a condition.")
  })
})
