/** The client in a process of its own and in a bundle: it keeps no process alive and loads little. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { build, type Metafile } from "esbuild"
import { fileURLToPath } from "node:url"
import { runScript } from "../support/command.ts"
import { json, startServer } from "./support/server.ts"

const ROOT = fileURLToPath(new URL("../..", import.meta.url))

/** Never closes an idle connection, so that a client that keeps the process alive does so forever. */
const keepAliveServer = startServer((request, response) => {
  response.setHeader("keep-alive", "timeout=600")
  json(response, 200, { id: Number(request.url?.split("/").at(-1)) })
})

/** The files of a bundle that are loaded before anything is called. */
const closureOf = ({ outputs }: Metafile): ReadonlyArray<string> => {
  const entry = Object.keys(outputs).find((path) => outputs[path]?.entryPoint === "sdk/index.ts") ?? "no entry"
  const found = new Set([entry])
  for (const path of found) {
    for (const { kind, path: next } of outputs[path]?.imports ?? []) {
      if (kind === "import-statement" && next in outputs) found.add(next)
    }
  }
  return [...found]
}

describe("a script", () => {
  it.live("without close() exits by itself", () =>
    Effect.gen(function*() {
      const { baseUrl, server } = yield* keepAliveServer
      server.keepAliveTimeout = 0
      const script = `
        import { Vps } from "@pulumi-vps/sdk"
        const vps = new Vps()
        const ids = await Promise.all([1, 2, 3].map(async (id) => (await vps.instances.get(id)).id))
        process.stdout.write(ids.join())
      `
      const env = { VPS_API_KEY: "key-1", VPS_BASE_URL: baseUrl }
      assert.strictEqual(yield* Effect.promise(() => runScript(script, { env })), "1,2,3")
    }))

  it.live("that only makes a client loads neither transport nor schemas", () =>
    Effect.gen(function*() {
      const script = `
        import { createRequire, registerHooks } from "node:module"
        const loaded = []
        registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
        const { Vps } = await import("@pulumi-vps/sdk")
        new Vps({ apiKey: "k", baseUrl: "http://127.0.0.1:9/api/v1" })
        process.stdout.write(JSON.stringify(loaded))
      `
      const loaded = JSON.parse(yield* Effect.promise(() => runScript(script))) as ReadonlyArray<string>
      assert.isNotEmpty(loaded)
      const heavy = loaded.filter((url) =>
        /node_modules\/undici\/|effect\/dist\/(Schema|index)|sdk\/contract\/(?!Version)/.test(url)
      )
      assert.deepStrictEqual(heavy, [])
    }))
})

describe("a bundle", () => {
  it("contains only the parts of effect that the client uses, and loads schemas on demand", {
    timeout: 30_000
  }, async () => {
    const { metafile, outputFiles } = await build({
      absWorkingDir: ROOT,
      entryPoints: ["sdk/index.ts"],
      bundle: true,
      write: false,
      splitting: true,
      outdir: "dist-of-test",
      metafile: true,
      platform: "node",
      format: "esm",
      target: "node24",
      conditions: ["pulumi-vps-source"]
    })
    const closure = closureOf(metafile)
    const parts = closure.flatMap((path) => Object.keys(metafile.outputs[path]?.inputs ?? {}))
    assert.isNotEmpty(parts)
    const heavy = parts.filter((path) =>
      /effect\/dist\/(Schema|SchemaAST|index)\.js|sdk\/contract\/(?!Version)/.test(path)
    )
    assert.deepStrictEqual(heavy, [])
    const bytes = closure.reduce((sum, path) => sum + (metafile.outputs[path]?.bytes ?? Infinity), 0)
    assert.isAtMost(bytes, 512 * 1024)
    const all = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs))
    assert.include(all, "sdk/client/chain/Strict.ts")
    assert.strictEqual(outputFiles.length, Object.keys(metafile.outputs).length)
  })
})
