/** Starting an engine, and ending it the hard way. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { setTimeout as sleep } from "node:timers/promises"
import type { Orphans, Result, Running } from "./Stack.ts"

interface Process {
  readonly pid: number
  readonly parent: number
  readonly command: string
}

/** All processes below this one, found by parent, youngest generation last. */
const descendants = (pid: number): ReadonlyArray<Process> => {
  const table = execFileSync("ps", ["-A", "-o", "pid=,ppid=,args="], { encoding: "utf8" })
  const rows = table.trim().split("\n").map((line): Process => {
    const [, id, parent, command = ""] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []
    return { pid: Number(id), parent: Number(parent), command }
  })
  const below = (parent: number): Array<Process> =>
    rows.flatMap((one) => one.parent === parent ? [one, ...below(one.pid)] : [])
  return below(pid)
}

const kill = (pid: number): void => {
  try {
    process.kill(pid, "SIGKILL")
  } catch (error) {
    // It ended by itself meanwhile.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error
  }
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** ms between polls: the system does not report the end of another process's child. */
const LOOK_EVERY = 20
/** A minute: an orphan that lives longer is not about to end. */
const MAX_LOOKS = 3_000

const isProvider = ({ command }: Process): boolean =>
  /dynamic-provider|pulumi-resource-vps|terraform\/main\.cjs/.test(command)

/** A program that is served inline starts the engine. */
const isEngine = ({ command }: Process): boolean => /^pulumi\s/.test(command)

const orphans = (processes: ReadonlyArray<Process>): Orphans => ({
  providersGone: async () => {
    const providers = processes.filter(isProvider)
    if (providers.length === 0) throw new Error("no provider was running")
    for (let looks = 0; providers.some(({ pid }) => isAlive(pid)); looks++) {
      if (looks > MAX_LOOKS) throw new Error("a provider goes on living without its engine")
      await sleep(LOOK_EVERY)
    }
  },
  kill: () => {
    for (const { pid } of processes) kill(pid)
  }
})

/** The same for a provider that the test engine has started. */
export const providerOrphan = (child: ChildProcess | undefined): Orphans => {
  if (child?.pid === undefined) throw new Error("no provider was running")
  const gone = new Promise<void>((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve()
    else child.once("exit", () => resolve())
  })
  return { providersGone: () => gone, kill: () => void child.kill("SIGKILL") }
}

export interface Command {
  readonly file: string
  readonly args: ReadonlyArray<string>
  readonly cwd: string
  readonly env: Record<string, string>
}

/** A command that can be interrupted, as by Ctrl-C. */
export interface Launched extends Running {
  readonly interrupt: () => void
}

export const launch = ({ args, cwd, env, file }: Command): Launched => {
  const child = spawn(file, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] })
  const text: Array<string> = []
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => text.push(chunk.toString()))
  // Not "close": an orphan keeps the pipes open after its engine was killed.
  const done = new Promise<Result>((resolve, reject) => {
    child.once("error", reject)
    child.once("exit", (code) => setImmediate(() => resolve({ code: code ?? -1, output: text.join("") })))
  })
  const end = (pids: () => ReadonlyArray<number>) => (): Promise<Result> => {
    const all = pids()
    for (const pid of all) kill(pid)
    return done
  }
  const pid = child.pid ?? -1
  return {
    done,
    kill: end(() => [pid, ...descendants(pid).map((one) => one.pid)]),
    killEngine: end(() => [descendants(pid).find(isEngine)?.pid ?? pid]),
    killProvider: end(() => descendants(pid).filter(isProvider).map((one) => one.pid)),
    interrupt: () => void child.kill("SIGINT"),
    descendants: () => orphans(descendants(pid))
  }
}
