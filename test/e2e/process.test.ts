/** The service as a process: what an operator sees when it starts, stops, and when it cannot. */
import { VERSION } from "#contract/Version"
import { assert, describe, it } from "vitest"
import { spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { ONE_HEAP, SEMI_SPACE_FLAG } from "#service/runtime/ProcessTuning"
import { runScript, SERVICE } from "../support/command.ts"
import { startService, startServiceWith } from "../support/serviceProcess.ts"
import { until } from "../support/until.ts"

const ROOT = fileURLToPath(new URL("../..", import.meta.url))

const runWith = (env: Record<string, string>, ...flags: ReadonlyArray<string>) =>
  spawnSync(process.execPath, [...SERVICE, ...flags], {
    cwd: ROOT,
    encoding: "utf8",
    env
  })

const runToEnd = (...flags: ReadonlyArray<string>) => runWith({ VPS_SERVICE_DRIVER: "simulated" }, ...flags)

describe("starting", () => {
  it("says on standard output only that it is ready, as one JSON object", async () => {
    const service = await startService("--emulator", "--request-log=true")
    assert.match(service.url, /^http:\/\/127\.0\.0\.1:\d+\/api\/v1$/)
    assert.strictEqual((await fetch(`${service.origin}/docs`)).status, 200)
    assert.strictEqual(await service.end(), 0)
    const { panel, sign_in: links, ...ready } = JSON.parse(service.printed())
    const expected = { ready: true, url: service.url, docs: `${service.origin}/docs`, api_key: service.apiKey }
    assert.deepStrictEqual(ready, expected)
    assert.strictEqual(service.printed().split("\n").length, 2)
    assert.match(panel, /^http:\/\/localhost:\d+\/panel$/, "passkeys need a name")
    for (const link of [links.customer, links.operator]) {
      assert.match(link, /^http:\/\/localhost:\d+\/panel\/sign-in#[\w-]{43}$/)
    }
    assert.match(service.apiKey, /^vps_live_/)
    assert.include(service.log(), "/docs", "all else goes to standard error")
  })

  it("prints an API key in the emulator only", async () => {
    const service = await startService("--database", ":memory:")
    assert.strictEqual(await service.end(), 0)
    assert.deepStrictEqual(Object.keys(JSON.parse(service.printed())), [
      "ready",
      "url",
      "docs",
      "panel",
      "driver",
      "warning"
    ])
  })

  it("prints at the first start the panel's address, and the command that makes a link to it", async () => {
    const folder = mkdtempSync(join(tmpdir(), "vps-process-"))
    try {
      const database = join(folder, "x.db")
      const service = await startService("--database", database)
      const { panel } = JSON.parse(service.printed()) as { readonly panel: string }
      await until(() => Promise.resolve(service.log()), (log) => log.includes("vps-service admin --help"))
      assert.include(service.log(), `This service has no account yet. Its panel is at ${panel}\n`)
      assert.include(
        service.log(),
        `\n  vps-service admin --database ${database} people invite you@example.com --role operator\n`
      )
      await service.end()
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it("needs a driver, and creates nothing without one", () => {
    const folder = mkdtempSync(join(tmpdir(), "vps-process-"))
    try {
      const { status, stderr, stdout } = runWith({}, "--port", "0", "--database", join(folder, "x.db"))
      assert.deepStrictEqual([status, stdout], [78, ""])
      assert.match(
        stderr,
        /^vps-service: No driver was chosen\. Set --driver or VPS_SERVICE_DRIVER to libvirt or simulated/
      )
      assert.deepStrictEqual(readdirSync(folder), [])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it("warns that instances are simulated in the ready line, the log and the readiness check", async () => {
    const service = await startService("--database", ":memory:")
    const warning = "Instances are simulated: they exist in the database only, so nothing can be reached on them."
    assert.deepInclude(JSON.parse(service.printed()), { driver: "simulated", warning })
    assert.deepStrictEqual(await (await fetch(`${service.origin}/readyz`)).json(), { status: "ready", warning })
    await service.end()
    assert.match(service.log(), /"message":"Instances are simulated[^\n]*"level":"WARN"/)
    const emulator = await startService("--emulator")
    assert.deepStrictEqual(await (await fetch(`${emulator.origin}/readyz`)).json(), { status: "ready" })
    await emulator.end()
    assert.notInclude(emulator.log(), "Instances are simulated")
  })

  const commandOf = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")
  const environmentOf = (pid: number) => readFileSync(`/proc/${pid}/environ`, "utf8").split("\0")
  const spaces = (pid: number) => commandOf(pid).filter((argument) => argument.startsWith("--max-semi-space-size"))

  it.skipIf(process.platform !== "linux")(
    "becomes a process of the same ID with the memory settings (needs Linux)",
    async () => {
      const service = await startServiceWith({ node: ["--trace-uncaught"] }, ["--emulator"])
      assert.deepStrictEqual(spaces(service.pid), ["--max-semi-space-size=8"])
      assert.include(commandOf(service.pid), "--trace-uncaught")
      assert.include(environmentOf(service.pid), "MALLOC_ARENA_MAX=1")
      assert.strictEqual(await service.end(), 0)
    }
  )

  it.skipIf(process.platform !== "linux")(
    "does not override memory settings of the operator (needs Linux)",
    async () => {
      const service = await startServiceWith({ node: ["--max-semi-space-size=4"] }, ["--emulator"])
      assert.deepStrictEqual(spaces(service.pid), ["--max-semi-space-size=4"])
      assert.strictEqual(await service.end(), 0)
      const other = await startServiceWith({ env: { MALLOC_ARENA_MAX: "3" } }, ["--emulator"])
      assert.include(environmentOf(other.pid), "MALLOC_ARENA_MAX=3")
      assert.strictEqual(await other.end(), 0)
    }
  )

  const FLAGS = ["--max-semi-space-size=8"]
  it.each([
    [FLAGS, { MALLOC_ARENA_MAX: "1" }, ""],
    [FLAGS, {}, "--max-semi-space-size=8\n"],
    [[], { MALLOC_ARENA_MAX: "1" }, "--max-semi-space-size=8\n"]
  ])("started with %j and %j, replaces itself only if one is missing", async (flags, env, printed) => {
    const program = `
      import { tuneProcess } from "#service/runtime/ProcessTuning"
      process.execve = (_, args) => console.log(args.filter((flag) => flag.startsWith("--max")).join())
      tuneProcess()`
    assert.strictEqual(await runScript(program, { flags, env }), printed)
  })

  it("the unit and the image start the service with one heap and the size of its young generation", () => {
    const read = (path: string) => readFileSync(join(ROOT, path), "utf8")
    const heap = `MALLOC_ARENA_MAX=${ONE_HEAP.MALLOC_ARENA_MAX}`
    assert.include(read("service/packaging/systemd/vps-service.service"), `\nEnvironment=${heap}\n`)
    const containerfile = read("service/packaging/container/Containerfile")
    assert.match(containerfile, new RegExp(`^ENV .*\\b${heap}\\b`, "m"))
    assert.include(containerfile, `'#!%s ${SEMI_SPACE_FLAG}\\n`)
    assert.include(read(".config/packageImage.ts"), `  MALLOC_ARENA_MAX: "${ONE_HEAP.MALLOC_ARENA_MAX}",\n`)
    assert.include(read(".config/packageProgram.ts"), `/bin/node ${SEMI_SPACE_FLAG}\n`)
  })

  it("leaves optimization to the slow compiler once it has started, and begins it after fewer calls", async () => {
    const program = `
      import { tuneProcess } from "#service/runtime/ProcessTuning"
      const usesQuick = new Function("one", "%PrepareFunctionForOptimization(one); one(1); "
        + "%OptimizeMaglevOnNextCall(one); one(2); return %ActiveTierIsMaglev(one)")
      const isOptimized = new Function("sum", "return %ActiveTierIsTurbofan(sum)")
      const callsNeeded = () => {
        const sum = new Function("o", "let s = 0; s += o.a; s += o.b; s += o.c; return s * 2")
        let calls = 0
        while (!isOptimized(sum)) for (let i = 0; i < 50; i++) sum({ a: 1, b: 2, c: calls++ })
        return calls
      }
      tuneProcess()
      console.log(usesQuick((number) => number + 1))
      setTimeout(() => console.log(usesQuick((number) => number + 2), callsNeeded() < 1_000), 1_200)`
    const flags = [...FLAGS, "--allow-natives-syntax", "--no-concurrent-recompilation"]
    assert.strictEqual(await runScript(program, { flags, env: ONE_HEAP }), "true\nfalse true\n")
  })

  it("keeps what it has compiled below the user's home, and starts where that cannot be written", async () => {
    const home = mkdtempSync(join(tmpdir(), "vps-home-"))
    const service = await startServiceWith({ env: { HOME: home } }, ["--emulator"])
    assert.strictEqual(await service.end(), 0)
    assert.isNotEmpty(readdirSync(join(home, ".cache/pulumi-vps")))
    // Code cached under flags that differ from those of the start would be discarded.
    const again = await startServiceWith({ env: { HOME: home, NODE_DEBUG_NATIVE: "COMPILE_CACHE" } }, ["--emulator"])
    assert.strictEqual(await again.end(), 0)
    assert.match(again.log(), /service\/dist\/main\.js was accepted/)
    assert.notMatch(again.log(), / was rejected/)
    rmSync(home, { recursive: true })
    // No process can write to a path below a device.
    const homeless = await startServiceWith({ env: { HOME: "/dev/null" } }, ["--emulator"])
    assert.strictEqual(await homeless.end(), 0)
  })

  it("says what to do when its port is taken, and leaves nothing behind", async () => {
    const service = await startService("--emulator")
    const { port } = new URL(service.url)
    const { status, stderr } = runToEnd("--emulator", "--port", port)
    assert.strictEqual(status, 1)
    assert.include(stderr, `127.0.0.1:${port} is in use by another program`)
    await service.end()
  })

  it("refuses a database that another service owns", async () => {
    const folder = mkdtempSync(join(tmpdir(), "vps-process-"))
    const database = join(folder, "x.db")
    const service = await startService("--database", database)
    const { status, stderr } = runToEnd("--database", database, "--port", "0")
    assert.strictEqual(status, 1)
    assert.include(stderr, `The database ${database} is in use by another process`)
    await service.end()
    rmSync(folder, { recursive: true })
  })
})

describe("stopping", () => {
  it.each(["SIGTERM", "SIGINT"] as const)("on %s ends with 0, and finishes what is under way", async (signal) => {
    const service = await startService("--emulator")
    const ask = async (method: string, path: string, body?: object) => {
      const response = await fetch(`${path.startsWith("/_") ? service.origin : service.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${service.apiKey}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    }
    const { body: { id } } = await ask("POST", "/instances", { service_id: 1 })
    await until(async () => (await ask("GET", `/instances/${id}`)).body["status"] === "running")
    // The upstream takes 200 ms for a host name, and the caller waits for it.
    const named = ask("PATCH", `/instances/${id}/hostname`, { hostname: "last-wish" })
    await until(async () => (await ask("GET", `/instances/${id}/tasks`)).body["total"] === 2)
    const code = await service.end(signal)
    assert.strictEqual((await named).status, 200)
    assert.strictEqual(code, 0)
    const [first, ...lines] = service.log().trimEnd().split("\n").map((line) => JSON.parse(line))
    assert.deepInclude(first, { message: "Starting", level: "INFO" })
    const { database, driver, mailer, version } = first.annotations
    assert.deepStrictEqual([version, database, driver, mailer], [VERSION, ":memory:", "simulated", "log"])
    const ends = lines.slice(-2).map(({ annotations, message }) => [message, annotations.reason])
    assert.deepStrictEqual(ends, [["Shutting down", signal], ["Stopped", signal]])
  })

  it.each([
    ["a request", "instances.list", "GET", "/instances"],
    ["the upstream", "driver.set_hostname", "PATCH", "/instances/1/hostname"]
  ])("does not wait for ever for %s that takes too long", async (_, operation, method, path) => {
    const service = await startServiceWith({ env: { VPS_SERVICE_SHUTDOWN_MILLIS: "100" } }, ["--emulator"])
    const ask = (address: string, verb: string, body?: object) =>
      fetch(address, {
        method: verb,
        headers: { authorization: `Bearer ${service.apiKey}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
    await ask(`${service.origin}/_emulator/deploy`, "PUT", { mode: "instant" })
    await ask(`${service.url}/instances`, "POST", { service_id: 1 })
    await until(async () => (await (await ask(`${service.url}/instances/1`, "GET")).text()).includes("\"running\""))
    await ask(`${service.origin}/_emulator/faults`, "POST", { operation, latency_ms: 3_600_000 })
    const cut = ask(`${service.url}${path}`, method, method === "GET" ? undefined : { hostname: "late" })
      .then(async (answer) => [answer.status, await answer.json()])
    await until(async () =>
      (await (await ask(`${service.origin}/_emulator/faults`, "GET")).text()).includes("\"hits\":1")
    )
    assert.strictEqual(await service.end(), 0)
    const detail =
      "The service stopped before completing the request. Retry it. A create needs the same Idempotency-Key."
    assert.deepStrictEqual(await cut, [503, { detail }])
  })
})
