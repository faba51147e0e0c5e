/** Programs that use the package as it is published, bundled by esbuild: the result runs where no package is. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { build, type BuildOptions } from "esbuild"
import { once } from "node:events"
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { runInNewContext } from "node:vm"
import { afterAll } from "vitest"
import { runNode } from "../support/command.ts"
import { makeConsumer } from "../support/consumer.ts"

/** Bytes of a minified program that makes one call with `fetch`; 5 kB of them let waits read records of any host. */
const FETCH_MAX = 86_000

const folder = makeConsumer({ peers: [] })
const elsewhere = mkdtempSync(join(tmpdir(), "pulumi-vps-bundles-"))
afterAll(() => [folder, elsewhere].forEach((path) => rmSync(path, { recursive: true, force: true })))

const CALL = `
  const vps = new Vps({ maxRetries: 1 })
  vps.services.list().then(
    (plans) => console.log(plans[0].slug),
    (error) => console.log(error instanceof VpsError, error.name, error.attempts, error.message)
  )
`
const PROGRAMS = {
  "program.mjs": `import { Vps, VpsError } from "@pulumi-vps/sdk"${CALL}`,
  "program.cjs": `const { Vps, VpsError } = require("@pulumi-vps/sdk")${CALL}`,
  "strict.mjs": `import { Vps, VpsError } from "@pulumi-vps/sdk"${CALL.replace("{ ", "{ decode: \"strict\", ")}`,
  "fetch.mjs": `import { Vps, VpsError } from "@pulumi-vps/sdk/fetch"${CALL}`
}
for (const [name, text] of Object.entries(PROGRAMS)) writeFileSync(join(folder, name), text)

const bundle = async (entry: keyof typeof PROGRAMS, outfile: string, options: BuildOptions) => {
  const path = join(elsewhere, outfile)
  const { warnings } = await build({
    absWorkingDir: folder,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    platform: "node",
    outfile: path,
    logLevel: "silent",
    ...options
  })
  assert.deepStrictEqual(warnings, [])
  return path
}

const PLAN = {
  id: 1,
  name: "S",
  slug: "vps-s"
}

/** A service that sells one plan; `seen` has its requests. */
const serviceWithPlan = Effect.acquireRelease(
  Effect.promise(async () => {
    const seen: Array<IncomingMessage> = []
    const server = createServer((request, response) => {
      seen.push(request)
      const isPurchase = request.method === "POST"
      response.writeHead(isPurchase ? 201 : 200, { "content-type": "application/json" })
      response.end(JSON.stringify(isPurchase ? { id: 7 } : [PLAN]))
    }).listen(0, "127.0.0.1")
    await once(server, "listening")
    return { server, seen, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1` }
  }),
  ({ server }) => Effect.sync(() => (server.close(), server.closeAllConnections()))
)
const run = (path: string, baseUrl: string) =>
  Effect.promise(() => runNode([path], { env: { VPS_API_KEY: "key-1", VPS_BASE_URL: baseUrl } }))

describe("a program bundled by esbuild", () => {
  const outputs = (["program.mjs", "program.cjs", "fetch.mjs"] as const).flatMap((entry) =>
    [["cjs", "cjs"], ["esm", "mjs"]].map(([format, extension]) => [entry, format, extension] as const)
  )
  it.live.each(outputs)("runs %s as %s", ([entry, format, extension]) =>
    Effect.gen(function*() {
      const { baseUrl } = yield* serviceWithPlan
      const path = yield* Effect.promise(() =>
        bundle(entry, `${entry}-${format}.${extension}`, { format: format as "cjs" | "esm" })
      )
      assert.deepStrictEqual(yield* run(path, baseUrl), { code: 0, stdout: "vps-s\n", stderr: "" })
    }))

  it.live("has the schemas of decode: strict", () =>
    Effect.gen(function*() {
      const { baseUrl } = yield* serviceWithPlan
      const path = yield* Effect.promise(() => bundle("strict.mjs", "strict.cjs", { format: "cjs" }))
      const { stdout } = yield* run(path, baseUrl)
      // The plan above has too few fields: the schemas were loaded and say so.
      assert.match(stdout, /^true DecodeError 1 /)
    }))
})

describe("a bundle that lacks a module", () => {
  it.live("says so at once, without retries", () =>
    Effect.gen(function*() {
      const { baseUrl, seen } = yield* serviceWithPlan
      const copy = join(elsewhere, "incomplete")
      const sdk = "node_modules/@pulumi-vps/sdk"
      cpSync(join(folder, sdk), join(copy, sdk), { recursive: true })
      rmSync(join(copy, sdk, "dist/client/chain/Agent.js"))
      writeFileSync(join(copy, "program.mjs"), PROGRAMS["program.mjs"])
      const { stdout } = yield* run(join(copy, "program.mjs"), baseUrl)
      assert.match(stdout, /^true ConfigurationError 1 .*The HTTP client could not be loaded \(Cannot find module/)
      assert.match(stdout, /If a bundler made this program, let it include every module of the package/)
      assert.strictEqual(seen.length, 0)
    }))
})

describe("the entry for runtimes without Node.js", () => {
  it.each(["browser", "neutral"] as const)("is small and needs no module of Node.js: platform %s", async (platform) => {
    const conditions = platform === "neutral" ? { conditions: ["workerd"] } : {}
    const path = await bundle("program.mjs", `${platform}.mjs`, { platform, format: "esm", ...conditions })
    const text = readFileSync(path, "utf8")
    assert.isBelow(text.length, FETCH_MAX)
    assert.notMatch(text, /from"node:|require\("|UND_ERR_INVALID_ARG/)
  })

  it.live("runs with only what browsers have", () =>
    Effect.gen(function*() {
      const { baseUrl, seen } = yield* serviceWithPlan
      const entry = `import { Vps } from "@pulumi-vps/sdk"
        const vps = new Vps({ apiKey: "key-1", baseUrl: ${JSON.stringify(baseUrl)} })
        globalThis.result = vps.services.list().then(([plan]) => vps.instances.create({ service_id: plan.id }))
        globalThis.strict = new Vps({ decode: "strict", apiKey: "k", baseUrl: ${
        JSON.stringify(baseUrl)
      } }).services.list()
          .catch((error) => error.name)`
      const { outputFiles } = yield* Effect.promise(() =>
        build({ stdin: { contents: entry, resolveDir: folder }, bundle: true, platform: "browser", write: false })
      )
      const { AbortController, AbortSignal, clearTimeout, crypto, fetch, Request, setTimeout, TextDecoder, URL } =
        globalThis
      const browser: Record<string, unknown> = { AbortController, AbortSignal, clearTimeout, crypto, fetch, Request }
      Object.assign(browser, { setTimeout, TextDecoder, URL, queueMicrotask, TextEncoder, console })
      runInNewContext(outputFiles[0]?.text ?? "", browser)
      const bought = yield* Effect.promise(() => browser["result"] as Promise<{ readonly id: number }>)
      assert.strictEqual(bought.id, 7)
      assert.match(
        String(seen.find(({ method }) => method === "POST")?.headers["idempotency-key"]),
        /^sdk-[0-9a-f-]{36}$/
      )
      assert.strictEqual(yield* Effect.promise(() => browser["strict"] as Promise<string>), "ConfigurationError")
    }))
})
