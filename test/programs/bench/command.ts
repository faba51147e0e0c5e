/** `npm run bench -- NAME [flags]`: runs a benchmark of docs/benchmarks.md. Without a name, it lists them. */
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const SOURCES = "--conditions=pulumi-vps-source"

/** The programs, with the flags of Node.js. Those without the condition load the built packages. */
const BENCHMARKS: Readonly<Record<string, ReadonlyArray<string>>> = {
  service: ["run.ts"],
  postgres: ["postgres.ts"],
  size: [SOURCES, "size.ts"],
  scale: [SOURCES, "scale.ts"],
  libvirt: [SOURCES, "libvirt.ts"],
  placement: [SOURCES, "placement.ts"],
  sampling: ["--expose-gc", SOURCES, "sampling.ts"],
  sdk: ["sdk/run.ts"],
  panel: ["panel.ts"],
  terraform: [SOURCES, "terraform.ts"],
  testing: ["testing.ts"]
}

const [name = "", ...flags] = process.argv.slice(2)
const found = BENCHMARKS[name]
if (found === undefined) {
  console.error(`Name a benchmark: npm run bench -- ${Object.keys(BENCHMARKS).join(" | ")}`)
  process.exit(2)
}
const program = fileURLToPath(new URL(found.at(-1)!, import.meta.url))
const { status } = spawnSync(process.execPath, [...found.slice(0, -1), program, ...flags], { stdio: "inherit" })
process.exit(status ?? 1)
