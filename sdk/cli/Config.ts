/** What the command reads from its environment. */
import { homedir } from "node:os"
import { join } from "node:path"

export interface Environment {
  /** `VPS_API_KEY`: wins over every saved context. */
  readonly apiKey: string | undefined
  /** `VPS_BASE_URL`: wins over every saved context. */
  readonly baseUrl: string | undefined
  /** The file of the contexts: `VPS_CONFIG`, or `vps/config.json` where the user's settings are. */
  readonly file: string
  /** Whether the user lets programs colour what they print. */
  readonly allowsColour: boolean
  /** A terminal that cannot move its cursor. */
  readonly dumb: boolean
}

/** An empty variable counts as absent, as shells cannot always unset one. */
const present = (value: string | undefined): string | undefined =>
  value === undefined || value.trim() === "" ? undefined : value

/** Reads the environment anew. */
export const environmentOf = (env: NodeJS.ProcessEnv = process.env): Environment => {
  const home = present(env["XDG_CONFIG_HOME"]) ?? join(homedir(), ".config")
  const dumb = env["TERM"] === "dumb"
  return {
    apiKey: present(env["VPS_API_KEY"]),
    baseUrl: present(env["VPS_BASE_URL"]),
    file: present(env["VPS_CONFIG"]) ?? join(home, "vps", "config.json"),
    allowsColour: present(env["NO_COLOR"]) === undefined && !dumb,
    dumb
  }
}
