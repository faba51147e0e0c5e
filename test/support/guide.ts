/** A guide of the documentation, taken literally: its blocks of code, with the headings and the files they are for. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { text } from "node:stream/consumers"
import { readDocument } from "./documents.ts"

export interface Block {
  /** The nearest heading above it, without its level. */
  readonly heading: string
  /** The text of the page between the heading, or the block before, and this block. */
  readonly prose: string
  readonly language: string
  /** The file that the line before it names, for all but commands. */
  readonly file?: string
  readonly code: string
}

const BLOCK = /^( *)```(\w*)\n([^]*?)^\1```$/gm
const HEADING = /^#+ (.+)$/gm
/** A line that ends in a colon, and names a file last. */
const FILE = /`([\w/-]*\.[\w.]+)`[^`\n]*:\n\n$/

/** All blocks of code of a page, in order. */
export const blocksOf = (document: string): ReadonlyArray<Block> => {
  const page = readDocument(document)
  let [heading, end] = ["", 0]
  return [...page.matchAll(BLOCK)].map(([block, indent, language = "", code = ""], index, all) => {
    const before = page.slice(end, all[index]!.index)
    end = all[index]!.index + block.length
    const headings = [...before.matchAll(HEADING)]
    heading = headings.at(-1)?.[1] ?? heading
    const prose = before.slice(headings.at(-1)?.index ?? 0)
    const file = language === "sh" ? undefined : FILE.exec(prose)?.[1]
    return {
      heading,
      prose,
      language,
      code: code.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
      ...file !== undefined && { file }
    }
  })
}

export interface Section {
  /** The code blocks after a line that names a file, by its name. */
  readonly files: Readonly<Record<string, string>>
  /** The blocks of commands, in order. */
  readonly commands: ReadonlyArray<string>
  /** The other blocks, in order. */
  readonly blocks: ReadonlyArray<string>
}

/** The blocks below a heading, and above the next one. @throws Error for a heading without a block. */
export const sectionOf = (document: string, heading: string): Section => {
  const all = blocksOf(document).filter((block) => block.heading === heading)
  if (all.length === 0) throw new Error(`${document} has no code below a heading "${heading}"`)
  const unnamed = all.filter(({ file }) => file === undefined)
  return {
    files: Object.fromEntries(all.flatMap(({ code, file }) => file === undefined ? [] : [[file, code]])),
    commands: unnamed.filter(({ language }) => language === "sh").map(({ code }) => code),
    blocks: unnamed.filter(({ language }) => language !== "sh").map(({ code }) => code)
  }
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

/** Pulumi's own settings of that person: a state in files, and all prompts confirmed. */
export const pulumiAt = (home: string): Record<string, string> => ({
  PULUMI_HOME: join(home, ".pulumi"),
  PULUMI_BACKEND_URL: `file://${home}`,
  PULUMI_CONFIG_PASSPHRASE: "a passphrase of the tests",
  PULUMI_SKIP_UPDATE_CHECK: "true",
  PULUMI_SKIP_CONFIRMATIONS: "true"
})

/** Runs commands as one script, and returns what they print. @throws Error with it when one of them fails. */
export const runCommands = async (cwd: string, env: Record<string, string>, commands: string): Promise<string> => {
  const child = spawn("bash", ["-euo", "pipefail", "-c", commands], { cwd, env, stdio: ["ignore", "pipe", "pipe"] })
  const ended = once(child, "close")
  const [printed, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  if (code !== 0) throw new Error(`${commands}\nended with ${code}:\n${printed}${errors}`)
  return printed + errors
}
