/** Known vulnerabilities of our dependencies, if the registry supports audits. */
import { assert, describe, it } from "vitest"
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const ROOT = fileURLToPath(new URL("../..", import.meta.url))

/** Advisories that do not concern us, by their address, each with the reason. There are none. */
const EXPLAINED: Readonly<Record<string, string>> = {}

interface Report {
  readonly vulnerabilities?: Readonly<
    Record<string, { readonly via: ReadonlyArray<string | { readonly url: string; readonly title: string }> }>
  >
}

/** The result of `npm audit`; undefined if the registry does not support it. */
const audit = (...flags: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
  const patience = ["--fetch-retries=0", "--fetch-timeout=20000"]
  const { stdout } = spawnSync("npm", ["audit", "--json", ...patience, ...flags], { cwd: ROOT, encoding: "utf8" })
  const { vulnerabilities }: Report = JSON.parse(stdout === "" ? "{}" : stdout)
  if (vulnerabilities === undefined) return undefined
  const advisories = Object.values(vulnerabilities).flatMap(({ via }) => via.filter((one) => typeof one !== "string"))
  return advisories.filter(({ url }) => !(url in EXPLAINED)).map(({ title, url }) => `${title}: ${url}`)
}

describe("npm audit", () => {
  it.for([
    ["what is installed with the package", "--omit=dev"],
    ["what it is built and tested with", "--include=dev"]
  ])("knows of nothing wrong with %s", ([, flag], { skip }) => {
    const found = audit(flag!)
    if (found === undefined) return skip("the registry does not answer audits")
    assert.deepStrictEqual(found, [])
  })
})
