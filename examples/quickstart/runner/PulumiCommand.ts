/**
 * Finds the `pulumi` command: on PATH, in the download folder of the npm package `pulumi`, or by running that package,
 * which downloads it.
 *
 * The package is not a dependency: its command would hide the real one in all npm scripts.
 */
import { spawnSync } from "node:child_process"
import { accessSync, constants } from "node:fs"
import { homedir } from "node:os"
import { delimiter, join } from "node:path"
import { run } from "./Processes.ts"
import { print } from "./Output.ts"

/** The version to download. */
const VERSION = "3.265.0"

/** Milliseconds to wait for the first response of a server. */
const CONNECT_MILLIS = 10_000

const DOWNLOADS = "https://get.pulumi.com"

/** The folder of the command, or the reason why it is not available. */
export type Found = { readonly folder: string; readonly version: string } | { readonly reason: string }

const versionIn = (folder: string): string | undefined => {
  const file = join(folder, "pulumi")
  try {
    accessSync(file, constants.X_OK)
  } catch { // The file does not exist.
    return undefined
  }
  const env = { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" }
  const { status, stdout } = spawnSync(file, ["version"], { encoding: "utf8", timeout: CONNECT_MILLIS, env })
  return status === 0 ? stdout.trim() : undefined
}

const onPath = (path: string): Array<string> =>
  // npm puts its own folders first. A `pulumi` there is the downloader.
  path.split(delimiter).filter((folder) => folder !== "" && !folder.includes("node_modules"))

const reachable = async (): Promise<boolean> => {
  try {
    await fetch(DOWNLOADS, { method: "HEAD", signal: AbortSignal.timeout(CONNECT_MILLIS) })
    return true
  } catch { // DNS, network, or timeout
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

/** Finds or downloads the command. `cwd` must not be the folder of a package. */
export const findPulumi = async (cwd: string): Promise<Found> => {
  const home = process.env["PULUMI_HOME"] ?? join(homedir(), ".pulumi")
  const downloadFolder = join(home, "versions", VERSION, "bin")
  for (const folder of [...onPath(process.env["PATH"] ?? ""), join(home, "bin"), downloadFolder]) {
    const version = versionIn(folder)
    if (version !== undefined) return { folder, version }
  }
  if (process.env["npm_config_offline"] === "true") {
    return { reason: "not installed, and npm is offline" }
  }
  if (!(await reachable())) return { reason: `not installed, and ${DOWNLOADS} is unreachable` }
  print(`The pulumi command is not installed. Downloading v${VERSION} (several hundred MB) to ${downloadFolder} once.`)
  try {
    await download(cwd)
  } catch { // The output of npm was printed.
    return { reason: "not installed, and the download failed" }
  }
  const version = versionIn(downloadFolder)
  return version === undefined ? { reason: "the downloaded command does not run" } : { folder: downloadFolder, version }
}
