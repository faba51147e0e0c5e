/**
 * Finds the `pulumi` command: on PATH, else where the npm package `pulumi` puts it, else through that package, which
 * downloads it there on first use.
 *
 * The package is no dependency of ours: its command would stand in the way of the real one wherever npm runs a script.
 */
import { spawnSync } from "node:child_process"
import { accessSync, constants } from "node:fs"
import { homedir } from "node:os"
import { delimiter, join } from "node:path"
import { run } from "./Children.ts"
import { tell } from "./Show.ts"

/** The version that is downloaded when there is none: the newest that the package had when this was written. */
const VERSION = "3.265.0"

/** How long to wait for a first answer from a server, in milliseconds, before the newcomer is told that it is away. */
const CONNECT_MILLIS = 10_000

const DOWNLOADS = "https://get.pulumi.com"

/** A folder with the command in it, or why there is none. */
export type Found = { readonly folder: string; readonly version: string } | { readonly reason: string }

const versionIn = (folder: string): string | undefined => {
  const file = join(folder, "pulumi")
  try {
    accessSync(file, constants.X_OK)
  } catch { // not there
    return undefined
  }
  const env = { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" }
  const { status, stdout } = spawnSync(file, ["version"], { encoding: "utf8", timeout: CONNECT_MILLIS, env })
  return status === 0 ? stdout.trim() : undefined
}

const onPath = (path: string): Array<string> =>
  // npm puts its own folders first; a `pulumi` there is the package's downloader.
  path.split(delimiter).filter((folder) => folder !== "" && !folder.includes("node_modules"))

const reachable = async (): Promise<boolean> => {
  try {
    await fetch(DOWNLOADS, { method: "HEAD", signal: AbortSignal.timeout(CONNECT_MILLIS) })
    return true
  } catch { // no name, no route, no answer in time: all the same to us
    return false
  }
}

const download = async (cwd: string): Promise<void> => {
  const npm = {
    npm_config_fetch_timeout: String(CONNECT_MILLIS),
    npm_config_fetch_retries: "0",
    npm_config_update_notifier: "false"
  }
  const args = ["exec", "--yes", `--package=pulumi@${VERSION}`, "--", "pulumi", "version"]
  await run({ file: "npm", args, cwd, env: { ...process.env, ...npm } }, { quiet: true })
}

/** `cwd`: any folder that is not a package's. */
export const findCli = async (cwd: string): Promise<Found> => {
  const home = process.env["PULUMI_HOME"] ?? join(homedir(), ".pulumi")
  const usual = join(home, "versions", VERSION, "bin")
  for (const folder of [...onPath(process.env["PATH"] ?? ""), join(home, "bin"), usual]) {
    const version = versionIn(folder)
    if (version !== undefined) return { folder, version }
  }
  if (process.env["npm_config_offline"] === "true") {
    return { reason: "it is not installed, and npm was told to stay offline" }
  }
  if (!(await reachable())) return { reason: `it is not installed, and ${DOWNLOADS} can't be reached` }
  tell(`No pulumi command here: downloading v${VERSION} (some hundred megabytes) to ${usual}, once.`)
  try {
    await download(cwd)
  } catch { // what npm and the installer said was shown
    return { reason: "it is not installed, and downloading it failed" }
  }
  const version = versionIn(usual)
  return version === undefined ? { reason: "what was downloaded does not run" } : { folder: usual, version }
}
