/** The messages and exit codes of `vps` on failures, as a process against the real service. */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, assert, beforeAll, beforeEach, describe, it } from "vitest"
import { type ServiceProcess, startService } from "../support/serviceProcess.ts"
import { control, credentials, runVps, startVps, vpsOf } from "../support/vps.ts"
import { assertExactlyLike, assertLike, containing, isText } from "../support/like.ts"
import { until } from "../support/until.ts"

let service: ServiceProcess
const { json, run } = vpsOf(() => service)
beforeAll(async () => {
  service = await startService("--emulator")
})
beforeEach(async () => {
  await control(service, "POST", "/reset")
  await control(service, "PUT", "/deploy", { mode: "instant" })
})
afterAll(() => service.end())

/** A read-only key of the seeded account. */
const reader = async (): Promise<string> =>
  (await control(service, "POST", "/keys", { scopes: ["vps:read"] }) as { readonly api_key: string }).api_key

/** The number of times that the only fault was triggered. */
const struck = async (): Promise<number> =>
  (await control(service, "GET", "/faults") as [{ readonly hits: number }])[0].hits

describe("exit codes and messages", () => {
  it("are 2 for wrong usage, on standard error alone", async () => {
    assert.deepStrictEqual(await runVps(["instance", "creat"]), {
      code: 2,
      stdout: "",
      stderr: "vps: Unknown subcommand \"creat\" for \"vps instance\"\nvps:   Did you mean this?\nvps:     create\n"
        + "For usage, run: vps instance --help\n"
    })
    assertLike(await run("instance wait 1 --timeout 0"), { code: 2, stderr: containing("--timeout must be from 1") })
  })
  it.each(["instance get", "instance wait 1 --timeout soon", "instance create", "whoami -o xml", "whoami --loud"])(
    "are 2 for %s",
    async (line) => assertLike(await run(line), { code: 2, stdout: "" })
  )
  it("are 3 for what is not found, with the request ID", async () => {
    const { code, stderr, stdout } = await run("instance get 99")
    assert.deepStrictEqual({ code, stdout }, { code: 3, stdout: "" })
    assert.match(stderr, /^vps: Instance not found\.\nvps: Request ID: \S+\n$/)
  })
  it("are 4 for an invalid key or a missing scope", async () => {
    const wrong = await run("whoami", { env: { VPS_API_KEY: "vps_live_wrong" } })
    assertLike(wrong, {
      code: 4,
      stderr: containing("The key is from VPS_API_KEY. Set it to a valid key, or unset it to use a saved context.")
    })
    assert.notInclude(wrong.stderr, "vps_live_wrong")
    assertLike(await run("instance create --plan 1", { env: { VPS_API_KEY: await reader() } }), {
      code: 4,
      stderr: containing("VPS_API_KEY. Set it to a key that has the vps:create scope, ")
    })
  })
  it("are 5 for insufficient funds, and nothing is bought", async () => {
    const { api_key } = await control(service, "POST", "/accounts", { email: "a@b.example", wallet: 1 }) as {
      readonly api_key: string
    }
    const env = { VPS_API_KEY: api_key }
    assertLike(await run("instance create --plan 1", { env }), {
      code: 5,
      stdout: "",
      stderr: containing("Top up your wallet, then run the same command again. How to pay is shown by: vps account")
    })
    assert.match(
      (await run("instance create --plan 1 --dry-run", { env })).stdout,
      /Sufficient funds +no\nWould create +no/
    )
    assert.strictEqual((await run("instance list -o id", { env })).stdout, "")
  })
  it("are 1 for a service that is unreachable or fails", async () => {
    const env = { ...credentials(service), VPS_BASE_URL: "http://127.0.0.1:1/api/v1" }
    assertLike(await runVps(["instance", "create", "--plan", "x"], { env }), {
      code: 1,
      stdout: "",
      stderr: containing("\"vps context list\" shows it")
    })
    await control(service, "POST", "/faults", { operation: "power.stop", status: 500, count: 1 })
    const id = (await run("instance create --plan 1 --wait -o id")).stdout.trim()
    assertLike(await run(`instance stop ${id}`), {
      code: 1,
      stderr: containing("The service has a problem. Try again shortly.")
    })
  })
  it("are 1 for validation errors, with a line for each", async () => {
    const { code, stderr } = await run("instance create --plan 1 --hostname _ --coupon NONE")
    assert.strictEqual(code, 1)
    assert.match(stderr, /^vps: hostname: .+\nvps: Request ID: \S+\n$/)
  })
  it("-o json prints the same as one document to standard error", async () => {
    const { code, stderr, stdout } = await run("instance get 99 -o json")
    assert.deepStrictEqual({ code, stdout }, { code: 3, stdout: "" })
    assertExactlyLike(JSON.parse(stderr), {
      error: {
        name: "NotFoundError",
        message: "Instance not found.",
        detail: "Instance not found.",
        exit_code: 3,
        status: 404,
        method: "GET",
        path: "/instances/99",
        attempts: 1,
        request_id: isText
      }
    })
    assertLike(JSON.parse((await run("os list --plan nix -o json")).stderr).error, {
      name: "CommandError",
      exit_code: 3,
      hint: containing("vps-s")
    })
  })
})

