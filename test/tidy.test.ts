/** The style rules as a test. A sample that breaks it proves that each rule still works. */
import { globSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { GROUPS } from "../.config/stryker.config.ts"
import {
  barrels,
  circles,
  orphans,
  publishedEntries,
  resolve,
  strangers,
  topLevel,
  undeclared,
  unresolved
} from "./tidy/graph.ts"
import { RULES } from "./tidy/rules.ts"
import { parse, type Problem, ROOT, sources } from "./tidy/Source.ts"
import { assertLike } from "./support/like.ts"

const tree = sources()
const show = (problems: ReadonlyArray<Problem>) =>
  problems.map(({ line, message, path }) => `${path}:${line} ${message}`)

/** A glob with braces as one glob for each alternative. */
const alternatives = (glob: string): ReadonlyArray<string> => {
  const [, before = "", inside, after = ""] = /^(.*?)\{([^}]*)\}(.*)$/.exec(glob) ?? []
  return inside === undefined ? [glob] : inside.split(",").flatMap((one) => alternatives(before + one + after))
}

/** Files that break one rule, and twins that keep it. */
const SAMPLES: Record<keyof typeof RULES, { breaks: Array<[string, string]>; keeps: Array<[string, string]> }> = {
  lineLength: {
    breaks: [["sdk/a.ts", `// ${"x".repeat(118)}`]],
    keeps: [["sdk/a.ts", `// ${"x".repeat(117)}`]]
  },
  driverNames: {
    breaks: [
      ["service/admin/a.ts", "// The hosts of libvirt."],
      ["service/domain/a.ts", "const a = `virsh destroy ${b}`"],
      ["service/tasks/a.ts", "const a = \"/var/log/libvirt/qemu/a.log\""]
    ],
    keeps: [
      ["service/provisioning/drivers/libvirt/a.ts", "const a = `virsh destroy ${b}`"],
      ["service/config/a.ts", "const a = \"libvirt\""]
    ]
  },
  hostWords: {
    breaks: [
      ["provider/instance/a.ts", "const a = `Run \\`pulumi up\\` ${b} again`"],
      ["provider/purchase/a.ts", "const a = \"set maxCharge to more\""],
      ["provider/session/a.ts", "const a = `set generation: ${b} or`"],
      ["provider/Config.ts", "const a = \"or the setting vps:waitFor\""]
    ],
    keeps: [
      ["provider/instance/a.ts", "const a = `Run ${b} again`"],
      ["provider/instance/Definition.ts", "const a = \"the default of `maxCharge` is\""],
      ["provider/plugin-host/a.ts", "const a = \"run `pulumi up` again\""],
      ["provider/HostWords.ts", "const a = \"run `pulumi up` again\""]
    ]
  },
  wallClock: {
    breaks: [
      ["service/a.ts", "const a = Date.now()"],
      ["service/a.ts", "const a = new Date()"],
      ["service/a.ts", "const a = Date()"],
      ["service/a.ts", "const f = (now = Date.now) => now()"]
    ],
    keeps: [["service/a.ts", "const a = new Date(millis)"], ["test/support/a.ts", "const a = Date.now()"]]
  },
  chance: {
    breaks: [["test/a.ts", "const a = Math.random()"]],
    keeps: [["sdk/a.ts", "const a = Math.max(1, 2)"]]
  },
  environment: {
    breaks: [["service/http/a.ts", "const a = process.env[\"A\"]"], ["sdk/client/Vps.ts", "const { A } = process.env"]],
    keeps: [["service/config/FromProcess.ts", "const a = process.env"], [
      "sdk/cli/Environment.ts",
      "const a = process.env"
    ], [
      "examples/a/index.ts",
      "const a = process.env"
    ], ["service/runtime/ProcessTuning.ts", "const a = process.env"]]
  },
  output: {
    breaks: [["sdk/a.ts", "console.log(1)"], ["provider/a.ts", "const log = console.error"]],
    keeps: [["examples/a/index.ts", "console.log(1)"]]
  },
  anyCast: {
    breaks: [["test/a.ts", "const a = b as any"], ["sdk/a.ts", "const a = <any>b"]],
    keeps: [["sdk/a.ts", "const a = b as unknown"]]
  },
  moneyFormat: {
    breaks: [["service/orders/a.ts", "const a = price.toFixed(2)"]],
    keeps: [["service/domain/Money.ts", "const a = price.toFixed(2)"]]
  },
  throwInEffect: {
    breaks: [
      ["sdk/a.ts", "Effect.gen(function*() { throw new Error() })"],
      ["sdk/a.ts", "const f = Effect.fn(\"f\")(function*() { if (a) { throw new Error() } })"],
      ["sdk/a.ts", "const f = Effect.fnUntraced(function*() { throw new Error() })"]
    ],
    keeps: [["sdk/a.ts", "const f = () => { throw new Error() }"], [
      "sdk/a.ts",
      "Effect.gen(function*() { yield* Effect.try(() => { throw new Error() }) })"
    ]]
  },
  assertions: {
    breaks: [["test/a.test.ts", "import { assert, expect, it } from \"vitest\""], [
      "test/a.test.ts",
      "await vi.waitFor(read)"
    ]],
    keeps: [
      ["test/a.test.ts", "import { assert, expectTypeOf, it } from \"@effect/vitest\""],
      ["examples/a/a.test.ts", "import { expect, it } from \"vitest\""]
    ]
  },
  fileName: {
    breaks: [["test/e2e/provider-crash.ci.test.ts", ""], ["test/provider/Config.test.ts", ""]],
    keeps: [["test/e2e/providerCrash.ci.test.ts", ""], ["test/http/errors.test.ts", ""], ["test/support/App.ts", ""]]
  },
  importForm: {
    breaks: [
      ["sdk/a.ts", "import { b } from \"./b\""],
      ["sdk/a.ts", "import { b } from \"./b.js\""],
      ["sdk/a.ts", "export { b } from \"../service/b.ts\""],
      ["test/sdk/a.ts", "const b = await import(\"../../sdk/b.ts\")"],
      ["sdk/a.ts", "import { b } from \"../test/b.ts\""],
      ["sdk/a.ts", "import { Effect } from \"effect\""],
      ["sdk/a.ts", "import type { NodeRuntime } from \"@effect/platform-node\""]
    ],
    keeps: [["sdk/a.ts", "import * as Effect from \"effect/Effect\"\nimport { b } from \"./b.ts\""], [
      "sdk/a.ts",
      "import type { C } from \"#contract/C\""
    ]]
  }
}

