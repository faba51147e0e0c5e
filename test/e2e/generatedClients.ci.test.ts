/**
 * Clients that others generate from the published document: seven generators from their registries each make one that
 * compiles, buys, replays, reads sizes beyond 32 bits, and meets each refusal. Each also runs against a service that
 * returns fields which its document did not have, as a later version may.
 */
import { spawn, spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { once } from "node:events"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { Vps } from "#sdk/index"
import { exact, install, ROOT } from "../support/consumer.ts"
import { writeFiles } from "../support/guide.ts"
import { type ServiceProcess, startService } from "../support/serviceProcess.ts"
import { control } from "../support/vps.ts"

/** ms; a registry may be slow, and compilers share two cores. */
const TIMEOUT = 300_000

const OPENAPI_GENERATOR = "7.25.0"
const OAPI_CODEGEN = "v2.8.2"
const OAPI_RUNTIME = "v1.9.0"
const OPENAPI_PYTHON_CLIENT = "0.29.0"
const TYPESCRIPT = [
  "openapi-typescript@7.13.0",
  "openapi-fetch@0.17.0",
  "@hey-api/openapi-ts@0.99.0",
  "orval@8.38.0",
  "typescript@5.9.3"
]

const PROGRAMS = fileURLToPath(new URL("generated", import.meta.url))
const CACHE = join(ROOT, "node_modules/.cache")

const has = (...commands: ReadonlyArray<string>): boolean =>
  commands.every((command) => spawnSync("which", [command], { stdio: "ignore" }).status === 0)

const work = mkdtempSync(join(tmpdir(), "vps-generated-"))
const inWork = (path: string) => join(work, path)
const DOCUMENT = inWork("openapi.json")

let service: ServiceProcess
/** The service, with a field in each object of a response that the document does not have. */
let later: Server
let poorKey: string
let snapshotBytes: number
let plans: ReadonlyArray<string>

const withLaterFields = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(withLaterFields)
    : typeof value === "object" && value !== null
    ? {
      ...Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withLaterFields(inner)])),
      added_later: { note: "x" }
    }
    : value

beforeAll(async () => {
  service = await startService("--emulator")
  await control(service, "PUT", "/deploy", { mode: "instant" })
  const poor = await control(service, "POST", "/accounts", { email: "poor@example.test", wallet: 0 })
  poorKey = (poor as { readonly api_key: string }).api_key
  await using vps = new Vps({ apiKey: service.apiKey, baseUrl: service.url })
  await vps.instances.createAndWait({ service_id: 2 })
  await vps.snapshots.create(1, { name: "e" })
  await vps.instances.waitUntilIdle(1)
  snapshotBytes = (await vps.snapshots.list(1))[0]!.size_bytes!
  plans = (await vps.services.list()).map(({ slug }) => slug)
  later = createServer(async (request, response) => {
    const answer = await fetch(`${service.origin}${request.url}`, {
      method: request.method!,
      headers: Object.fromEntries(
        ["authorization", "content-type", "idempotency-key"].flatMap((name) => {
          const value = request.headers[name]
          return typeof value === "string" ? [[name, value]] : []
        })
      ),
      ...(request.method === "GET" ? {} : { body: await text(request) })
    })
    response.writeHead(answer.status, { "content-type": "application/json" })
    response.end(JSON.stringify(withLaterFields(await answer.json())))
  }).listen(0, "127.0.0.1")
  await once(later, "listening")
  writeFiles(work, { "openapi.json": await (await fetch(`${service.origin}/openapi.json`)).text() })
}, TIMEOUT)
afterAll(async () => {
  later.close()
  await service.end()
  rmSync(work, { recursive: true, force: true })
})

/** Runs a command, which has to succeed; returns its output. */
const run = async (folder: string, command: string, args: ReadonlyArray<string>): Promise<string> => {
  const env = { ...process.env, GOFLAGS: "-mod=mod", GOWORK: "off", GOTOOLCHAIN: "local" }
  const child = spawn(command, args, { cwd: folder, env })
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")])
  assert.strictEqual(code, 0, `${command} ${args.join(" ")}\n${stdout.slice(-3_000)}${stderr.slice(-3_000)}`)
  return stdout
}

