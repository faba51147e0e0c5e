/** What Node has to be told before the service is loaded. */
import { enableCompileCache } from "node:module"
import { homedir } from "node:os"
import { join } from "node:path"
import { setFlagsFromString } from "node:v8"

/**
 * Room for young objects, in megabytes. By default V8 lets it grow with the machine's memory, to 64 here, which is
 * twice that of a process. Measured under load: 8 costs no time that can be told from noise, and 4 costs creates 5 %.
 */
const SEMI_SPACE = "--max-semi-space-size"
const SEMI_SPACE_MEGABYTES = 8

/**
 * glibc gives each thread a heap of its own and keeps in it what was freed: V8's threads hold some 9 MB that way. One
 * heap for all costs no time that can be told from noise. Whoever sets the variable knows better.
 */
const ONE_HEAP = { MALLOC_ARENA_MAX: "1" }

/** Both are read once, when a process starts: so this one becomes a new one of the same id. */
const startAnew = (): void => {
  const isSized = process.execArgv.some((flag) => flag.startsWith(SEMI_SPACE))
  // A channel to a parent, as under `node --watch`, would not survive. Windows cannot do it: there it is as it is.
  if (isSized || process.channel !== undefined || process.execve === undefined) return
  const flags = [`${SEMI_SPACE}=${SEMI_SPACE_MEGABYTES}`, ...process.execArgv]
  const args = [process.execPath, ...flags, ...process.argv.slice(1)]
  process.execve(process.execPath, args, { ...ONE_HEAP, ...process.env })
}

/**
 * Compiled code is kept between starts, which saves some 30 ms and 7 MB each; where that cannot be written, it is not
 * kept. Below the user's home and not in a shared folder: who can write there decides what we run.
 */
const keepCompiled = (): void => void enableCompileCache(join(homedir(), ".cache", "pulumi-vps"))

/** ms; by then it has started. */
const STARTED = 1_000

/**
 * V8 has two compilers that optimise. The quick one holds some 18 MB for its graphs; without it the first thousands of
 * requests cost up to a tenth more, and those after them nothing. Only after the start: with other flags than at its
 * own, V8 no longer takes what Node brings along compiled (20 ms).
 */
const compileThoroughly = (): void => {
  setTimeout(() => setFlagsFromString("--no-maglev"), STARTED).unref()
}

/** To be called first; when it returns, the program can be loaded. */
export const tuneProcess = (): void => {
  startAnew()
  keepCompiled()
  compileThoroughly()
}
