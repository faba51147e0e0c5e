/**
 * `npm run bench -- terraform`: plan and apply of 100 instances on the emulator, beside 100 `terraform_data`, which the
 * engine has built in, beside the provider without an instance, and beside the same purchases by the SDK; the handshake
 * beside that of Pulumi's plugin; the provider's memory.
 *
 *   npm run bench -- terraform [--rounds 5] [--command tofu]
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { startEmulator } from "@pulumi-vps/testing"
import { selfSigned } from "#provider/terraform-host/Certificate"
import { CLIENT_CERTIFICATE, MAGIC_COOKIE } from "#provider/terraform-host/Protocol"
import { developmentConfiguration } from "#sdk/cli/commands/TerraformCommand"
import { findProvider } from "#sdk/cli/terraform/ProviderMirror"
import { family } from "./Process.ts"

const ROOT = fileURLToPath(new URL("../../..", import.meta.url))
const COUNT = 100
/** ms between two reads of the provider's peak memory. */
const LOOK_EVERY = 20

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "5" }, command: { type: "string", default: "tofu" } }
})

const HEAD = `terraform {
  required_providers {
    vps = { source = "registry.opentofu.org/pulumi-vps/vps" }
  }
}
provider "vps" {
  idempotency_scope = "bench"
}
`
const instances = (count: number): string =>
  `${HEAD}resource "vps_instance" "web" {
  count    = ${count}
  name     = "web-\${count.index}"
  plan     = "vps-s"
  hostname = "web-\${count.index}.example.com"
}
`
const CONFIGURATIONS = {
  "terraform_data": `resource "terraform_data" "web" {
  count = ${COUNT}
  input = { name = "web-\${count.index}", plan = "vps-s", hostname = "web-\${count.index}.example.com" }
}
`,
  "no instance": instances(0),
  "instances": instances(COUNT)
} as const
type Name = keyof typeof CONFIGURATIONS

const emulator = await startEmulator({ seed: { wallet: 100_000, deploy: { mode: "instant" } } })
const folder = mkdtempSync(join(tmpdir(), "vps-bench-terraform-"))
writeFileSync(join(folder, "rc"), developmentConfiguration(findProvider()))
const environment = {
  ...process.env,
  TF_CLI_CONFIG_FILE: join(folder, "rc"),
  CHECKPOINT_DISABLE: "1",
  VPS_API_KEY: emulator.apiKey,
  VPS_BASE_URL: emulator.url
}

/** Megabytes; the most that a provider below this process has held. */
const peakOf = (pid: number): number => {
  try {
    return Math.max(
      0,
      ...family(pid).slice(1).map((child) =>
        Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${child}/status`, "utf8"))?.[1] ?? 0) / 1_024
      )
    )
  } catch { // it ended meanwhile
    return 0
  }
}

let peak = 0
/** Milliseconds of a command. */
const timed = async (cwd: string, ...args: ReadonlyArray<string>): Promise<number> => {
  const began = performance.now()
  const child = spawn(values.command, [...args, "-no-color"], {
    cwd,
    env: environment,
    stdio: ["ignore", "ignore", "inherit"]
  })
  const look = setInterval(() => void (peak = Math.max(peak, peakOf(child.pid ?? 0))), LOOK_EVERY)
  const [code] = await once(child, "exit")
  clearInterval(look)
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${String(code)}`)
  return performance.now() - began
}

const times = new Map<string, Array<number>>()
const add = (name: string, time: number): void => void times.set(name, [...times.get(name) ?? [], time])
const medianOf = (name: string): number => {
  const sorted = times.get(name)!.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]!
}

const round = async (name: Name): Promise<void> => {
  const own = mkdtempSync(join(folder, "round-"))
  writeFileSync(join(own, "main.tf"), CONFIGURATIONS[name])
  if (name === "terraform_data") await timed(own, "init")
  for (const [step, ...args] of [["plan"], ["apply", "-auto-approve"], ["second plan"]] as const) {
    add(`${name}: ${step}`, await timed(own, step === "second plan" ? "plan" : step, ...args))
  }
  await emulator.reset()
}

/** The service's part: the same purchases by the SDK, as many at once as the engine makes. */
const buy = async (): Promise<void> => {
  const began = performance.now()
  const names = Array.from({ length: COUNT }, (_, index) => `web-${index}.example.com`)
  const vps = emulator.client()
  await Promise.all(Array.from({ length: 10 }, async () => {
    for (let hostname = names.pop(); hostname !== undefined; hostname = names.pop()) {
      await vps.instances.createAndWait({ service_id: 1, hostname }, { idempotencyKey: hostname })
    }
  }))
  add("SDK", performance.now() - began)
  await emulator.reset()
}

/** From the start of a provider to its first line. */
const handshake = async (name: string, file: string): Promise<void> => {
  const { certificate } = selfSigned(performance.timeOrigin + performance.now())
  const own = { [MAGIC_COOKIE.name]: MAGIC_COOKIE.value, [CLIENT_CERTIFICATE]: certificate }
  const began = performance.now()
  const child = spawn(join(ROOT, file), [], { env: { ...environment, ...own }, stdio: ["ignore", "pipe", "ignore"] })
  await once(child.stdout, "data")
  add(name, performance.now() - began)
  child.kill("SIGKILL")
  await once(child, "exit")
}

for (let count = 0; count < Number(values.rounds); count++) {
  for (const name of Object.keys(CONFIGURATIONS) as Array<Name>) await round(name)
  await buy()
  await handshake("plugin", "provider/plugin/pulumi-resource-vps")
  await handshake("provider", "provider/terraform/terraform-provider-vps")
}
await emulator.stop()
rmSync(folder, { recursive: true })

const shown = (ms: number): string => `${ms.toFixed(0).padStart(6)} ms`
console.log(`${values.command}, median of ${values.rounds} rounds; ${COUNT} resources\n`)
for (const step of ["plan", "apply", "second plan"]) {
  const [data, none, ours] = (["terraform_data", "no instance", "instances"] as const).map((name) =>
    medianOf(`${name}: ${step}`)
  ) as [number, number, number]
  const service = step === "apply" ? medianOf("SDK") : 0
  const ratio = (ours - none - service + data) / data
  console.log(
    `${step.padEnd(12)} terraform_data${shown(data)}  no instance${shown(none)}  instances${
      shown(ours)
    }  without the start `
      + `of the provider${service === 0 ? "" : ` and the service (${service.toFixed(0)} ms)`}: ${ratio.toFixed(1)}x`
  )
}
console.log(
  `handshake    plugin${shown(medianOf("plugin"))}  provider${shown(medianOf("provider"))}: ${
    (medianOf("provider") / medianOf("plugin")).toFixed(2)
  }x`
)
console.log(`peak memory of the provider: ${peak.toFixed(0)} MB`)