/** Runs a client against the service, and against a later one; `name` is that of its purchases. */
const assertBuys = async (name: string, folder: string, command: string, ...args: ReadonlyArray<string>) => {
  const laterUrl = `http://127.0.0.1:${(later.address() as AddressInfo).port}`
  for (const [which, url] of [["now", service.origin], ["later", laterUrl]] as const) {
    const printed = await run(folder, command, [...args, url, service.apiKey, poorKey, `${name}-${which}`])
    const { bought: [status, id], replayed, ...rest } = JSON.parse(printed)
    assert.deepStrictEqual([status, replayed], [201, [201, id]], which)
    assert.deepStrictEqual(rest, {
      account: 1,
      plans,
      charge: 4.99,
      status: "running",
      snapshot: snapshotBytes,
      refused: [401, 402, 404, 409, 422]
    }, which)
  }
}

const openapiGenerator = async (generator: string, folder: string, ...options: ReadonlyArray<string>) => {
  const jar = join(CACHE, `pulumi-vps/openapi-generator-cli-${OPENAPI_GENERATOR}.jar`)
  if (!existsSync(jar)) {
    const artifact = `-Dartifact=org.openapitools:openapi-generator-cli:${OPENAPI_GENERATOR}`
    const target = `-DoutputDirectory=${join(CACHE, "pulumi-vps")}`
    await run(work, "mvn", ["-q", "-B", `-Dmaven.repo.local=${CACHE}/maven`, "dependency:copy", artifact, target])
  }
  await run(work, "java", ["-jar", jar, "generate", "-i", DOCUMENT, "-g", generator, "-o", inWork(folder), ...options])
}

describe("a client that is generated", () => {
  it("has sizes to read that 32 bits do not hold", () => {
    assert.isAbove(snapshotBytes, 2 ** 32)
  })

  it.skipIf(!has("java", "mvn"))("by openapi-generator for Java buys (skipped without Java or Maven)", async () => {
    await openapiGenerator("java", "java", "--additional-properties=hideGenerationTimestamp=true")
    const maven = ["-q", "-B", `-Dmaven.repo.local=${CACHE}/maven`, "-Dmaven.test.skip", "-Dmaven.javadoc.skip"]
    await run(inWork("java"), "mvn", [...maven, "compile", "dependency:copy-dependencies"])
    const classes = `${inWork("java/target/classes")}:${inWork("java/target/dependency")}/*`
    await run(work, "javac", ["-cp", classes, "-d", work, join(PROGRAMS, "Main.java")])
    await assertBuys("java", work, "java", "-cp", `${work}:${classes}`, "Main")
  }, TIMEOUT)

  it.skipIf(!has("java", "mvn", "go"))(
    "by openapi-generator for Go buys (skipped without Java, Maven or Go)",
    async () => {
      await openapiGenerator("go", "go/vps", "--additional-properties=withGoMod=false,packageName=vps")
      rmSync(inWork("go/vps/test"), { recursive: true, force: true })
      writeFiles(inWork("go"), { "go.mod": "module example.com/generated\n\ngo 1.24\n" })
      cpSync(join(PROGRAMS, "openapi-generator.go"), inWork("go/main.go"))
      await run(inWork("go"), "go", ["build", "-o", "client", "."])
      await assertBuys("go", inWork("go"), "./client")
    },
    TIMEOUT
  )

  it.skipIf(!has("go"))("by oapi-codegen for Go buys (skipped without Go)", async () => {
    const folder = inWork("oapi")
    mkdirSync(join(folder, "api"), { recursive: true })
    writeFiles(folder, { "go.mod": "module example.com/generated\n\ngo 1.24\n" })
    cpSync(join(PROGRAMS, "oapi-codegen.go"), join(folder, "main.go"))
    const tool = `github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@${OAPI_CODEGEN}`
    await run(work, "go", [
      "run",
      tool,
      "-generate",
      "types,client",
      "-package",
      "api",
      "-o",
      "oapi/api/api.go",
      DOCUMENT
    ])
    await run(folder, "go", ["get", `github.com/oapi-codegen/runtime@${OAPI_RUNTIME}`])
    await run(folder, "go", ["build", "-o", "client", "."])
    await assertBuys("oapi", folder, "./client")
  }, TIMEOUT)

  it.skipIf(!has("python3"))("by openapi-python-client buys (skipped without Python)", async () => {
    const environment = join(CACHE, `pulumi-vps/openapi-python-client-${OPENAPI_PYTHON_CLIENT}`)
    const python = join(environment, "bin/python")
    if (!existsSync(environment)) {
      await run(work, "python3", ["-m", "venv", environment])
      const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
      await run(work, python, [...pip, `openapi-python-client==${OPENAPI_PYTHON_CLIENT}`])
    }
    writeFiles(work, { "python.yaml": "post_hooks: []\n" })
    const options = ["--path", DOCUMENT, "--output-path", inWork("python"), "--config", inWork("python.yaml")]
    // As a module: the scripts of an environment name the folder in which it was made.
    await run(work, python, ["-m", "openapi_python_client", "generate", ...options])
    cpSync(join(PROGRAMS, "main.py"), inWork("python/main.py"))
    await assertBuys("python", inWork("python"), python, "main.py")
  }, TIMEOUT)
})

