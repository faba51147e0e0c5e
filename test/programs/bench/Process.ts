/** A system under measurement: a process that is started, called, measured from outside, and always stopped. */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import type { Job, Load } from "./load.ts"
import type { Ready, System } from "./systems.ts"

/** Linux counts CPU time in ticks of 10 ms. */
const TICK_SECONDS = 0.01
const LOAD = fileURLToPath(new URL("./load.ts", import.meta.url))
const running = new Set<ChildProcess>()

/** Nothing may outlive the benchmark. */
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL")
})
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130))

/** A process and all below it. */
const family = (pid: number): Array<number> => {
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
  /** Microseconds of the server's CPU time per request. */
  readonly cpu: number
  /** Megabytes of resident memory afterwards. */
  readonly rss: number
}

/** Starts a program that prints a line of JSON when it is ready. */
const launch = async <Line>(
  name: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {}
): Promise<{ readonly child: ChildProcess; readonly ready: Line }> => {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"]
  })
  running.add(child)
  child.once("exit", () => running.delete(child))
  const [line] = await Promise.race([
    once(createInterface({ input: child.stdout }), "line") as Promise<[string]>,
    once(child, "exit").then(([code]) => Promise.reject(new Error(`${name} ended at start (${code})`)))
  ])
  child.stdout.resume()
  return { child, ready: JSON.parse(line) as Line }
}

export class Process {
  readonly url: string
  readonly token: string
  /** From the spawn to the first response, in milliseconds. */
  readonly startMillis: number
  private readonly child: ChildProcess

  private constructor(child: ChildProcess, ready: Ready, token: string, startMillis: number) {
    this.child = child
    this.url = ready.url
    this.token = token
    this.startMillis = startMillis
  }

  /** Ready means: the first GET by id was answered with 200. */
  static async start(system: System, database: string, firstPath: string): Promise<Process> {
    if (!existsSync("/proc/self/stat")) throw new Error("The benchmark reads CPU and memory from /proc: Linux only.")
    const { args, env } = system.start(database)
    const began = performance.now()
    const { child, ready } = await launch<Ready>(system.name, args, env)
    const token = system.token(ready)
    const answer = await fetch(`${ready.url}${firstPath}`, { headers: { authorization: `Bearer ${token}` } })
    if (answer.status !== 200) throw new Error(`${system.name}: GET ${firstPath} answered ${answer.status}`)
    return new Process(child, ready, token, performance.now() - began)
  }

  rss(): number {
    return megabytes(this.child.pid!)
  }

  /** Sends one request; returns status and body. */
  async ask(method: string, path: string, body?: string, headers: Record<string, string> = {}) {
    const base = path.startsWith("/_emulator") ? this.url.replace("/api/v1", "") : this.url
    const response = await fetch(`${base}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.token}`, "content-type": "application/json", ...headers },
      ...body !== undefined && { body }
    })
    return { status: response.status, body: await response.json() as unknown }
  }

  async measure(job: Omit<Job, "url" | "token">): Promise<Measured> {
    const before = cpuSeconds(this.child.pid!)
    const { stdout } = await promisify(execFile)(process.execPath, [
      LOAD,
      JSON.stringify({ ...job, url: this.url, token: this.token })
    ])
    const load = JSON.parse(stdout) as Load
    const cpu = (cpuSeconds(this.child.pid!) - before) / load.requests * 1e6
    return { ...load, cpu, rss: this.rss() }
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null) return
    const gone = once(this.child, "exit")
    this.child.kill("SIGTERM")
    await gone
  }
}
