/** Policy packs beside a stack on the real CLI. `@pulumi/policy` is none of our dependencies: it is fetched here. */
import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { ROOT } from "../support/consumer.ts"
import { cliOf } from "./OnCli.ts"
import type { Result } from "./Stack.ts"
import type { Environment } from "./Environment.ts"

const POLICY = "@pulumi/policy@1.21.0"
/** Its dependencies besides `@pulumi/pulumi`, which an install would add. */
const BESIDE = ["google-protobuf", "@grpc/grpc-js"]

export interface PolicySdk {
  /** Is there a registry, or a cache of npm, that has it? */
  readonly present: boolean
  readonly remove: () => void
  /** A pack with this program in the stack's project; returns its folder. */
  readonly pack: (env: Environment, program: string) => string
}

/** Fetches it once for a test file, which removes it. */
export const fetchPolicySdk = (): PolicySdk => {
  const folder = mkdtempSync(join(tmpdir(), "pulumi-vps-policy-"))
  const npm = ["pack", POLICY, "--silent", "--prefer-offline", "--fetch-retries=0", "--pack-destination", folder]
  const { status, stdout } = spawnSync("npm", npm, { cwd: folder, encoding: "utf8" })
  const tar = ["-xzf", join(folder, stdout.trim()), "-C", folder]
  return {
    present: status === 0 && spawnSync("tar", tar).status === 0,
    remove: () => rmSync(folder, { recursive: true }),
    pack: (env, program) => {
      const project = cliOf(env).folder
      const modules = join(project, "node_modules")
      cpSync(join(folder, "package"), join(modules, "@pulumi/policy"), { recursive: true })
      for (const name of BESIDE) {
        mkdirSync(dirname(join(modules, name)), { recursive: true })
        rmSync(join(modules, name), { force: true })
        symlinkSync(join(ROOT, "node_modules", name), join(modules, name))
      }
      const home = join(project, "policies")
      cpSync(join(ROOT, "examples/policies"), home, { recursive: true })
      writeFileSync(join(home, "index.mts"), program)
      return home
    }
  }
}

const STACK = ["--non-interactive", "--stack", "test"]

/** `pulumi preview` or `up` under this pack; the output is on one line. */
export const under = async (env: Environment, pack: string, verb: "preview" | "up"): Promise<Result> => {
  const consent = verb === "up" ? ["--yes", "--skip-preview"] : []
  const { code, output } = await cliOf(env).command([verb, ...consent, ...STACK, "--policy-pack", pack]).done
  return { code, output: output.replaceAll(/\s+/g, " ") }
}
