/** A person who reads a page and types what it says, word for word, in a folder of a computer of their own. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Writable } from "node:stream"
import { personAt } from "./guide.ts"

/**
 * The loop of a shell that takes blocks of commands, each with its own standard input, until one of them fails. The end
 * of a block is a NUL in both outputs.
 */
const LOOP = `while IFS= read -r -d "" input <&3 && IFS= read -r -d "" block <&3; do
  eval "$block" < "$input"
  printf "\\0"
  printf "\\0" >&2
done`

/** Milliseconds after which a shell is ended whose command waits for something that never comes. */
const LIFETIME_MILLIS = 240_000

export class Reader {
  readonly home: string
  /** All that the shell has printed, to both outputs. */
  printed = ""
  /** The folder of new files, and of the shell at first. */
  folder: string
  readonly #env: Record<string, string>
  readonly #background: Array<ChildProcess> = []
  #shell: ChildProcess | undefined
  #folders = 0
  #hear: (chunk: Buffer) => void = () => {}
  #end: (code: number | null) => void = () => {}

  /** @param env settings of the computer, by its home */
  constructor(parent: string, env: (home: string) => Readonly<Record<string, string>>) {
    this.home = mkdtempSync(join(parent, "reader-"))
    this.#env = personAt(this.home, env(this.home))
    this.#env["PATH"] = `${join(this.home, "bin")}:${this.#env["PATH"]}`
    this.folder = this.home
  }

  /** Goes to an empty folder. */
  async enterEmptyFolder(): Promise<void> {
    this.#folders += 1
    this.folder = join(this.home, `folder-${this.#folders}`)
    mkdirSync(this.folder)
    await this.type(`cd ${this.folder}`)
  }

  write(file: string, code: string): void {
    writeFileSync(join(this.folder, file), code)
  }

  /**
   * Types commands into the shell, which keeps its variables, and returns what they print to both outputs.
   * @param input what the person types when a command reads
   * @throws Error with all that was printed, once a command fails; the next commands get a new shell
   */
  async type(commands: string, input = ""): Promise<string> {
    const typed = join(this.home, ".typed")
    writeFileSync(typed, input)
    const shell = this.#shell ??= this.#startShell()
    const timer = setTimeout(() => process.kill(-shell.pid!), LIFETIME_MILLIS)
    let printed = ""
    let open = 2
    try {
      await new Promise<void>((resolve, reject) => {
        this.#hear = (chunk) => {
          printed += String(chunk).replaceAll("\0", "")
          if (chunk.includes(0)) open -= 1
          if (open === 0) resolve()
        }
        this.#end = (code) => reject(new Error(`${commands}\nended with ${code}:\n${printed}`))
        ;(shell.stdio[3] as Writable).write(`${typed}\0${commands}\0`)
      })
    } finally {
      clearTimeout(timer)
      this.printed += printed
    }
    return printed
  }

  #startShell(): ChildProcess {
    const shell = spawn("bash", ["-euo", "pipefail", "-c", LOOP], {
      cwd: this.folder,
      env: this.#env,
      // A group of its own, so that its end is that of its commands, too.
      detached: true,
      stdio: ["ignore", "pipe", "pipe", "pipe"]
    })
    for (const output of [shell.stdout!, shell.stderr!]) output.on("data", (chunk: Buffer) => this.#hear(chunk))
    shell.once("close", (code) => {
      this.#shell = undefined
      this.#end(code)
    })
    return shell
  }

  /** Runs a command in a second terminal, where it stays, and returns what it prints until this matches. */
  async leaveRunning(command: string, ready: RegExp): Promise<string> {
    // A group of its own: npx does not pass every signal on.
    const child = spawn("bash", ["-c", command], {
      cwd: this.folder,
      env: this.#env,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"]
    })
    this.#background.push(child)
    const timer = setTimeout(() => process.kill(-child.pid!), LIFETIME_MILLIS)
    return new Promise<string>((resolve, reject) => {
      let printed = ""
      for (const output of [child.stdout, child.stderr]) {
        output.on("data", (chunk) => {
          printed += String(chunk)
          if (ready.test(printed)) resolve(printed)
        })
      }
      child.once(
        "close",
        (code) => reject(new Error(`${command}\nended with ${code} before it was ready:\n${printed}`))
      )
    }).finally(() => clearTimeout(timer))
  }

  async close(): Promise<void> {
    this.#shell?.kill()
    for (const child of this.#background) {
      if (child.exitCode !== null) continue
      const ended = once(child, "exit")
      process.kill(-child.pid!)
      await ended
    }
  }
}