describe("what people type", () => {
  it("help and version are commands, too", async () => {
    assert.deepStrictEqual(await runVps(["help", "server", "ls"]), await runVps(["instance", "list", "--help"]))
    assert.deepStrictEqual(await runVps(["version"]), await runVps(["--version"]))
  })
  it("other programs' names mean the same command, and -ojson is -o json", async () => {
    await run("instance create --plan 1 --wait")
    const lists = ["ls -ojson", "server ls -o json", "server list -o=json"]
    const wanted = await run("instance list -o json")
    assert.strictEqual(wanted.code, 0)
    for (const line of lists) assert.deepStrictEqual(await run(line), wanted)
    assert.deepStrictEqual(await run("image list -oid"), await run("os list -o id"))
  })
  it.each(["delete", "rm", "destroy"])(
    "is answered with 2 and how to end a contract, and when, for instance %s",
    async (verb) => {
      const [id] = (await run("instance create --plan 1 --hostname end.example.com --wait -o id")).stdout.split("\n")
      const { expires_at } = await json(`instance get ${id}`)
      const paidUntil = `${expires_at.slice(0, 10)} ${expires_at.slice(11, 16)} UTC`
      assert.deepStrictEqual(await run(`instance ${verb} end.example.com --force`), {
        code: 2,
        stdout: "",
        stderr:
          `vps: The API can't cancel a contract: stop instance ${id} and switch auto-renew off at ${service.origin}`
          + `/panel/instances/${id}. It is paid until ${paidUntil}.\nvps: Stop it: vps instance stop ${id}\n`
      })
      assertLike(await json(`instance get ${id}`), { status: "running" })
      const unread = await run(`instance ${verb} 99 -o json`)
      assertLike(unread, { code: 2, stdout: "" })
      assert.include(JSON.parse(unread.stderr).error.message, "It is paid until its expiry date.")
    }
  )
  it("is answered with 2 and everything that is missing, as JSON with -o json", async () => {
    const { code, stderr, stdout } = await run("instance resize -o json")
    assert.deepStrictEqual({ code, stdout }, { code: 2, stdout: "" })
    assert.deepStrictEqual(JSON.parse(stderr), {
      error: {
        name: "CommandError",
        message: "Missing required argument: instance\nMissing required flag: --plan",
        hint: "For usage, run: vps instance resize --help",
        exit_code: 2
      }
    })
  })
  it.each([
    ["instance wait 1 --timeout soon", "--timeout must be a duration like 90, 90s, 5m or 1h30m, not \"soon\""],
    ["instance wait 1 --timeout 700h", "--timeout must be from 1 to 2147483 seconds, not 2520000"],
    ["instance metrics 1 --range 5h", "--range should be 1h, 6h, 24h, 7d or 30d; got \"5h\"."],
    ["snapshot delete 1 x", "snapshot should be a number; got \"x\"."],
    ["instance list -o", "--output needs a value: table, json, yaml or id."],
    ["instance tasks 1 --limit 1000", "--limit must be from 1 to 100, not 1000"],
    ["instance tasks 1 --offset=-1", "--offset must be 0 or more, not -1"],
    ["snapshot create 1 --name=", "--name must not be empty"],
    [
      "instance create --plan 1 --idempotency-key=\u00e9",
      "--idempotency-key must be 1 to 255 visible ASCII characters"
    ]
  ])("is answered with 2: %s", async (line, message) => {
    const { code, stderr } = await run(line)
    assert.deepStrictEqual({ code, first: stderr.split("\n")[0] }, { code: 2, first: `vps: ${message}` })
  })
  it.each([
    "instance create --plan 1 --os",
    "instance create --plan 1 --dry-run --os",
    "instance reinstall 1 --yes --os"
  ])(
    "is answered with 3 and a similar image for %s",
    async (line) => {
      await run("instance create --plan 1 --wait")
      assert.deepStrictEqual(await run(`${line} Debian13`), {
        code: 3,
        stdout: "",
        stderr: "vps: Image \"Debian13\" is not available for this plan.\nvps: Did you mean debian-13?\n"
      })
    }
  )
})

