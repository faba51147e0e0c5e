/** A guide of the documentation, taken literally: its files and commands by heading, and a shell to run them in. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { text } from "node:stream/consumers"
import { readDocument } from "./documents.ts"

export interface Section {
  /** The code blocks after a line that names a file, by its name. */
  readonly files: Readonly<Record<string, string>>
  /** The blocks of commands, in order. */
  readonly commands: ReadonlyArray<string>
  /** The other blocks, in order. */
  readonly blocks: ReadonlyArray<string>
}

const BLOCK = /(?:^`([\w./-]+)`[^\n`]*:\n\n)?^```(\w+)\n([^]*?)^```$/gm

const read = (text: string): Section => {
  const found = [...text.matchAll(BLOCK)].map(([, file, language, code = ""]) => ({ file, language, code }))
  const unnamed = found.filter(({ file }) => file === undefined)
  return {
    files: Object.fromEntries(found.flatMap(({ code, file }) => file === undefined ? [] : [[file, code]])),
    commands: unnamed.filter(({ language }) => language === "sh").map(({ code }) => code),
    blocks: unnamed.filter(({ language }) => language !== "sh").map(({ code }) => code)
  }
}

/** @throws Error for a heading that the document does not have. */
export const sectionOf = (document: string, heading: string): Section => {
  const [, section] = readDocument(document).split(new RegExp(`^#+ ${heading}$`, "m"))
  if (section === undefined) throw new Error(`${document} has no heading "${heading}"`)
  return read(section.split(/^#{1,3} /m)[0] ?? "")
}

export const writeFiles = (folder: string, files: Section["files"]): void => {
  mkdirSync(folder, { recursive: true })
  for (const [name, code] of Object.entries(files)) writeFileSync(join(folder, name), code)
}

/** The developer's own settings. All other variables, such as certificates and proxies, are the computer's. */
const OWN = /^(npm_|VPS_|PULUMI_|TF_|NODE_OPTIONS|NODE_ENV|VITEST|COREPACK)/i

/** Go's own caches: without them, Go downloads and compiles Pulumi's SDK again, which takes minutes. */
const GO = Object.fromEntries(
  ["GOCACHE", "GOPATH"].map((name) => [name, spawnSync("go", ["env", name], { encoding: "utf8" }).stdout?.trim()])
)

/** The environment of a person on a new computer, whose home is this folder, with this Node.js first on PATH. */
export const personAt = (home: string, more: Readonly<Record<string, string>>): Record<string, string> => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !OWN.test(name))),
  PATH: [dirname(process.execPath), process.env["PATH"]].join(":"),
  HOME: home,
  NO_COLOR: "1",
  ...GO,
  ...more
})

/** Runs commands as one script, and returns what they print. @throws Error with it when one of them fails. */
export const runCommands = async (cwd: string, env: Record<string, string>, commands: string): Promise<string> => {
  const child = spawn("bash", ["-euo", "pipefail", "-c", commands], { cwd, env, stdio: ["ignore", "pipe", "pipe"] })
  const ended = once(child, "close")
  const [printed, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  if (code !== 0) throw new Error(`${commands}\nended with ${code}:\n${printed}${errors}`)
  return printed + errors
}
