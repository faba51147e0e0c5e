/** Node and V8 options that must be set before the service is loaded. */
import { enableCompileCache } from "node:module"
import { homedir } from "node:os"
import { join } from "node:path"
import { setFlagsFromString } from "node:v8"

/**
 * Size of V8's young generation, in megabytes. By default it grows with the computer's memory, to 64 here, which
 * doubles the memory of the process. Measured under load: 8 costs no measurable time, and 4 makes creates 5 % slower.
 */
const SEMI_SPACE = "--max-semi-space-size"
export const SEMI_SPACE_FLAG = `${SEMI_SPACE}=8`

/**
 * glibc gives each thread a heap of its own and retains freed memory in it: V8's threads hold about 9 MB that way. A
 * single heap costs no measurable time. An existing value of the variable takes precedence.
 */
export const ONE_HEAP = { MALLOC_ARENA_MAX: "1" }

/**
 * Both are read once, when a process starts, so the process replaces itself under the same id. The Debian package and
 * the images start Node.js with both. The command of the npm package cannot: `env` takes no flags on every system.
 */
const restart = (): void => {
  const isSized = process.execArgv.some((flag) => flag.startsWith(SEMI_SPACE))
  if (isSized && process.env["MALLOC_ARENA_MAX"] !== undefined) return
  // A channel to a parent, as under `node --watch`, would not survive. Windows does not support it.
  if (process.channel !== undefined || process.execve === undefined) return
  const flags = isSized ? process.execArgv : [SEMI_SPACE_FLAG, ...process.execArgv]
  const args = [process.execPath, ...flags, ...process.argv.slice(1)]
  process.execve(process.execPath, args, { ...ONE_HEAP, ...process.env })
}

/**
 * Caches compiled code between starts, if the folder is writable, which saves about 30 ms and 7 MB each. The cache is
 * in the user's home and not in a shared folder, because its content is executed.
 */
const cacheCompiledCode = (): void => void enableCompileCache(join(homedir(), ".cache", "pulumi-vps"))

/** ms; the service has started by then. */
const START_MILLIS = 1_000

/**
 * V8 has two optimizing compilers. The fast one (Maglev) holds about 18 MB for its graphs; without it the first
 * thousands of requests cost up to a tenth more, and later ones the same. The other optimizes a function after 3,000
 * calls by default; after 400, a create takes about a fifth less CPU in the first thousands.
 */
const COMPILERS = "--no-maglev --invocation-count-for-turbofan=400"

/** These flags are set after the start, because V8 ignores Node's precompiled code (20 ms) when its flags differ. */
const chooseCompilers = (): void => {
  setTimeout(() => setFlagsFromString(COMPILERS), START_MILLIS).unref()
}

/** Must be called before the program is loaded. */
export const tuneProcess = (): void => {
  restart()
  cacheCompiledCode()
  chooseCompilers()
}
