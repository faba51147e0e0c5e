/** What Node has to be told before the service is loaded. */
import { enableCompileCache } from "node:module"
import { homedir } from "node:os"
import { join } from "node:path"

/**
 * Room for young objects, in megabytes. By default V8 lets it grow with the machine's memory, to 64 here, which is
 * twice that of a process. Measured under load: 16 costs no time and 65 MB less; 4 costs creates 5 % and saves no more.
 */
const SEMI_SPACE = "--max-semi-space-size"
const SEMI_SPACE_MEGABYTES = 16

/** V8 sizes its spaces once, when the process starts: so the process becomes a new one of the same id. */
const startAnew = (): void => {
  const isSized = process.execArgv.some((flag) => flag.startsWith(SEMI_SPACE))
  // A channel to a parent, as under `node --watch`, would not survive. Windows cannot do it: there it is as it is.
  if (isSized || process.channel !== undefined || process.execve === undefined) return
  const flags = [`${SEMI_SPACE}=${SEMI_SPACE_MEGABYTES}`, ...process.execArgv]
  process.execve(process.execPath, [process.execPath, ...flags, ...process.argv.slice(1)])
}

/**
 * Compiled code is kept between starts, which saves some 30 ms and 7 MB each; where that cannot be written, it is not
 * kept. Below the user's home and not in a shared folder: who can write there decides what we run.
 */
const keepCompiled = (): void => void enableCompileCache(join(homedir(), ".cache", "pulumi-vps"))

/** To be called first; when it returns, the program can be loaded. */
export const prepare = (): void => {
  startAnew()
  keepCompiled()
}
