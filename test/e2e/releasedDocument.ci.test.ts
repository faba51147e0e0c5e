/**
 * The published document beside that of the last release: what has changed, and if clients that were generated from the
 * earlier one survive it. `npm run release` stores the document; oasdiff compares.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type Document, openApiDocument } from "#contract/openapi/OpenApiDocument"
import { portableDocument } from "#contract/openapi/PortableDocument"
import { ROOT } from "../support/consumer.ts"

const OASDIFF = "github.com/oasdiff/oasdiff@v1.38.0"
const RELEASED = join(ROOT, "sdk/contract/openapi/released.json")

/** ms; Go builds the program the first time. */
const TIMEOUT = 300_000

const hasGo = spawnSync("go", ["version"], { stdio: "ignore" }).status === 0

const folder = mkdtempSync(join(tmpdir(), "vps-document-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const CURRENT = join(folder, "current.json")
const current = portableDocument(openApiDocument()) as Document

interface Change {
  readonly id: string
  readonly text: string
}

/** The changes of a document since another one: all, or those that a client may not survive. */
const changes = (which: "breaking" | "changelog", before: string, after: string): ReadonlyArray<Change> => {
  const args = ["run", OASDIFF, which, before, after, "--format", "json"]
  const env = { ...process.env, GOFLAGS: "-mod=mod", GOWORK: "off", GOTOOLCHAIN: "local" }
  const { status, stderr, stdout } = spawnSync("go", args, { cwd: folder, env, encoding: "utf8" })
  assert.strictEqual(status, 0, stderr)
  return JSON.parse(stdout) as ReadonlyArray<Change>
}

type Json = Readonly<Record<string, unknown>>

/** The document with another record of an instance. */
const withInstance = (name: string, change: (properties: Json) => Json): string => {
  const { components: { schemas = {}, ...others }, ...rest } = current
  const instance = schemas["Instance"] as { readonly properties: Json; readonly required: ReadonlyArray<string> }
  const properties = change(instance.properties)
  const required = instance.required.filter((field) => field in properties)
  const document = {
    ...rest,
    components: { ...others, schemas: { ...schemas, Instance: { ...instance, properties, required } } }
  }
  const path = join(folder, name)
  writeFileSync(path, JSON.stringify(document))
  return path
}

describe.skipIf(!hasGo)("the document since the last release (skipped without Go)", () => {
  beforeAll(() => writeFileSync(CURRENT, JSON.stringify(current)))

  it("breaks no client that was generated from the released one", () => {
    const broken = changes("breaking", RELEASED, CURRENT).map(({ text }) => text)
    assert.deepStrictEqual(broken, [], "Keep what the released document says, or release a new major version.")
  }, TIMEOUT)

  it("would be found to break clients without a field of an instance", () => {
    const without = withInstance(
      "without.json",
      (properties) => Object.fromEntries(Object.entries(properties).filter(([name]) => name !== "status"))
    )
    assert.include(changes("breaking", CURRENT, without).map(({ id }) => id), "response-required-property-removed")
  }, TIMEOUT)

  it("may have another field of an instance, which is named", () => {
    const more = withInstance("more.json", (properties) => ({ ...properties, added_later: { type: "string" } }))
    assert.deepStrictEqual(changes("breaking", CURRENT, more), [])
    const named = changes("changelog", CURRENT, more).filter(({ text }) => text.includes("added_later"))
    assert.isNotEmpty(named)
  }, TIMEOUT)
})
