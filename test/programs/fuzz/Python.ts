/** Schemathesis in its own Python environment, created once in the folder for caches. */
import { spawnSync, type SpawnSyncReturns } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readFileSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const REQUIREMENTS = fileURLToPath(new URL("requirements.txt", import.meta.url))
const CACHE = fileURLToPath(new URL("../../../node_modules/.cache/pulumi-vps", import.meta.url))

/** There is no fuzzer, and why; `message` says what is missing. */
export class Unavailable extends Error {}

const run = (command: string, args: ReadonlyArray<string>): SpawnSyncReturns<string> =>
  spawnSync(command, args, { encoding: "utf8" })

const must = (what: string, { error, status, stderr, stdout }: SpawnSyncReturns<string>): void => {
  if (error === undefined && status === 0) return
  const said = error?.message ?? `${stdout}${stderr}`.trim().split("\n").slice(-3).join("\n")
  throw new Unavailable(`${what}\n${said}`)
}

/** The folder says which versions it holds, so that others are never taken for them. */
const folder = (cache: string): string => {
  const version = createHash("sha256").update(readFileSync(REQUIREMENTS)).digest("hex").slice(0, 12)
  return join(cache, `schemathesis-${version}`)
}

const make = (python: string, home: string): void => {
  must(
    `Python 3.10 or newer is needed as ${python} (PYTHON names another).`,
    run(python, [
      "-c",
      "import sys; sys.exit(sys.version_info < (3, 10))"
    ])
  )
  const half = `${home}.${process.pid}`
  rmSync(half, { recursive: true, force: true })
  try {
    must(
      "Python cannot make an environment; Debian has that in the package python3-venv.",
      run(python, [
        "-m",
        "venv",
        half
      ])
    )
    const install = ["install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:", "-r", REQUIREMENTS]
    must("Schemathesis cannot be installed from PyPI.", run(join(half, "bin/python"), ["-m", "pip", ...install]))
    renameSync(half, home)
  } finally {
    rmSync(half, { recursive: true, force: true })
  }
}

/**
 * The command line that starts Schemathesis.
 * @throws Unavailable without Python, or without PyPI when it has not been installed before
 */
export const schemathesis = (
  python = process.env["PYTHON"] ?? "python3",
  cache = CACHE
): readonly [string, ...Array<string>] => {
  const home = folder(cache)
  if (!existsSync(home)) make(python, home)
  // As a module: the scripts of an environment name the folder in which it was made.
  return [join(home, "bin/python"), "-m", "schemathesis.cli"]
}
