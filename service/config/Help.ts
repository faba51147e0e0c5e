/** The text of `vps-service --help`, generated from the settings. */
import { SETTINGS } from "./Config.ts"
import type { Setting } from "./Setting.ts"

const INTRODUCTION = `vps-service: a VPS hosting service with an HTTP API

  vps-service            run the service; the first line of output is a JSON object with its URL
  vps-service admin ...  accounts, keys, wallets, catalogue, tasks: see vps-service admin --help
  vps-service config     show every setting and limit: value, source, unit and reason; --check checks them
  vps-service --version  show the version

A setting is a flag, else an environment variable, else a line of the config file: --config /etc/vps/service.yaml. The
file uses the names of the flags, and contains limits below "limits:". It names files that contain secrets:
"secret: { file: secret }", relative to its own folder. VPS_EMULATOR=1 makes an emulator of a container: in memory, and
with controls for all computers that reach its port.

`

/** Wide enough for the longest flag. */
const FLAG_COLUMN = 22

const explain = ({ environment, fallback, flag, reason, unit }: Setting<unknown>): string =>
  `  ${(flag === null ? "(no flag)" : `--${flag}`).padEnd(FLAG_COLUMN)}${reason}\n`
  + `${" ".repeat(FLAG_COLUMN + 2)}${unit}; ${environment}`
  + `${fallback === undefined || String(fallback) === "" ? "" : `, default ${String(fallback)}`}\n`

/** Every setting with its reason, unit, environment variable and default. */
export const help = (): string =>
  INTRODUCTION + Object.values(SETTINGS).map((setting) => explain(setting as Setting<unknown>)).join("")
