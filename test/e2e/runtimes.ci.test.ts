/** Runs every program of docs/runtimes.md with the tool that it is for. Needs the npm registry. */
import { build } from "esbuild"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, writeFileSync } from "node:fs"
import { rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { text } from "node:stream/consumers"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type RunningEmulator, startEmulator } from "#sdk/testing/index"
import { ROOT } from "../support/consumer.ts"
import { readDocument } from "../support/documents.ts"
import { makeProject } from "../support/tools.ts"
import { assertLike } from "../support/like.ts"

const guide = readDocument("docs/runtimes.md")
const section = (title: string) => new RegExp(`^##+ ${title}\n((?:(?!^##)[^])*)`, "m").exec(guide)?.[1] ?? ""
const blocks = (title: string) => [...section(title).matchAll(/```ts\n([^]*?)```/g)].map(([, code = ""]) => code)

const [EVERYWHERE = ""] = blocks("Node.js, Bun and Deno")
const [LAMBDA = ""] = blocks("AWS Lambda")
const [WORKER = ""] = blocks("Cloudflare Workers")
const MOCKS = ["MSW", "nock", "MockAgent"].map((title) => [title, blocks(title)[0] ?? ""] as const)
const NEXT = blocks("Next.js")

const project = makeProject(
  "bun",
  "deno",
  "miniflare",
  "msw",
  "next",
  "nock",
  "react",
  "react-dom",
  "undici"
)
const folder = project?.folder ?? ""
// Many thousand files: one after the other takes far longer than several at once.
afterAll(() => project === undefined ? undefined : rm(folder, { recursive: true, force: true }))

interface Worker {
  readonly dispatchFetch: (url: string) => Promise<Response>
  readonly dispose: () => Promise<void>
}
interface Miniflares {
  readonly Miniflare: new(options: object) => Worker
}

const SLUGS = ["vps-s", "vps-m", "vps-l", "vps-m-hel", "ded-1"]

let emulator: RunningEmulator
beforeAll(async () => {
  emulator = await startEmulator()
})
afterAll(() => emulator.stop())

const environment = () => ({
  PATH: `${dirname(process.execPath)}:${process.env["PATH"]}`,
  HOME: folder,
  NO_COLOR: "1",
  NEXT_TELEMETRY_DISABLED: "1",
  VPS_API_KEY: emulator.apiKey,
  VPS_BASE_URL: emulator.url
})
const OK = { code: 0, stderr: "", stdout: `${SLUGS.join(" ")}\n` }

/** Not synchronous: the emulator runs in this process. */
const run = async (file: string, ...args: ReadonlyArray<string>) => {
  const child = spawn(file, args, { cwd: folder, env: environment() })
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")])
  return { code: code as number | null, stderr, stdout }
}
const tool = (path: string) => join(folder, "node_modules", path)

it("knows every program of the page", () => {
  const known = [EVERYWHERE, LAMBDA, WORKER, ...NEXT, ...MOCKS.map(([, code]) => code)]
  assert.deepStrictEqual([...guide.matchAll(/```ts\n([^]*?)```/g)].map(([, code]) => code).toSorted(), known.toSorted())
})