/** The programs in TypeScript share this, and differ in how a call is made. */
const HEAD = `declare const process: { readonly argv: Array<string> }
const [url = "", key = "", poor = "", name = ""] = process.argv.slice(2)
const idempotent = { "Idempotency-Key": name }\n`

const report = (whoami: string, plans: string, snapshots: string) => `
console.log(JSON.stringify({
  account: ${whoami}.account_id,
  plans: ${plans}.map(({ slug }) => slug),
  charge,
  bought: [first.status, bought.id],
  replayed: [second.status, again.id],
  status,
  snapshot: ${snapshots}[0]!.size_bytes,
  refused
}))\n`

const OPENAPI_FETCH = `import createClient from "openapi-fetch"
import type { paths } from "./schema"
${HEAD}
const as = (key: string) => createClient<paths>({ baseUrl: url, headers: { authorization: \`Bearer \${key}\` } })
const own = as(key)
const CREATE = "/api/v1/instances", INSTANCE = "/api/v1/instances/{instance_id}"
const body = { service_id: 1 }
const ofFirst = { path: { instance_id: 1 } }
const previewed = (await own.POST(CREATE, { params: { query: { dry_run: true } }, body })).data!
const charge = "would_create" in previewed ? previewed.charge_amount : undefined
const buy = async () => {
  const { data, response } = await own.POST(CREATE, { params: { header: idempotent }, body })
  if (data === undefined || "would_create" in data) throw new Error("nothing was bought")
  return [response, data] as const
}
const [first, bought] = await buy()
const [second, again] = await buy()
const read = (instance_id: number) => own.GET(INSTANCE, { params: { path: { instance_id } } })
const status = (await read(bought.id)).data!.status
const answers = [
  await as("none").GET("/api/v1/whoami"),
  await as(poor).POST(CREATE, { body }),
  await read(999_999),
  await own.POST("/api/v1/instances/{instance_id}/resize", { params: ofFirst, body: { service_id: 2 } }),
  await own.POST(CREATE, { body: { service_id: 1, hostname: "-" } })
]
const refused = answers.map(({ response }) => response.status)
const whoami = (await own.GET("/api/v1/whoami")).data!
const plans = (await own.GET("/api/v1/services")).data!
const snapshots = (await own.GET("/api/v1/instances/{instance_id}/snapshots", { params: ofFirst })).data!
${report("whoami", "plans", "snapshots")}`

const HEY_API = `import { createClient } from "./hey/client"
import * as vps from "./hey"
${HEAD}
const as = (auth: string) => createClient({ baseUrl: url, auth })
const client = as(key)
const body = { service_id: 1 }
const previewed = (await vps.instancesCreate({ client, query: { dry_run: true }, body })).data!
const charge = "would_create" in previewed ? previewed.charge_amount : undefined
const buy = async () => {
  const { data, response } = await vps.instancesCreate({ client, headers: idempotent, body })
  if (data === undefined || "would_create" in data) throw new Error("nothing was bought")
  return [response!, data] as const
}
const [first, bought] = await buy()
const [second, again] = await buy()
const read = (instance_id: number) => vps.instancesGet({ client, path: { instance_id } })
const status = (await read(bought.id)).data!.status
const answers = [
  await vps.accountWhoami({ client: as("none") }),
  await vps.instancesCreate({ client: as(poor), body }),
  await read(999_999),
  await vps.instancesResize({ client, path: { instance_id: 1 }, body: { service_id: 2 } }),
  await vps.instancesCreate({ client, body: { service_id: 1, hostname: "-" } })
]
const refused = answers.map(({ response }) => response!.status)
const whoami = (await vps.accountWhoami({ client })).data!
const plans = (await vps.servicesList({ client })).data!
const snapshots = (await vps.snapshotsList({ client, path: { instance_id: 1 } })).data!
${report("whoami", "plans", "snapshots")}`

