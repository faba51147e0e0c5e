/** The service as a process of its own: started, called over HTTP, killed. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { SERVICE } from "./command.ts"

const ROOT = fileURLToPath(new URL("../..", import.meta.url))

export interface ServiceProcess {
  /** Base URL, with `/api/v1`. */
  readonly url: string
  /** Without a path. */
  readonly origin: string
  /** The emulator's API key. */
  readonly apiKey: string
  readonly pid: number
  /** Set for a host of `test/anyHost`, which shows no more than the specification does. */
  readonly style?: string
  /** The standard error so far. */
  readonly log: () => string
  /** The standard output so far. */
  readonly printed: () => string
  /** Sends a signal and waits for the end; returns the exit code, null when the signal killed it. */
  readonly end: (signal?: NodeJS.Signals) => Promise<number | null>
}

const firstLine = async (child: ChildProcess, log: () => string): Promise<string> => {
  for await (const line of createInterface({ input: child.stdout! })) return line
  throw new Error(`vps-service ended before it was ready: ${log()}`)
}

interface Options {
  /** Flags for Node itself. */
  readonly node?: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
}

/** Starts it with these flags, and simulated instances, and waits for the ready line. */
export const startService = (...flags: ReadonlyArray<string>): Promise<ServiceProcess> => startServiceWith({}, flags)

/** The same, with more to say about the process. */
export const startServiceWith = async (
  { env = {}, node = [] }: Options,
  flags: ReadonlyArray<string>
): Promise<ServiceProcess> => {
  const service = [...SERVICE, "--port", "0", "--request-log=false"]
  const child = spawn(process.execPath, [...node, ...service, ...flags], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    // Connections of the tests stay open, and they wait for the end.
    env: { VPS_SERVICE_DRIVER: "simulated", VPS_SERVICE_LAME_DUCK_MILLIS: "0", ...env }
  })
  let [errors, output] = ["", ""]
  child.stdout!.on("data", (chunk) => {
    output += String(chunk)
  })
  child.stderr!.on("data", (chunk) => {
    errors += String(chunk)
  })
  const exited = once(child, "exit")
  const ready = JSON.parse(await firstLine(child, () => errors))
  child.stdout!.resume()
  return {
    url: ready.url,
    origin: new URL(ready.url).origin,
    apiKey: ready.api_key,
    pid: child.pid!,
    log: () => errors,
    printed: () => output,
    end: async (signal = "SIGTERM") => {
      child.kill(signal)
      const [code] = await exited
      return code
    }
  }
}
