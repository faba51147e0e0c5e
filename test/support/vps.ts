/** The `vps` command as it is built, as a process of its own, against a service that a test has started. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { text } from "node:stream/consumers"
import { join } from "node:path"
import { type Ran, runNode, type RunOptions } from "./command.ts"
import { ROOT } from "./consumer.ts"
import type { ServiceProcess } from "./serviceProcess.ts"

export const VPS = join(ROOT, "sdk/dist/cli/bin.js")

/** Where nothing is: a test that forgets its own file of contexts finds none, and never a person's. */
const NOWHERE = "/nonexistent/vps.json"

const BASE = { TZ: "UTC", VPS_CONFIG: NOWHERE }

export const runVps = (args: ReadonlyArray<string>, { env, ...options }: RunOptions = {}): Promise<Ran> =>
  runNode([VPS, ...args], { ...options, env: { ...BASE, ...env } })

/** A key and a service for `runVps`. */
export const credentials = ({ apiKey, url }: Pick<ServiceProcess, "apiKey" | "url">) => ({
  VPS_API_KEY: apiKey,
  VPS_BASE_URL: url
})

/** Commands of the seeded account of a service. */
export const vpsOf = (service: () => ServiceProcess) => {
  const run = (line: string, { env, ...options }: RunOptions = {}): Promise<Ran> =>
    runVps(line.split(" "), { ...options, env: { ...credentials(service()), ...env } })
  return {
    run,
    /** The result of a command that is done. */
    // oxlint-disable-next-line typescript/no-explicit-any
    json: async (line: string): Promise<any> => {
      const { code, stderr, stdout } = await run(`${line} -o json`)
      if (code !== 0) throw new Error(`vps ${line} ended with ${code}: ${stderr}`)
      return JSON.parse(stdout)
    }
  }
}

/** A control of the emulator. */
export const control = async (service: ServiceProcess, method: string, path: string, body?: unknown) => {
  const headers = { "content-type": "application/json" }
  const init = body === undefined ? { method } : { method, headers, body: JSON.stringify(body) }
  const answer = await fetch(`${service.origin}/_emulator${path}`, init)
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
  return answer.json()
}

/** The number of requests that the service has served. */
export const requestsOf = async (service: ServiceProcess): Promise<number> =>
  (await control(service, "GET", "/requests") as ReadonlyArray<unknown>).length

/** A command that is still running. */
export interface Running {
  /** Resolves when the text has been written, to either output. */
  readonly wrote: (text: string) => Promise<void>
  readonly end: (signal: NodeJS.Signals) => Promise<Ran>
}

/** Starts a command and leaves it running. */
export const startVps = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>): Running => {
  const child = spawn(process.execPath, [VPS, ...args], { env: { ...BASE, ...env }, stdio: ["ignore", "pipe", "pipe"] })
  let seen = ""
  let tell = (): void => {}
  const hear = (chunk: Buffer) => {
    seen += String(chunk)
    tell()
  }
  child.stdout.on("data", hear)
  child.stderr.on("data", hear)
  const outputs = Promise.all([text(child.stdout), text(child.stderr), once(child, "close")])
  return {
    wrote: (wanted) =>
      new Promise((resolve, reject) => {
        tell = () => seen.includes(wanted) && resolve()
        tell()
        void outputs.then(() => reject(new Error(`it ended without "${wanted}": ${seen}`)))
      }),
    end: async (signal) => {
      child.kill(signal)
      const [stdout, stderr, [code]] = await outputs
      return { code: code as number | null, stdout, stderr }
    }
  }
}