const ORVAL = `import * as vps from "./orval/vps"
${HEAD}
const as = (key: string, more: Record<string, string> = {}) => ({
  headers: { authorization: \`Bearer \${key}\`, ...more }
})
// The base URL of its calls is fixed when they are generated.
const { fetch } = globalThis
globalThis.fetch = (path, init) => fetch(\`\${url}\${path}\`, init)
const body = { service_id: 1 }
const previewed = await vps.instancesCreate(body, { dry_run: true }, as(key))
const charge = previewed.status === 200 && "would_create" in previewed.data ? previewed.data.charge_amount : undefined
const buy = async () => {
  const answer = await vps.instancesCreate(body, undefined, as(key, idempotent))
  const isBought = (answer.status === 200 || answer.status === 201) && !("would_create" in answer.data)
  if (!isBought) throw new Error("nothing was bought")
  return [answer, answer.data as vps.Instance] as const
}
const [first, bought] = await buy()
const [second, again] = await buy()
const instance = await vps.instancesGet(bought.id, as(key))
const status = instance.status === 200 ? instance.data.status : undefined
const refused = [
  await vps.accountWhoami(as("none")),
  await vps.instancesCreate(body, undefined, as(poor)),
  await vps.instancesGet(999_999, as(key)),
  await vps.instancesResize(1, { service_id: 2 }, as(key)),
  await vps.instancesCreate({ service_id: 1, hostname: "-" }, undefined, as(key))
].map((answer) => answer.status)
const whoami = (await vps.accountWhoami(as(key))).data as vps.Whoami
const plans = (await vps.servicesList(as(key))).data as Array<vps.PublicPlan>
const snapshots = (await vps.snapshotsList(1, as(key))).data as Array<vps.Snapshot>
${report("whoami", "plans", "snapshots")}`

describe("a client that is generated in TypeScript", () => {
  const folder = inWork("typescript")
  beforeAll(async () => {
    mkdirSync(folder)
    install(folder, ...TYPESCRIPT, exact("esbuild"))
    writeFiles(folder, {
      "orval.config.mjs": `export default ${
        JSON.stringify({ vps: { input: DOCUMENT, output: { target: "orval/vps.ts", client: "fetch" } } })
      }\n`
    })
  }, TIMEOUT)

  it.each(
    [
      [
        "openapi-typescript, for openapi-fetch",
        "fetch",
        ["openapi-typescript", DOCUMENT, "-o", "schema.d.ts"],
        OPENAPI_FETCH
      ],
      ["Hey API", "hey", ["openapi-ts", "-i", DOCUMENT, "-o", "hey"], HEY_API],
      ["orval", "orval", ["orval", "--config", "orval.config.mjs"], ORVAL]
    ] as const
  )("by %s buys", async (_generator, name, generate, program) => {
    await run(folder, "npx", ["--no-install", ...generate])
    writeFiles(folder, { [`${name}-buys.ts`]: program })
    const strict = ["--strict", "--noEmit", "--skipLibCheck", "--target", "es2022", "--module", "esnext"]
    await run(folder, "npx", ["--no-install", "tsc", ...strict, "--moduleResolution", "bundler", `${name}-buys.ts`])
    const bundle = [`${name}-buys.ts`, "--bundle", "--platform=node", "--format=esm", `--outfile=${name}.mjs`]
    await run(folder, "npx", ["--no-install", "esbuild", ...bundle])
    await assertBuys(name, folder, process.execPath, `${name}.mjs`)
  }, TIMEOUT)
})