describe("another service", () => {
  it("that redirects is reported with the base URL to use", async () => {
    const host = createServer(({ url }, answer) =>
      answer.writeHead(301, { location: `https://api.example.com${url}` }).end("<html>Moved</html>")
    )
    host.listen(0, "127.0.0.1")
    await once(host, "listening")
    const url = `http://127.0.0.1:${(host.address() as AddressInfo).port}/api/v1`
    const { code, stderr } = await runVps(["instance", "list"], { env: credentials({ apiKey: "k", url }) })
    host.close()
    assert.strictEqual(code, 1)
    assert.include(stderr, "Set the base URL to https://api.example.com/api/v1\n")
    assert.include(stderr, "vps login --base-url <url>")
  })
  it("with an unexpected response is printed as JSON, with a note", async () => {
    const host = createServer((_, answer) => answer.setHeader("content-type", "application/json").end("{\"up\":true}"))
    host.listen(0, "127.0.0.1")
    await once(host, "listening")
    const url = `http://127.0.0.1:${(host.address() as AddressInfo).port}/api/v1`
    const env = credentials({ apiKey: "k", url })
    assert.deepStrictEqual(await runVps(["instance", "status", "1"], { env }), {
      code: 0,
      stdout: "{\n  \"up\": true\n}\n",
      stderr: "vps: The service sent an unexpected response. Printing it as JSON.\n"
    })
    assert.strictEqual((await runVps(["instance", "stop", "1", "--wait"], { env })).code, 0)
    host.close()
  })
})

describe("waits", () => {
  const endless = () => control(service, "PUT", "/deploy", { mode: "after_ms", value: 3_600_000 })

  it("end with 124 at a timeout, and how to keep waiting", async () => {
    await endless()
    const { code, stderr, stdout } = await run("instance create --plan 1 --idempotency-key k-1 --wait --timeout 1s")
    assert.deepStrictEqual({ code, stdout }, { code: 124, stdout: "" })
    assert.strictEqual(
      stderr,
      "Instance 1 is provisioning\n"
        + "vps: Instance 1 was not ready after 1 s (status provisioning).\n"
        + "vps: Provisioning continues (idempotency key k-1). To keep waiting: vps instance wait 1\n"
    )
    assertLike(await run("instance wait 1 --timeout 1"), { code: 124 })
  })
  it("end with 130 when interrupted after the purchase, and print the instance and the key", async () => {
    await endless()
    const creating = startVps(["instance", "create", "--plan", "1", "--wait"], credentials(service))
    await creating.wrote("Instance 1 is provisioning")
    const { code, stderr, stdout } = await creating.end("SIGINT")
    assert.deepStrictEqual({ code, stdout }, { code: 130, stdout: "" })
    const key = /Instance 1 was bought \(idempotency key (vps-\S+)\)\. Provisioning continues/.exec(stderr)?.[1]
    assert.include(stderr, "vps: To keep waiting: vps instance wait 1\n")
    assertLike(await json(`instance create --plan 1 --idempotency-key ${key}`), { id: 1 })
  })
  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("end with 130 after %s, and print the key", async (signal) => {
    await control(service, "POST", "/faults", { operation: "instances.create", latency_ms: 3_600_000 })
    const creating = startVps(["instance", "create", "--plan", "1"], credentials(service))
    await until(async () => await struck() > 0)
    const { code, stderr } = await creating.end(signal)
    assert.strictEqual(code, 130)
    assert.match(
      stderr,
      /^vps: Interrupted\. The instance may have been bought\.\nvps: Run the same command with --idempotency-key vps-/
    )
  })
  it("a lost response is retried with the same key: it buys once", async () => {
    await control(service, "POST", "/faults", { operation: "instances.create", drop_connection: "after", count: 1 })
    assertLike(await run("instance create --plan 1 -o id"), { code: 0, stdout: "1\n" })
    assert.strictEqual((await run("instance list -o id")).stdout, "1\n")
  })
  it("end with 1 when the task fails", async () => {
    await run("instance create --plan 1 --wait")
    await control(service, "POST", "/faults", { operation: "driver.reinstall", driver: "rejected" })
    const { code, stderr, stdout } = await run("instance reinstall 1 --os alma-9 --yes --wait")
    assert.deepStrictEqual({ code, stdout }, { code: 1, stdout: "" })
    assert.include(stderr, "vps: The reinstall of instance 1 failed")
    assert.include(stderr, "vps: See its tasks: vps instance tasks 1\n")
  })
})