describe.skipIf(project === undefined)("docs/runtimes.md (needs the npm registry)", () => {
  beforeAll(() => writeFileSync(join(folder, "program.ts"), EVERYWHERE))

  it("compiles, without the types of Node.js", async () => {
    const programs = [LAMBDA, WORKER, ...NEXT, ...MOCKS.map(([, code]) => code)]
    programs.forEach((code, index) => writeFileSync(join(folder, `compiled-${index}.ts`), code))
    const files = ["program.ts", ...programs.map((_, index) => `compiled-${index}.ts`)]
    const flags = "--noEmit --strict --skipLibCheck --target es2024 --lib es2024,dom --module nodenext --types".split(
      " "
    )
    const tsc = join(ROOT, "node_modules/@typescript/native/bin/tsc")
    assert.deepStrictEqual(await run(process.execPath, tsc, ...flags, "", ...files), {
      code: 0,
      stderr: "",
      stdout: ""
    })
  })
  it("Node.js", async () => {
    assert.deepStrictEqual(await run(process.execPath, "program.ts"), OK)
  })
  it("Bun", async () => {
    assert.deepStrictEqual(await run(tool(".bin/bun"), "program.ts"), OK)
  })
  it("Deno", async () => {
    assert.deepStrictEqual(
      await run(tool(".bin/deno"), "run", "--no-prompt", "--allow-env", "--allow-net", "program.ts"),
      OK
    )
  })

  const LIST = ["plan", "list", "-o", "json"]
  it("the vps command on Bun and Deno", async () => {
    const onBun = await run(tool(".bin/bunx"), "--package", "@pulumi-vps/sdk", "vps", ...LIST)
    const onDeno = await run(tool(".bin/deno"), "run", "--allow-all", "npm:@pulumi-vps/sdk/vps", ...LIST)
    for (const { code, stderr, stdout } of [onBun, onDeno]) {
      assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
      assert.deepStrictEqual(JSON.parse(stdout).map(({ slug }: { readonly slug: string }) => slug), SLUGS)
    }
  })

  it("AWS Lambda: a handler that the page's command has bundled, called twice", async () => {
    writeFileSync(join(folder, "handler.ts"), LAMBDA)
    const [, flags = ""] = /^esbuild (handler.*)$/m.exec(section("AWS Lambda")) ?? []
    assertLike(await run(join(ROOT, "node_modules/.bin/esbuild"), ...flags.split(" ")), { code: 0 })
    writeFileSync(join(folder, "lambda/package.json"), "{}")
    const twice = "const { handler } = require('./lambda/index.js')\n"
      + "handler().then(handler).then(({ body, statusCode }) => console.log(statusCode, body))"
    assert.deepStrictEqual(await run(process.execPath, "-e", twice), { ...OK, stdout: `200 ${OK.stdout}` })
  })

  it("Cloudflare Workers, without nodejs_compat", async () => {
    writeFileSync(join(folder, "worker.ts"), WORKER)
    const { outputFiles: [bundle] } = await build({
      absWorkingDir: folder,
      entryPoints: ["worker.ts"],
      bundle: true,
      format: "esm",
      // As wrangler bundles a worker.
      platform: "browser",
      conditions: ["workerd", "worker", "browser"],
      write: false
    })
    const { Miniflare } = project!.require<Miniflares>("miniflare")
    const worker = new Miniflare({
      modules: true,
      script: bundle?.text,
      compatibilityDate: "2025-01-01",
      bindings: { VPS_API_KEY: emulator.apiKey, VPS_BASE_URL: emulator.url }
    })
    const answer = await worker.dispatchFetch("http://worker.test/").finally(() => worker.dispose())
    assert.deepStrictEqual(await answer.json(), SLUGS)
  })

  it.each(MOCKS)("%s", async (name, code) => {
    writeFileSync(join(folder, `${name}.ts`), code)
    assert.deepStrictEqual(await run(process.execPath, `${name}.ts`), { code: 0, stderr: "", stdout: "vps-s\n" })
  })

  it("Next.js: a route on Node.js, and one on the edge runtime", async () => {
    // TypeScript in a route would make Next.js install a compiler.
    for (const [index, route] of ["plans", "edge"].entries()) {
      mkdirSync(join(folder, "app", route), { recursive: true })
      writeFileSync(join(folder, "app", route, "route.js"), NEXT[index] ?? "")
    }
    const next = tool("next/dist/bin/next")
    assertLike(await run(process.execPath, next, "build"), { code: 0 })
    const server = spawn(process.execPath, [next, "start", "-p", "0", "-H", "127.0.0.1"], {
      cwd: folder,
      env: environment(),
      stdio: ["ignore", "pipe", "inherit"]
    })
    const exited = once(server, "exit")
    try {
      const url = await addressIn(server.stdout)
      for (const route of ["plans", "edge"]) {
        assert.deepStrictEqual(await (await fetch(`${url}/${route}`)).json(), SLUGS)
      }
    } finally {
      server.kill()
      await exited
    }
  })
})

/** The address that Next.js prints once it listens. */
const addressIn = async (output: NodeJS.ReadableStream): Promise<string> => {
  for await (const line of createInterface({ input: output })) {
    const [address] = /http:\/\/\S+:\d+/.exec(line) ?? []
    if (address !== undefined) return address
  }
  throw new Error("Next.js ended before it was ready")
}
