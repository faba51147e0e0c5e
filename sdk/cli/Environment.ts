/** The environment variables that the command reads. */
import { homedir } from "node:os"
import { isAbsolute, join } from "node:path"

export interface Environment {
  /** `VPS_API_KEY`: overrides every saved context. */
  readonly apiKey: string | undefined
  /** `VPS_BASE_URL`: overrides every saved context. */
  readonly baseUrl: string | undefined
  /** The file of saved contexts: `VPS_CONFIG`, or `vps/config.json` in the user's configuration folder. */
  readonly contextFile: string
  /** False when the user disabled colors. */
  readonly allowsColor: boolean
  /** True for a terminal that cannot move its cursor. */
  readonly isDumbTerminal: boolean
}

/** An empty variable counts as absent, as shells cannot always unset one. */
const nonEmpty = (value: string | undefined): string | undefined =>
  value === undefined || value.trim() === "" ? undefined : value

/** The folder of compiled code. The specification of `XDG_CACHE_HOME` says to ignore a relative path. */
export const readCacheFolder = (env: NodeJS.ProcessEnv = process.env): string => {
  const caches = env["XDG_CACHE_HOME"] ?? ""
  return join(isAbsolute(caches) ? caches : join(homedir(), ".cache"), "pulumi-vps")
}

/** Reads the environment variables. */
export const readEnvironment = (env: NodeJS.ProcessEnv = process.env): Environment => {
  const home = nonEmpty(env["XDG_CONFIG_HOME"]) ?? join(homedir(), ".config")
  const isDumbTerminal = env["TERM"] === "dumb"
  return {
    apiKey: nonEmpty(env["VPS_API_KEY"]),
    baseUrl: nonEmpty(env["VPS_BASE_URL"]),
    contextFile: nonEmpty(env["VPS_CONFIG"]) ?? join(home, "vps", "config.json"),
    allowsColor: nonEmpty(env["NO_COLOR"]) === undefined && !isDumbTerminal,
    isDumbTerminal
  }
}
