/** A user's project in a temporary folder: the package and Pulumi's SDK are found in its node_modules, as installed. */
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const ROOT = fileURLToPath(new URL("../..", import.meta.url))

export class Project {
  readonly folder: string

  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), "vps-stack-"))
    mkdirSync(join(this.folder, "node_modules/@pulumi"), { recursive: true })
    symlinkSync(join(ROOT, "provider"), join(this.folder, "node_modules/pulumi-vps"))
    symlinkSync(join(ROOT, "node_modules/@pulumi/pulumi"), join(this.folder, "node_modules/@pulumi/pulumi"))
    writeFileSync(join(this.folder, "package.json"), JSON.stringify({ name: "project", private: true, type: "module" }))
    writeFileSync(
      join(this.folder, "Pulumi.yaml"),
      "name: project\nruntime:\n  name: nodejs\n  options:\n    typescript: false\nmain: index.js\n"
        // As a user of the plugin writes it; programs of the dynamic provider don't look there.
        + "plugins:\n  providers:\n    - name: vps\n      path: ./node_modules/pulumi-vps/plugin\n"
    )
  }

  program(source: string): void {
    writeFileSync(join(this.folder, "index.js"), source)
  }

  /** The environment that both engines run in: Node 24 first on PATH. */
  environment(variables: Readonly<Record<string, string>>): Record<string, string> {
    // The build, which the global setup has renewed: it loads in a third of the time of the sources.
    // CI: the provider plays as at a desk, also where these tests run in CI.
    const { CI: _ci, NODE_OPTIONS: _options, PATH = "", ...own } = process.env as Record<string, string>
    return {
      ...own,
      PATH: `${join(ROOT, "node_modules/.bin")}:${PATH}`,
      NODE_NO_WARNINGS: "1",
      // Each run starts three processes that load Pulumi's SDK: compiled once, they take a third less.
      NODE_COMPILE_CACHE: join(ROOT, "node_modules/.cache/compile"),
      NO_COLOR: "1",
      PULUMI_SKIP_UPDATE_CHECK: "true",
      PULUMI_CONFIG_PASSPHRASE: "a passphrase of the tests",
      PULUMI_BACKEND_URL: `file://${this.folder}`,
      ...variables
    }
  }

  /** Keeps what an engine has stored; returns what puts it back. */
  save(): () => void {
    const kept = mkdtempSync(join(this.folder, "node_modules", "kept-"))
    const files = readdirSync(this.folder).filter((name) => name !== "node_modules")
    for (const name of files) cpSync(join(this.folder, name), join(kept, name), { recursive: true })
    return () => {
      for (const name of readdirSync(this.folder)) {
        if (name !== "node_modules") rmSync(join(this.folder, name), { recursive: true })
      }
      cpSync(kept, this.folder, { recursive: true })
    }
  }

  /**
   * Removes checksums that are empty, as `docs/provider.md` says under "After a crash": `pulumi` writes them in two
   * steps, and reads nothing where it was killed in between.
   */
  mend(): void {
    for (const file of globSync(".pulumi/stacks/**/*.attrs", { cwd: this.folder })) {
      const path = join(this.folder, file)
      if (statSync(path).size === 0) rmSync(path)
    }
  }

  /** The text of all files that an engine has written. Packages are left out: other tests write to their caches. */
  stored(): string {
    const options = { recursive: true, withFileTypes: true } as const
    return readdirSync(this.folder, { withFileTypes: true })
      .filter(({ name }) => name !== "node_modules")
      .flatMap((top) => top.isDirectory() ? readdirSync(join(top.parentPath, top.name), options) : [top])
      .filter((entry) => entry.isFile() && entry.name !== "index.js")
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
      .join("\n")
  }

  dispose(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}
