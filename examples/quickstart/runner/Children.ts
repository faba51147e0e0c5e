/** The programs that the quickstart starts. None of them outlives it, however it ends. */
import { type ChildProcess, spawn } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { createInterface } from "node:readline"
import { quote, Sorry } from "./Show.ts"

export interface Command {
  readonly file: string
  readonly args: ReadonlyArray<string>
  readonly cwd: string
  readonly env: Record<string, string | undefined>
}

/** The environment without the user's own stacks, keys and settings: the quickstart neither uses nor changes them. */
export const cleanEnvironment = (): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(PULUMI|VPS)_/.test(name)))

/** How long a program may take to end after it was asked to, in milliseconds; then it is killed. */
const GRACE_MILLIS = 5_000

const running = new Set<ChildProcess>()

const start = ({ args, cwd, env, file }: Command): ChildProcess => {
  // A process group of its own: Ctrl-C reaches this runner only, which then ends everything in order.
  const child = spawn(file, args, { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] })
  running.add(child)
  child.once("close", () => running.delete(child))
  return child
}

const ended = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve, reject) => {
    child.once("error", reject)
    child.once("close", (code) => resolve(code))
  })

/** Runs a program to its end and shows what it prints, line by line. Answers the text. */
export const run = async (command: Command, { quiet = false } = {}): Promise<string> => {
  const child = start(command)
  const lines: Array<string> = []
  for (const stream of [child.stdout!, child.stderr!]) {
    createInterface({ input: stream }).on("line", (line) => {
      lines.push(line)
      if (!quiet) quote(line)
    })
  }
  const code = await ended(child)
  if (code === 0) return lines.join("\n")
  if (quiet) quote(lines.join("\n"))
  throw new Sorry(`${command.file} ${command.args.join(" ")} failed (exit status ${code}).`)
}

/** Starts a server and answers its first line of output. */
export const serve = async (command: Command): Promise<string> => {
  const child = start(command)
  const errors: Array<string> = []
  createInterface({ input: child.stderr! }).on("line", (line) => errors.push(line))
  for await (const line of createInterface({ input: child.stdout! })) {
    child.stdout!.resume()
    return line
  }
  throw new Sorry(`${command.args.join(" ")} ended before it was ready: ${errors.join("\n")}`)
}

/** The children of a process, their children, and so on: Pulumi starts its helpers in groups of their own. */
const descendants = (pid: number): Array<number> => {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" ").filter((text) => text !== "").map(Number)
    ).flatMap((child) => [child, ...descendants(child)])
  } catch { // it ended meanwhile, or this system has no /proc: then the group is all that is known
    return []
  }
}

const kill = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal)
  } catch { // it ended meanwhile
  }
}

const stop = async (child: ChildProcess): Promise<void> => {
  const pid = child.pid
  if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const family = descendants(pid)
  const gone = ended(child)
  kill(pid, "SIGTERM")
  const late = setTimeout(() => {
    for (const one of [-pid, pid, ...family]) kill(one, "SIGKILL")
  }, GRACE_MILLIS)
  await gone
  clearTimeout(late)
  for (const one of family) kill(one, "SIGKILL")
}

/** Ends whatever is still running, the youngest first. */
export const stopAll = async (): Promise<void> => {
  for (const child of [...running].toReversed()) await stop(child)
}
