/** What `vps-service --help` prints: made from the table of settings, so it cannot fall behind it. */
import { SETTINGS } from "./Config.ts"
import type { Setting } from "./Setting.ts"

const INTRODUCTION = `vps-service: a VPS hosting service with an HTTP API

  vps-service            runs the service; when it is ready, the first line of its output is a JSON object with its url
  vps-service admin ...  accounts, keys, wallets, catalogue, tasks: see vps-service admin --help
  vps-service config     every setting and limit: its value, its source, its unit and its reason

`

/** Wide enough for the longest flag. */
const FLAG_COLUMN = 22

const explain = ({ environment, fallback, flag, reason, unit }: Setting<unknown>): string =>
  `  ${(flag === null ? "(no flag)" : `--${flag}`).padEnd(FLAG_COLUMN)}${reason}\n`
  + `${" ".repeat(FLAG_COLUMN + 2)}${unit}; ${environment}`
  + `${String(fallback) === "" ? "" : `, default ${String(fallback)}`}\n`

/** Every setting with its reason, unit, environment variable and default. */
export const help = (): string =>
  INTRODUCTION + Object.values(SETTINGS).map((setting) => explain(setting as Setting<unknown>)).join("")
