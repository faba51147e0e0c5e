/** Processes that run users' programs, warm between runs: loading Pulumi's SDK is most of a program's time. */
import { type ChildProcess, spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import type { RunOutcome, RunRequest } from "./programHost.ts"

const HOST = fileURLToPath(new URL("programHost.ts", import.meta.url))

export interface Program {
  /** Did it run to its end without an error? False also when it was ended. */
  readonly done: Promise<boolean>
  readonly kill: () => void
  /**
   * For one whose engine does nothing any more: it waits for ever. Its process serves the next program, because
   * loading Pulumi's SDK again takes longer than a whole run. `close` ends the engine's server when all is over:
   * earlier the SDK would notice, and end the connection of the program that runs then.
   */
  readonly abandon: (close: () => void) => void
}

export class Programs {
  readonly #idle: Array<ChildProcess> = []
  readonly #all = new Set<ChildProcess>()
  readonly #closes: Array<() => void> = []

  /** `say` receives each line that the program prints. */
  run(order: RunRequest, say: (line: string) => void): Program {
    const child = this.#idle.pop() ?? this.#spawn(order.environment)
    const lines = [child.stdout!, child.stderr!].map((input) => createInterface({ input }).on("line", say))
    let running = true
    const done = new Promise<boolean>((resolve) => {
      const ended = (well: boolean): void => {
        running = false
        child.off("exit", gone)
        child.off("message", told)
        for (const line of lines) line.close()
        resolve(well)
      }
      const gone = (): void => ended(false)
      const told = ({ reusable, well }: RunOutcome): void => {
        // The resources of a failed program are not cleaned up.
        if (reusable) this.#idle.push(child)
        else child.kill("SIGKILL")
        ended(well)
      }
      child.once("exit", gone)
      child.once("message", told)
      child.send(order)
    })
    // A process that has run its program to the end is not this run's any more.
    const kill = (): void => void (running && child.kill("SIGKILL"))
    const abandon = (close: () => void): void => {
      if (!running) return close()
      this.#closes.push(close)
      child.send("abandon")
    }
    return { done, kill, abandon }
  }

  #spawn(environment: Record<string, string>): ChildProcess {
    const child = spawn(process.execPath, [HOST], { env: environment, stdio: ["ignore", "pipe", "pipe", "ipc"] })
    this.#all.add(child)
    child.once("exit", () => this.#all.delete(child))
    return child
  }

  /** Ends those that are still there. */
  close(): void {
    for (const child of this.#all) child.kill("SIGKILL")
    for (const close of this.#closes) close()
  }
}
