/** The processes that the quickstart starts. All of them end with it, even after an interruption. */
import { type ChildProcess, spawn } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { createInterface } from "node:readline"
import { printIndented, QuickstartError } from "./Output.ts"

export interface Command {
  readonly file: string
  readonly args: ReadonlyArray<string>
  readonly cwd: string
  readonly env: Record<string, string | undefined>
}

/** The environment without the user's own stacks, keys, and settings, which the quickstart must not use or change. */
export const cleanEnvironment = (): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(PULUMI|VPS)_/.test(name)))

/** Milliseconds between SIGTERM and SIGKILL. */
const GRACE_MILLIS = 5_000

const running = new Set<ChildProcess>()

const start = ({ args, cwd, env, file }: Command): ChildProcess => {
  // In its own process group, so that Ctrl-C only reaches this runner, which then stops everything in order.
  const child = spawn(file, args, { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] })
  running.add(child)
  child.once("close", () => running.delete(child))
  return child
}

const exited = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve, reject) => {
    child.once("error", reject)
    child.once("close", (code) => resolve(code))
  })

/** Runs a program, prints its output line by line, and returns its standard output. */
export const run = async (command: Command, { quiet = false } = {}): Promise<string> => {
  const child = start(command)
  const [output, lines]: [Array<string>, Array<string>] = [[], []]
  for (const stream of [child.stdout!, child.stderr!]) {
    createInterface({ input: stream }).on("line", (line) => {
      lines.push(line)
      if (stream === child.stdout) output.push(line)
      if (!quiet) printIndented(line)
    })
  }
  const code = await exited(child)
  if (code === 0) return output.join("\n")
  if (quiet) printIndented(lines.join("\n"))
  throw new QuickstartError(`${command.file} ${command.args.join(" ")} failed with exit code ${code}.`)
}

/** Starts a server and returns its first line of output. */
export const serve = async (command: Command): Promise<string> => {
  const child = start(command)
  const errors: Array<string> = []
  createInterface({ input: child.stderr! }).on("line", (line) => errors.push(line))
  for await (const line of createInterface({ input: child.stdout! })) {
    child.stdout!.resume()
    return line
  }
  throw new QuickstartError(`${command.args.join(" ")} exited before it was ready: ${errors.join("\n")}`)
}

/** All descendants of a process: Pulumi starts its plugins in their own process groups. */
const descendants = (pid: number): Array<number> => {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" ").filter((text) => text !== "").map(Number)
    ).flatMap((child) => [child, ...descendants(child)])
  } catch { // The process has exited, or the system does not have /proc: only the group can be stopped.
    return []
  }
}

const sendSignal = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal)
  } catch { // The process has exited.
  }
}

const stop = async (child: ChildProcess): Promise<void> => {
  const pid = child.pid
  if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const tree = descendants(pid)
  const gone = exited(child)
  sendSignal(pid, "SIGTERM")
  const timer = setTimeout(() => {
    for (const one of [-pid, pid, ...tree]) sendSignal(one, "SIGKILL")
  }, GRACE_MILLIS)
  await gone
  clearTimeout(timer)
  for (const one of tree) sendSignal(one, "SIGKILL")
}

/** Stops all running processes, the newest first. */
export const stopAll = async (): Promise<void> => {
  for (const child of [...running].toReversed()) await stop(child)
}
