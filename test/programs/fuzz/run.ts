/**
 * `npm run fuzz`: Schemathesis sends what the OpenAPI document allows, and what it forbids, to an emulator with a key,
 * and holds every answer against the document: no 5xx, no undocumented status, header, type or shape, no door that
 * opens without a key. The same seed sends the same requests.
 *
 *   npm run fuzz -- [--cases 100] [--seed 1] [-- further options of `st run`]
 *
 * `--cases` is the most per operation and phase. Needs Python, and PyPI the first time.
 */
import { spawn } from "node:child_process"
import { randomInt } from "node:crypto"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { type ServiceProcess, startService } from "../../support/serviceProcess.ts"
import { schemathesis, Unavailable } from "./Python.ts"

const CONFIG = fileURLToPath(new URL("schemathesis.toml", import.meta.url))

/** Largest seed that Schemathesis takes for its own. */
const SEEDS = 2 ** 31

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    cases: { type: "string", default: "100" },
    seed: { type: "string", default: String(randomInt(SEEDS)) }
  }
})

/** A large wallet and immediate deployments, so that requests reach more than rejections. */
const furnish = async ({ apiKey, origin, url }: ServiceProcess): Promise<void> => {
  const put = async (path: string, body: object) => {
    const { status } = await fetch(`${origin}/_emulator${path}`, { method: "PUT", body: JSON.stringify(body) })
    if (status !== 200) throw new Error(`the emulator answered ${status} to ${path}`)
  }
  await put("/deploy", { mode: "instant" })
  await put("/wallet", { balance: 1_000_000_000 })
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" }
  for (const plan of [1, 2]) {
    await fetch(`${url}/instances`, { method: "POST", headers, body: JSON.stringify({ service_id: plan }) })
  }
}

const fuzz = async (
  [command, ...program]: readonly [string, ...Array<string>],
  { apiKey, log, origin }: ServiceProcess
): Promise<number> => {
  const folder = mkdtempSync(join(tmpdir(), "pulumi-vps-fuzz-"))
  const args = [
    ...program,
    "--config-file",
    CONFIG,
    "run",
    `${origin}/openapi.json`,
    "--header",
    `Authorization: Bearer ${apiKey}`,
    "--checks",
    "all",
    "--max-examples",
    values.cases,
    "--seed",
    values.seed,
    "--continue-on-failure",
    ...positionals
  ]
  try {
    const child = spawn(command, args, { cwd: folder, stdio: "inherit" })
    const [code] = await once(child, "exit")
    const defects = log().split("\n").filter((line) => line.includes("\"ERROR\""))
    for (const line of defects) process.stderr.write(`The service logged: ${line}\n`)
    return defects.length > 0 ? 1 : code as number | null ?? 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const found = (): readonly [string, ...Array<string>] | undefined => {
  try {
    return schemathesis()
  } catch (cause) {
    if (!(cause instanceof Unavailable)) throw cause
    process.stderr.write(`Schema fuzzing is not possible here. ${cause.message}\n`)
    process.exitCode = 1
    return undefined
  }
}

const program = found()
if (program !== undefined) {
  process.stderr.write(`npm run fuzz -- --cases ${values.cases} --seed ${values.seed}\n`)
  const service = await startService("--emulator")
  try {
    await furnish(service)
    process.exitCode = await fuzz(program, service)
  } finally {
    await service.end()
  }
}