describe("the tree", () => {
  it.each(Object.entries(RULES))("keeps the rule %s", (_, rule) => {
    assert.deepStrictEqual(show(tree.flatMap(rule)), [])
  })
  it("has barrels only as published entries", () => assert.deepStrictEqual(show(barrels(tree)), []))
  it("has no circles of folders in product code", () => {
    const product = tree.filter(({ path }) => /^(sdk|service|provider)\//.test(path))
    assert.deepStrictEqual(show(circles(product)), [])
  })
  it("has no orphans", () => assert.deepStrictEqual(show(orphans(tree)), []))
  it("has no import that only an earlier build could resolve", () => assert.deepStrictEqual(show(unresolved(tree)), []))
  it("imports no package that its own manifest does not declare", () =>
    assert.deepStrictEqual(show(undeclared(tree)), []))
  it("holds nothing unexpected at the top", () => assert.deepStrictEqual(show(strangers(topLevel())), []))
  it("is read whole", () => {
    const folders = new Set(tree.map(({ path }) => path.split("/")[0]))
    assert.deepStrictEqual([...folders].toSorted(), [".config", "examples", "provider", "sdk", "service", "test"])
  })
  it("has the files that the mutation run names", () => {
    const patterns = GROUPS.flatMap(({ parts }) => parts.flatMap(({ mutate, tests }) => [...mutate, ...tests]))
    assert.deepStrictEqual(
      patterns.flatMap(alternatives).filter((path) => globSync(path, { cwd: ROOT }).length === 0),
      []
    )
  })
  it("has the published entries it names", () => {
    const paths = new Set(tree.map(({ path }) => path))
    assert.deepStrictEqual(publishedEntries().filter((path) => !paths.has(path)), [])
  })
})

describe("the rules of the tree", () => {
  const names = Object.keys(RULES) as Array<keyof typeof RULES>
  it.each(names)("%s finds what breaks it", (name) => {
    const missed = SAMPLES[name].breaks.filter(([path, text]) => RULES[name](parse(path, text)).length === 0)
    assert.deepStrictEqual(missed, [])
    assert.isAbove(SAMPLES[name].breaks.length, 0)
  })
  it.each(names)("%s passes what keeps it", (name) => {
    const found = SAMPLES[name].keeps.flatMap(([path, text]) => RULES[name](parse(path, text)))
    assert.deepStrictEqual(show(found), [])
  })
  it("a barrel outside the published entries is found", () => {
    const barrel = parse("sdk/client/index.ts", "export * from \"./a.ts\"\nexport { b } from \"./b.ts\"")
    assert.lengthOf(barrels([barrel]), 1)
    assert.deepStrictEqual(barrels([{ ...barrel, path: "sdk/index.ts" }]), [])
    assert.deepStrictEqual(barrels([parse("sdk/a.ts", "export { b } from \"./b.ts\"\nexport const c = 1")]), [])
  })
  it("a circle of folders is found, also over a third one and by types, but not between a folder and its entry", () => {
    const files = [
      parse("sdk/a/One.ts", "import { two } from \"../b/below/Two.ts\""),
      parse("sdk/b/Other.ts", "import type { Three } from \"#sdk/c/Three\""),
      parse("sdk/c/Three.ts", "import \"../a/One.ts\"\nimport \"../d/Four.ts\""),
      parse("sdk/Entry.ts", "import \"./d/Four.ts\""),
      parse("sdk/d/Four.ts", "import \"../Entry.ts\""),
      parse("service/a/One.ts", "import \"../b/Two.ts\"")
    ]
    assert.deepStrictEqual(circles(files).map(({ path }) => path), [
      "sdk/a/One.ts",
      "sdk/b/Other.ts",
      "sdk/c/Three.ts"
    ])
  })
  it("an orphan is found, even one that only a test imports", () => {
    const files = [
      parse("sdk/index.ts", "import \"#sdk/used\"\nconst worker = new URL(\"./spawned.ts\", import.meta.url)"),
      parse("sdk/used.ts", ""),
      parse("sdk/spawned.ts", ""),
      parse("sdk/tested.ts", ""),
      parse("test/support/forgotten.ts", ""),
      parse("test/support/used.ts", ""),
      parse("test/a.test.ts", "import \"#sdk/tested\"\nimport \"./support/used.ts\"")
    ]
    assert.deepStrictEqual(orphans(files).map(({ path }) => path), ["sdk/tested.ts", "test/support/forgotten.ts"])
  })
  it("an import without a source file is found: `tsc` would resolve it in dist", () => {
    const files = [
      parse("sdk/index.ts", "import \"#sdk/moved\"\nimport \"./here.ts\"\nimport \"effect/Effect\""),
      parse("sdk/here.ts", "import \"./gone.ts\"")
    ]
    assert.deepStrictEqual(unresolved(files).map(({ line, path }) => `${path}:${line}`), [
      "sdk/index.ts:1",
      "sdk/here.ts:1"
    ])
  })
  it("a specifier leads to its source file", () => {
    assert.strictEqual(resolve("sdk/client/Vps.ts", "@pulumi-vps/contract"), "sdk/contract/Api.ts")
    assert.strictEqual(resolve("sdk/client/Vps.ts", "@pulumi-vps/contract/Scope"), "sdk/contract/Scope.ts")
    assert.strictEqual(resolve("test/a.test.ts", "#sdk/index"), "sdk/index.ts")
    assert.strictEqual(resolve("sdk/client/Vps.ts", "../index.ts"), "sdk/index.ts")
    assert.isUndefined(resolve("sdk/client/Vps.ts", "effect/Effect"))
  })
  it.each([
    ["sdk/a.ts", "pg"],
    ["sdk/contract/a.ts", "yaml"],
    ["service/http/a.ts", "../../node_modules/vitest/index.js"],
    ["provider/a.ts", "../sdk/index.ts"],
    ["provider/a.ts", "#sdk/index"],
    ["service/a.ts", "@pulumi-vps/sdk"]
  ])("an undeclared import is found: %s imports %s", (path, specifier) => {
    assert.lengthOf(undeclared([parse(path, `import "${specifier}"`)]), 1)
  })
  it.each([
    ["service/a.ts", "pg"],
    ["service/http/a.ts", "../../node_modules/effect/dist/a.js"],
    ["provider/a.ts", "@pulumi-vps/sdk/client/Records"],
    ["provider/a.ts", "./b.ts"],
    ["sdk/a.ts", "#sdk/b"],
    ["sdk/a.ts", "node:fs"],
    ["test/a.test.ts", "pg"]
  ])("a declared import passes: %s imports %s", (path, specifier) => {
    assert.deepStrictEqual(undeclared([parse(path, `import "${specifier}"`)]), [])
  })
  it("a stranger at the top is found", () => {
    assertLike(strangers(["sdk", "README.md", "scripts", ".ci", "node_modules", "x.tgz", "notes.md"]), [{
      path: "scripts"
    }, { path: "notes.md" }])
  })
})
