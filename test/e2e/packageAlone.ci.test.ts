/** The package in a folder without its optional peers, and in programs in CommonJS. */
import { spawnSync } from "node:child_process"
import { build } from "esbuild"
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { FOLDERS } from "../../.config/build/workspace.ts"
import { makeConsumer, ROOT } from "../support/consumer.ts"
import { assertLike, containing } from "../support/like.ts"
import { packed } from "../support/packed.ts"

/** Bytes of each package in a user's node_modules; documents and examples are a fifth of `pulumi-vps`. */
const UNPACKED_MAX: Readonly<Record<string, number>> = {
  "sdk/contract": 200_000,
  "sdk": 3_000_000,
  "sdk/testing": 300_000,
  "provider": 7_500_000,
  "service": 11_500_000
}

/** The settings of CommonJS programs, among them those of Pulumi's templates of several years. */
const COMMON_JS = [
  "--module node16",
  "--module nodenext",
  "--module commonjs --moduleResolution node --ignoreDeprecations 6.0"
]
const STRICTEST =
  "--noEmit --strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess --target es2022 --types node"

const compile = (cwd: string, file: string, flags: string) => {
  const tsc = join(ROOT, "node_modules/typescript/lib/tsc.js")
  const { status, stdout } = spawnSync(process.execPath, [tsc, ...flags.split(" "), file], { cwd, encoding: "utf8" })
  return { status, stdout }
}

/** The entries that need another package. */
const PEERS = [
  ["@pulumi-vps/sdk/effect", "effect"],
  ["@pulumi-vps/testing/effect", "effect"],
  ["pulumi-vps/provider", "@pulumi/pulumi"],
  ["pulumi-vps/pulumi", "@pulumi/pulumi"]
]

describe("a user's folder with no other package", () => {
  const alone = makeConsumer({ peers: [] })
  afterAll(() => rmSync(alone, { recursive: true, force: true }))
  beforeAll(() => {
    cpSync(join(ROOT, "test/e2e/consumer/no-peers.ts"), join(alone, "no-peers.mts"))
    cpSync(join(ROOT, "test/e2e/consumer/promise.ts"), join(alone, "promise.ts"))
  })
  it("runs the SDK, the testing kit and the command", () => {
    const { status, stderr } = spawnSync(process.execPath, ["no-peers.mts"], { cwd: alone, encoding: "utf8" })
    assert.deepStrictEqual({ status, stderr }, { status: 0, stderr: "" })
  })
  it.each(COMMON_JS)("compiles the Promise client in CommonJS, every declaration checked: %s", (flags) => {
    assert.deepStrictEqual(compile(alone, "promise.ts", `${STRICTEST} ${flags}`), { status: 0, stdout: "" })
  })
  it.each(PEERS)("gets one sentence: %s needs %s", (specifier, peer) => {
    const sentence = `Error: ${specifier} needs the package ${peer}. Install it: npm install ${peer}@`
    for (const script of [`await import("${specifier}")`, `require("${specifier}")`]) {
      const type = script.startsWith("await") ? "module" : "commonjs"
      const ran = spawnSync(process.execPath, [`--input-type=${type}`, "-e", script], { cwd: alone, encoding: "utf8" })
      assertLike(ran, { status: 1, stdout: "", stderr: containing(sentence) })
    }
  })
  it.each(FOLDERS)("gets a few megabytes with the package of %s", (one) => {
    assert.isBelow(packed(one).size, UNPACKED_MAX[one]!)
  })
})

/** The types of programs besides those of the package: effect's declarations need those of browsers, too. */
const LIBRARIES = [
  { libraries: "es2022", entries: ["@pulumi-vps/sdk", "@pulumi-vps/sdk/fetch", "pulumi-vps/provider/runtime"] },
  {
    libraries: "es2022,dom",
    entries: [
      "@pulumi-vps/contract",
      "@pulumi-vps/sdk",
      "@pulumi-vps/sdk/effect",
      "@pulumi-vps/sdk/fetch",
      "@pulumi-vps/testing",
      "@pulumi-vps/testing/effect"
    ]
  }
]

describe("a program without @types/node", () => {
  const folder = makeConsumer()
  // Links would lead to the declarations that this repository has.
  for (const tool of ["@types", "undici-types"]) rmSync(join(folder, "node_modules", tool), { recursive: true })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  it.each(LIBRARIES)("compiles with the libraries $libraries, every declaration checked", (row) => {
    const imports = row.entries.map((entry, index) => `export * as e${index} from "${entry}"\n`)
    const dispose = "import { Vps } from \"@pulumi-vps/sdk\"\nexport const close = new Vps()[Symbol.asyncDispose]\n"
    writeFileSync(join(folder, "entries.mts"), imports.join("") + dispose)
    const options = {
      lib: row.libraries.split(","),
      types: [],
      module: "nodenext",
      target: "es2022",
      strict: true,
      noEmit: true
    }
    const compilerOptions = {
      ...options,
      skipLibCheck: false,
      exactOptionalPropertyTypes: true,
      preserveSymlinks: true
    }
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["entries.mts"] }))
    const tsc = join(ROOT, "node_modules/@typescript/native/bin/tsc")
    const { status, stdout } = spawnSync(process.execPath, [tsc, "-p", "."], { cwd: folder, encoding: "utf8" })
    assert.deepStrictEqual({ status, stdout }, { status: 0, stdout: "" })
  })
})

describe("a program that is bundled", () => {
  const folder = makeConsumer()
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  it("contains the entry itself: the one for Node.js would look for a file beside the bundle", async () => {
    writeFileSync(
      join(folder, "program.mjs"),
      `import { Vps } from "@pulumi-vps/sdk/effect"\nconsole.log(typeof Vps)\n`
    )
    const outfile = join(folder, "bundle/program.mjs")
    const banner = { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" }
    await build({
      absWorkingDir: folder,
      entryPoints: ["program.mjs"],
      bundle: true,
      platform: "node",
      format: "esm",
      banner,
      outfile
    })
    const { status, stderr, stdout } = spawnSync(process.execPath, [outfile], { cwd: "/", encoding: "utf8" })
    assert.deepStrictEqual({ status, stderr, stdout }, { status: 0, stderr: "", stdout: "function\n" })
    assert.notInclude(readFileSync(outfile, "utf8"), "effect.node.js")
  })
})

describe("a Pulumi program in CommonJS", () => {
  const folder = makeConsumer()
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  it.each(COMMON_JS)("compiles %s", (flags) => {
    writeFileSync(join(folder, "package.json"), "{}")
    cpSync(join(ROOT, "test/e2e/consumer/program.ts"), join(folder, "program.ts"))
    // Pulumi's own declarations fail a strict compiler.
    assert.deepStrictEqual(compile(folder, "program.ts", `${STRICTEST} --skipLibCheck ${flags}`), {
      status: 0,
      stdout: ""
    })
  })
})
