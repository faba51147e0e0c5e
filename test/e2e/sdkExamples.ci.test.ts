/** The examples of docs/sdk compile against the packed package under the strictest options. */
import { spawnSync } from "node:child_process"
import { readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, it } from "vitest"
import { makeConsumer, ROOT } from "../support/consumer.ts"
import { codeBlocks, readDocument } from "../support/documents.ts"

const folder = makeConsumer({ peers: [] })
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Every option of the compiler that rejects programs, and the package's own types are checked, too. */
const OPTIONS = {
  strict: true,
  allowUnreachableCode: false,
  allowUnusedLabels: false,
  erasableSyntaxOnly: true,
  exactOptionalPropertyTypes: true,
  isolatedModules: true,
  noFallthroughCasesInSwitch: true,
  noImplicitOverride: true,
  noImplicitReturns: true,
  noPropertyAccessFromIndexSignature: true,
  noUncheckedIndexedAccess: true,
  noUncheckedSideEffectImports: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  skipLibCheck: false,
  verbatimModuleSyntax: true,
  module: "nodenext",
  target: "es2024",
  types: ["node"],
  noEmit: true
}

const PRELUDE = "import { Vps } from \"@pulumi-vps/sdk\"\nconst vps = new Vps()\n"

const examples = readdirSync(join(ROOT, "docs/sdk")).flatMap((page) =>
  codeBlocks(readDocument(`docs/sdk/${page}`), "ts").map((code, index) => ({
    file: `${page.replace(".md", "")}-${index + 1}.ts`,
    code: PRELUDE + code
  }))
)

const compile = (files: ReadonlyArray<string>): string => {
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: OPTIONS, files }))
  const tsc = join(ROOT, "node_modules/@typescript/native/bin/tsc")
  return spawnSync(process.execPath, [tsc, "-p", "."], { cwd: folder, encoding: "utf8" }).stdout
}

const MISTAKE = "const [plan] = await vps.services.list()\nconsole.log(plan.slug)\n"

it("an example for each call compiles, and one with a mistake does not", () => {
  assert.isAbove(examples.length, 40)
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }))
  for (const { code, file } of [...examples, { code: PRELUDE + MISTAKE, file: "mistake.ts" }]) {
    writeFileSync(join(folder, file), code)
  }
  assert.strictEqual(
    compile([...examples.map(({ file }) => file), "mistake.ts"]),
    "mistake.ts(4,13): error TS18048: 'plan' is possibly 'undefined'.\n"
  )
})
