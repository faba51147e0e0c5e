/** The published types as an editor shows them: named types, and the documentation of each call. */
import ts from "typescript"
import { assert, describe, it } from "vitest"
import { ROOT } from "../support/consumer.ts"

const FILE = `${ROOT}test/e2e/program.ts`
const PROGRAM = `import * as Effect from "effect/Effect"
import { Vps } from "@pulumi-vps/sdk"
import { Vps as Service } from "@pulumi-vps/sdk/effect"
const vps = new Vps()
const group = vps.instances
const bought = await vps.instances.create({ service_id: 1 })
const stopped = vps.power.stop(7, { maxRetries: 0 })
const waited = vps.instances.createAndWait({ service_id: 1 })
const tasks = vps.tasks.iterate(7)
const isRunning = bought.status === "running"
const ended = (await vps.monitoring.tasks(7)).items.filter(({ status }) => status === "succeeded")
const other: typeof bought.status = "a status of a later version"
const effect = Effect.flatMap(Service, (service) => service.instances.waitUntilIdle(7))
`

const host: ts.LanguageServiceHost = {
  getScriptFileNames: () => [FILE],
  getScriptVersion: () => "1",
  getScriptSnapshot: (path) => {
    const text = path === FILE ? PROGRAM : ts.sys.readFile(path)
    return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
  },
  getCurrentDirectory: () => ROOT,
  getCompilationSettings: () => ({
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2024,
    types: ["node"],
    strict: true,
    skipLibCheck: true
  }),
  getDefaultLibFileName: ts.getDefaultLibFilePath,
  fileExists: (path) => path === FILE || ts.sys.fileExists(path),
  readFile: ts.sys.readFile
}
const service = ts.createLanguageService(host)

const hover = (text: string): readonly [type: string, doc: string] => {
  const info = service.getQuickInfoAtPosition(FILE, PROGRAM.indexOf(text))
  const [doc = ""] = ts.displayPartsToString(info?.documentation).split("\n")
  return [ts.displayPartsToString(info?.displayParts), doc]
}

/** The text to point at, the end of the type shown for it, and the beginning of its documentation. */
const HOVERS: ReadonlyArray<readonly [text: string, type: string, doc: string]> = [
  ["group =", "const group: Instances", ""],
  ["bought =", "const bought: Instance", ""],
  ["create(", "(body: CreateInstance, options?: CreateOptions) => ApiPromise<Instance>", "Buys an"],
  ["stop(", "(id: number, options?: CallOptions) => ApiPromise<ActionResult>", "Powers off"],
  ["createAndWait(", "options?: CreateAndWaitOptions) => ApiPromise<Instance>", "Buys an instance and"],
  ["iterate(", "options?: CallOptions) => AsyncGenerator<Task, void, void>", "Iterates over"],
  ["waitUntilIdle(", ") => Effect.Effect<LiveStatus, WaitFailure, never>", "Waits until the instance"]
]

/** The texts that an editor offers for a literal. */
const completions = (literal: string): ReadonlyArray<string> => {
  const at = PROGRAM.indexOf(literal) + 1
  return service.getCompletionsAtPosition(FILE, at, undefined)?.entries.map(({ name }) => name) ?? []
}

describe("the published types in an editor", () => {
  it("have no errors", () => {
    assert.deepStrictEqual(service.getSemanticDiagnostics(FILE).map(({ messageText }) => messageText), [])
  })
  it("complete the statuses that this version knows, and accept others", () => {
    assert.includeMembers([...completions("\"running\"")], ["running", "provisioning", "suspended"])
    assert.deepStrictEqual(completions("\"succeeded\"").toSorted(), [
      "cancelled",
      "failed",
      "queued",
      "running",
      "succeeded"
    ])
  })
  it.each(HOVERS)("%s", (text, type, doc) => {
    const [shown, documentation] = hover(text)
    assert.strictEqual(shown.slice(-type.length), type)
    assert.strictEqual(documentation.slice(0, doc.length), doc)
  })
})
