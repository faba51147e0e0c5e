/** A system under measurement: a process that is started, called, measured from outside, and always stopped. */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import type { Job, Load } from "./load.ts"
import type { Ready, System } from "./systems.ts"

/** Linux counts CPU time in ticks of 10 ms. */
const TICK_SECONDS = 0.01
const LOAD = fileURLToPath(new URL("./load.ts", import.meta.url))
/** As much of a log is shown when its process does not start. */
const LOG_CHARACTERS = 4_096
const running = new Set<ChildProcess>()

/** Nothing may outlive the benchmark. */
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL")
})
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130))

/** A process and all below it. */
export const family = (pid: number): Array<number> => {
  try {
    const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" ").filter((text) => text !== "").map(Number)
    )
    return [pid, ...children.flatMap(family)]
  } catch { // it ended meanwhile
    return []
  }
}

/** User and system time of the process and its children so far, in seconds. */
export const cpuSeconds = (pid: number): number =>
  family(pid).reduce((sum, one) => {
    const fields = readFileSync(`/proc/${one}/stat`, "utf8").replace(/^.*\) /s, "").split(" ")
    return sum + fields.slice(11, 15).reduce((ticks, field) => ticks + Number(field), 0) * TICK_SECONDS
  }, 0)

export const megabytes = (pid: number): number =>
  family(pid).reduce((sum, one) => {
    const match = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${one}/status`, "utf8"))
    return sum + Number(match?.[1] ?? 0) / 1024
  }, 0)

export interface Measured extends Load {
  /** Microseconds of the servers' CPU time per request. */
  readonly cpu: number
  /** Megabytes of resident memory afterwards. */
  readonly rss: number
}

interface StartOptions {
  /** API keys, each of another account; the emulator prints its own. */
  readonly tokens?: ReadonlyArray<string>
  /** The first request. */
  readonly path?: string
  readonly env?: Readonly<Record<string, string>>
}

export class Process {
  readonly url: string
  readonly pid: number
  readonly tokens: ReadonlyArray<string>
  /** From the spawn to the first response, in milliseconds. */
  readonly startMillis: number
  private readonly child: ChildProcess

  private constructor(child: ChildProcess, url: string, tokens: ReadonlyArray<string>, startMillis: number) {
    this.child = child
    this.pid = child.pid!
    this.url = url
    this.tokens = tokens
    this.startMillis = startMillis
  }

  /** Ready means: the first GET was answered with 200. */
  static async start(system: System, database: string, options: StartOptions = {}): Promise<Process> {
    if (!existsSync("/proc/self/stat")) throw new Error("The benchmark reads CPU and memory from /proc: Linux only.")
    const began = performance.now()
    const { args, command, env } = system.start(database)
    const child = spawn(command, args, {
      // A start script finds this Node.
      env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env["PATH"]}`, ...env, ...options.env },
      stdio: ["ignore", "pipe", "pipe"]
    })
    running.add(child)
    child.once("exit", () => running.delete(child))
    let log = ""
    child.stderr.on("data", (chunk) => log = `${log}${String(chunk)}`.slice(-LOG_CHARACTERS))
    const [line] = await Promise.race([
      once(createInterface({ input: child.stdout }), "line") as Promise<[string]>,
      once(child, "exit").then(([code]) => Promise.reject(new Error(`${system.name} ended at start (${code}): ${log}`)))
    ])
    child.stdout.resume()
    const ready = JSON.parse(line) as Ready
    const tokens = system.tokens ?? options.tokens ?? [ready.api_key ?? ""]
    const { path = "/instances/1" } = options
    const answer = await fetch(`${ready.url}${path}`, { headers: { authorization: `Bearer ${tokens[0]}` } })
    if (answer.status !== 200) throw new Error(`${system.name}: GET ${path} answered ${answer.status}`)
    return new Process(child, ready.url, tokens, performance.now() - began)
  }

  rss(): number {
    return megabytes(this.pid)
  }

  /** Sends one request; returns status and body. */
  async ask(method: string, path: string, body?: string, headers: Record<string, string> = {}) {
    const base = path.startsWith("/_emulator") ? this.url.replace("/api/v1", "") : this.url
    const response = await fetch(`${base}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.tokens[0]}`, "content-type": "application/json", ...headers },
      ...body !== undefined && { body }
    })
    return { status: response.status, body: await response.json() as unknown }
  }

  /** True when the worker has nothing to do, by the service's own metrics. */
  async hasNoOpenTask(): Promise<boolean> {
    const page = await (await fetch(this.url.replace("/api/v1", "/metrics"))).text()
    return !/^vps_tasks_open\{.*\} [1-9]/m.test(page)
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal)
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null) return
    const gone = once(this.child, "exit")
    this.child.kill("SIGTERM")
    await gone
  }
}

/** Milliseconds between two polls of a condition. */
const POLL_MILLIS = 20
/** Longest wait, in milliseconds: all deployments of a round take seconds, so that by then one has failed. */
const WAIT_MILLIS = 300_000

/** Waits for a condition that other processes bring about, such as that all that was bought is deployed. */
export const waitFor = async (condition: () => Promise<boolean>): Promise<void> => {
  const end = performance.now() + WAIT_MILLIS
  while (!await condition()) {
    if (performance.now() > end) {
      throw new Error(`Still waiting after ${WAIT_MILLIS / 1_000} s: a task of the service does not end. Read its log.`)
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MILLIS))
  }
}

export type Task = Omit<Job, "urls" | "tokens"> & {
  /** Also counts the CPU and the time until this holds: for creates with an active worker. */
  readonly until?: () => Promise<boolean>
}

/** Sends the load to replicas of one service, and measures both. */
export const measure = async (
  replicas: ReadonlyArray<Process>,
  { until, ...job }: Task,
  tokens = replicas[0]!.tokens
): Promise<Measured> => {
  const used = () => replicas.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0)
  const before = used()
  const urls = replicas.map(({ url }) => url)
  const { stdout } = await promisify(execFile)(process.execPath, [LOAD, JSON.stringify({ ...job, urls, tokens })])
    .catch(({ stderr }: { stderr: string }) => Promise.reject(new Error(`The load ended: ${stderr}`)))
  const load = JSON.parse(stdout) as Load
  const answered = performance.now()
  if (until !== undefined) await waitFor(until)
  const seconds = load.requests / load.perSecond + (performance.now() - answered) / 1000
  return {
    ...load,
    perSecond: load.requests / seconds,
    cpu: (used() - before) / load.requests * 1e6,
    rss: Math.max(...replicas.map((replica) => replica.rss()))
  }
}
