/** The checks of `npm run check` that do not run the program, each a name and the commands that it consists of. */

const TSC = "node_modules/@typescript/native/bin/tsc"
const VITEST = ["vitest", "run", "--config", ".config/vitest.config.ts"]
const EFFECT = ["effect-tsgo", "diagnostics", "--project", "tsconfig.json"]

export interface Check {
  readonly name: string
  readonly about: string
  readonly commands: ReadonlyArray<ReadonlyArray<string>>
}

/** They take as long as the others together, and run beside them. */
export const DIAGNOSTICS: Check = {
  name: "effect",
  about: "Effect's diagnostics",
  commands: [[...EFFECT, "--format", "text", "--strict", "--severity", "error,warning"]]
}

export const CHECKS: ReadonlyArray<Check> = [
  { name: "types", about: "types", commands: [["node", TSC, "-p", "."], ["node", TSC, "-p", "service/panel/web"]] },
  { name: "lint", about: "lint", commands: [["oxlint", "--deny-warnings"]] },
  { name: "format", about: "format", commands: [["dprint", "check"]] },
  {
    name: "tidy",
    about: "import directions, undeclared imports, banned calls, orphans",
    commands: [[...VITEST, "--project", "tidy"]]
  },
  { name: "unused", about: "unused code and dependencies", commands: [["knip", "--config", ".config/knip.json"]] },
  { name: "build", about: "build", commands: [["node", "--conditions=pulumi-vps-source", ".config/build.ts"]] },
  { name: "package", about: "publint on the packed packages", commands: [["node", ".config/packageCheck.ts"]] }
]
