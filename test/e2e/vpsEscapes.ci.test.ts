/** A service that sends control characters in every text: none reaches the terminal, in any format and any message. */
import { once } from "node:events"
import { createServer, type IncomingMessage, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type ServiceProcess, startService } from "../support/serviceProcess.ts"
import { control, runVps, vpsOf } from "../support/vps.ts"

/** Sets the title of a terminal, clears it, reverses the direction of a text, and ends a line. */
const HOSTILE = "\u001b]0;owned\u0007\u009b2J\u202e\u2066\u2028\r"

const poison = (value: unknown): unknown => {
  if (typeof value === "string") return value + HOSTILE
  if (Array.isArray(value)) return value.map(poison)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, poison(inner)]))
}

let service: ServiceProcess
let server: Server
let env: Readonly<Record<string, string>>

const forward = async ({ headers, method = "GET", url = "" }: IncomingMessage, body: string) => {
  const { authorization = "", "content-type": type = "application/json" } = headers
  const init = { method, headers: { authorization, "content-type": type }, ...(body === "" ? {} : { body }) }
  const answer = await fetch(`${service.origin}${url}`, init)
  return { status: answer.status, body: JSON.stringify(poison(await answer.json())) }
}

beforeAll(async () => {
  service = await startService("--emulator")
  await control(service, "PUT", "/deploy", { mode: "instant" })
  const { json } = vpsOf(() => service)
  await json("instance create --plan vps-s --yes --wait")
  await json("snapshot create 1 --name first --wait")
  server = createServer((request, response) => {
    const respond = async () => {
      const { body, status } = await forward(request, await text(request))
      response.writeHead(status, { "content-type": "application/json" }).end(body)
    }
    void respond()
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  env = { VPS_API_KEY: service.apiKey, VPS_BASE_URL: `http://127.0.0.1:${port}/api/v1` }
})
afterAll(async () => {
  server.close()
  await service.end()
})

// oxlint-disable-next-line no-control-regex
const UNSAFE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/

const READS = [
  "whoami",
  "plan list",
  "os list --plan 1",
  "instance list",
  "instance get 1",
  "instance plans 1",
  "instance status 1",
  "instance metrics 1",
  "instance tasks 1",
  "snapshot list 1",
  "backup list 1",
  "iso list 1",
  "instance create --plan 1 --dry-run"
]
const CHANGES = [
  "instance restart 1",
  "instance set-hostname 1 web",
  "rescue enter 1",
  "instance reset-password 1 --yes"
]
const FAILURES = [
  "instance get 99",
  "snapshot create 1 --name x",
  "iso mount 1 99",
  "instance create --plan 99 --yes",
  "instance resize 1 --plan 1 --yes"
]

describe("a response with control characters", () => {
  it.each([...READS, ...CHANGES, ...FAILURES])("does not send them to the terminal: vps %s", async (line) => {
    const formats = READS.includes(line) ? ["table", "yaml", "id", "json"] : ["table"]
    for (const format of formats) {
      const { stderr, stdout } = await runVps([...line.split(" "), "-o", format], { env })
      assert.isUndefined(UNSAFE.exec(stdout)?.[0].codePointAt(0)?.toString(16), `${format}: ${JSON.stringify(stdout)}`)
      assert.isUndefined(UNSAFE.exec(stderr)?.[0].codePointAt(0)?.toString(16), `${format}: ${JSON.stringify(stderr)}`)
    }
  })
})
