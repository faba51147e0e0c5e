/** The built service: the modules that it loads at start, and those that only settings load. */
import { afterAll, assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { collector, spansOf } from "../support/collector.ts"
import { makeConsumer, ROOT } from "../support/consumer.ts"
import { runNode } from "../support/command.ts"
import { mailServer } from "../support/mailServer.ts"
import { until } from "../support/until.ts"

/** The package alone, without another one beside it. */
const folder = makeConsumer({ peers: [] })
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const BIN = join(folder, "node_modules/@pulumi-vps/service/dist/bin.js")

/** The service as a program, and inside another's; the operators' commands. */
const SERVICES = ["service/dist/main.js", "service/dist/Embedded.js"]
const PROGRAMS = [...SERVICES, "service/dist/admin/cli/main.js"]

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8")

const chunksIn = (path: string, specifiers: RegExp): ReadonlyArray<string> =>
  [...read(path).matchAll(specifiers)].map(([, chunk]) => join(dirname(path), chunk!))

/** A program with the chunks that it loads; `specifiers` finds them. */
const filesOf = (program: string, specifiers: RegExp): ReadonlyArray<string> => {
  const found = new Set([program])
  for (const path of found) chunksIn(path, specifiers).forEach((chunk) => found.add(chunk))
  return [...found]
}

/** The bundles of their own that a program loads on demand. They contain no paths of modules. */
const librariesOf = (program: string): ReadonlyArray<string> =>
  filesOf(program, EVER).flatMap((path) => [...read(path).matchAll(/"#service\/([^"]+)"/g)])
    .map(([, library]) => `service/dist/${library}.js`)

const AT_START = /^(?:import|\} from) ?"(\.[^"]*chunks\/[^"]+|\.\/[^"/]+-[A-Z0-9]{8}\.js)";$/gm
const EVER = /"(\.[^"]*chunks\/[^"]+\.js|\.\/[^"/]+-[A-Z0-9]{8}\.js)"/g

/** The bundler writes the path of each module above its code, of which there may be several parts. */
const modulesIn = (path: string): ReadonlyArray<string> => [
  ...new Set([...read(path).matchAll(/^\/\/ ((?:node_modules|service|sdk)\/\S+)$/gm)].map(([, module]) => module!))
]

interface Ready {
  readonly url: string
  readonly docs: string
  readonly api_key: string
}

const started = (env: Record<string, string>) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const args = [BIN, "--emulator", "--port", "0", "--request-log=false"]
      const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "ignore"] })
      const [line] = await once(createInterface({ input: child.stdout }), "line") as [string]
      const end = async () => {
        if (child.exitCode !== null) return
        const gone = once(child, "exit")
        child.kill("SIGTERM")
        await gone
      }
      return { ready: JSON.parse(line) as Ready, end }
    }),
    ({ end }) => Effect.promise(end)
  )

const running = (url: string, headers: Record<string, string>) =>
  until(async () => (await (await fetch(url, { headers })).json() as { readonly status: string }).status === "running")

it.each(PROGRAMS)("%s never loads two copies of a module", (program) => {
  const files = filesOf(program, EVER)
  const all = files.flatMap(modulesIn)
  assert.include(all, "node_modules/effect/dist/Redacted.js")
  assert.isAbove(all.length, 300)
  assert.deepStrictEqual(all.filter((module, index) => all.indexOf(module) !== index), [])
  for (const library of librariesOf(program)) {
    // The identifiers of effect's values, and of the service's.
    assert.notInclude(read(library), "~effect/", library)
    assert.notInclude(read(library), "@pulumi-vps/service/", library)
  }
})

it.each(SERVICES)("%s has the panel and the traces in chunks", (program) => {
  const names = (specifiers: RegExp) => filesOf(program, specifiers).flatMap(modulesIn)
  for (const module of ["service/panel/http/Panel.ts", "service/observability/Otlp.ts"]) {
    assert.include(names(EVER), module)
    assert.notInclude(names(AT_START), module)
  }
})

it.each(SERVICES)("%s has its modules as they are, and nothing of what is loaded later", (program) => {
  const bundle = filesOf(program, AT_START).map(read).join("")
  // Without chunks, a dynamic import makes the bundler wrap every module in a function: a fifth more CPU.
  assert.notInclude(bundle, "__esm(")
  for (const name of ["createTransport", "@scalar/api-reference", "OtlpTracer", "pgpass", "LineCounter"]) {
    assert.notInclude(bundle, name)
  }
  assert.isBelow(bundle.length, 2_500_000)
})

it.live("what is loaded later is found: the documents' script, the mail, the traces", () =>
  Effect.gen(function*() {
    const to = yield* collector
    const server = yield* mailServer()
    const { end, ready } = yield* started({
      OTEL_EXPORTER_OTLP_ENDPOINT: to.url,
      OTEL_SERVICE_NAME: "a-name-of-the-host",
      VPS_SERVICE_SMTP_URL: server.url
    })
    yield* Effect.promise(async () => {
      const script = await fetch(`${ready.docs}/reference.js`)
      assert.strictEqual(script.status, 200)
      assert.include((await script.text()).slice(0, 1000), "@scalar/api-reference")
      const headers = { authorization: `Bearer ${ready.api_key}`, "content-type": "application/json" }
      const body = JSON.stringify({ service_id: 1 })
      const bought = await fetch(`${ready.url}/instances`, { method: "POST", headers, body })
      assert.strictEqual(bought.status, 201)
      await running(`${ready.url}/instances/1`, headers)
      const reset = await fetch(`${ready.url}/instances/1/reset-password`, { method: "POST", headers })
      assert.strictEqual(reset.status, 200)
      await until(() => server.mails.length > 0)
      await end()
    })
    const names = spansOf(to).map(({ name }) => name)
    assert.includeMembers(names, ["POST /api/v1/instances", "task provision", "task reset_password"])
    assert.include(JSON.stringify(to.exports), "a-name-of-the-host")
  }).pipe(Effect.scoped))

it("so is what reads a config file", async () => {
  const path = join(folder, "service.yaml")
  writeFileSync(path, "driver: simulated\nprot: 0\n")
  const { code, stderr } = await runNode([BIN, "--config", path])
  assert.include(stderr, `vps-service: ${path}:2: prot is not a setting.`)
  assert.strictEqual(code, 78)
})

it("so is what speaks to PostgreSQL", async () => {
  // The library reads the URL before the file is looked for, so this error proves that it was loaded.
  const env = {
    VPS_SERVICE_DRIVER: "simulated",
    VPS_SERVICE_DATABASE: "postgres://vps@127.0.0.1:1/vps?sslmode=verify-ca&sslrootcert=/nowhere.pem",
    VPS_SERVICE_SECRET: "s".repeat(40)
  }
  const { code, stderr } = await runNode([BIN], { env })
  assert.include(stderr, "The database \"vps\" at 127.0.0.1:1 cannot be used: sslrootcert=/nowhere.pem cannot be used")
  assert.strictEqual(code, 78)
})
