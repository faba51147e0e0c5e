/** The documents for users, and the code blocks in them. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { ROOT } from "./consumer.ts"

/** Paths from the root. */
export const DOCUMENTS: ReadonlyArray<string> = [
  "README.md",
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "examples/README.md",
  ...readdirSync(join(ROOT, "docs"), { encoding: "utf8", recursive: true })
    .filter((name) => name.endsWith(".md")).map((name) => `docs/${name}`)
]

export const readDocument = (path: string): string => readFileSync(join(ROOT, path), "utf8")

/** The contents of the code blocks in a language, also of those in lists. */
export const codeBlocks = (text: string, language: string): ReadonlyArray<string> =>
  [...text.matchAll(new RegExp(`^( *)\`\`\`${language}\\n([^]*?)^\\1\`\`\`$`, "gm"))]
    .map(([, indent, code]) => code!.replaceAll(new RegExp(`^${indent}`, "gm"), ""))

export interface Program {
  /** A file name without its extension. */
  readonly name: string
  readonly code: string
}

/** The TypeScript programs of all documents: a block without imports continues the program of the block before it. */
export const programs = (): ReadonlyArray<Program> =>
  DOCUMENTS.flatMap((path) => {
    const parts: Array<string> = []
    for (const block of codeBlocks(readDocument(path), "ts")) {
      if (/^import /m.test(block)) parts.push(block)
      else parts.push(`${parts.pop() ?? ""}{\n${block}}\n`)
    }
    const name = path.replace(".md", "").replaceAll("/", "-")
    return parts.map((code, index) => ({ name: `${name}-${index + 1}`, code }))
  })
