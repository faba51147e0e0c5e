/** The command's page for people says what the command does. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { EXIT_CODES } from "#sdk/cli/errors/ExitCode"
import { ROOT } from "../support/consumer.ts"

const readme = readFileSync(join(ROOT, "sdk/cli/README.md"), "utf8")

describe("sdk/cli/README.md", () => {
  it("lists every exit code in the words of --help", () => {
    const listed = [...readme.matchAll(/^\| (\d+) +\| (.+?) +\|$/gm)].map((
      [, code, meaning]
    ) => [Number(code), meaning])
    const plain = (text: string) => text.replaceAll("`", "").toLowerCase()
    expect(listed.map(([code, meaning]) => [code, plain(String(meaning))]))
      .toEqual(EXIT_CODES.map(([code, meaning]) => [code, plain(meaning)]))
  })
})
