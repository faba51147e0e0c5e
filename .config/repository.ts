/**
 * The repository's address. It is one setting, `repository` in package.json: the tarball, the plugin's schema, the Go
 * example and the registry's pages derive theirs from it. No host is known yet, so it is unset, and a release says so.
 *
 *   npm run repository -- https://github.com/OWNER/NAME
 */
import { globSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const ROOT = fileURLToPath(new URL("..", import.meta.url))

/** A domain without an owner: code that is generated with it only works where it was generated. */
const NO_HOST = "example.com/pulumi-vps"

/** Without the slash and the `.git` at its end. */
const ADDRESS = /^https:\/\/[\w.-]+(?:\/[\w.-]+)+(?<!\.git)(?<!\/)$/

/** @throws Error if it is not an address that the rest can be derived from. */
export const checkAddress = (address: string): string => {
  if (ADDRESS.test(address)) return address
  throw new Error(`${address} is not a repository's address. Use one like https://github.com/OWNER/NAME.`)
}

/** The setting, undefined while it is unset. */
export const readRepository = (root = ROOT): string | undefined => {
  const { repository } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { repository?: string }
  return repository === undefined ? undefined : checkAddress(repository)
}

/** The path of the SDK's Go module. */
export const goModule = (repository: string | undefined): string =>
  `${repository?.replace("https://", "") ?? NO_HOST}/sdk/go/vps`

/** The place where Pulumi finds the archives of a release. GitHub has an interface for it, which finds private ones. */
const downloads = (repository: string): string =>
  repository.startsWith("https://github.com/")
    ? repository.replace("https://", "github://api.")
    : `${repository}/releases/download/v\${VERSION}`

/** GitHub, Gitea and Forgejo serve files of a branch at this path. */
const logo = (repository: string): string => `${repository}/raw/main/docs/logo.png`

/** The fields of the plugin's schema. */
export const schemaFields = (repository: string | undefined): object =>
  repository === undefined ? {} : {
    homepage: repository,
    repository,
    logoUrl: logo(repository),
    pluginDownloadURL: downloads(repository)
  }

/** The fields of the published package.json. */
export const manifestFields = (repository: string | undefined): object =>
  repository === undefined ? {} : {
    homepage: `${repository}#readme`,
    bugs: `${repository}/issues`,
    repository: { type: "git", url: `git+${repository}.git` }
  }

/** The command that installs the plugin. */
export const pluginCommand = (repository: string | undefined, version: string): string =>
  repository === undefined
    ? `pulumi plugin install resource vps ${version} --file pulumi-resource-vps-v${version}-linux-amd64.tar.gz`
    : `pulumi plugin install resource vps ${version} --server ${downloads(repository)}`

/** Sets the address, and everything in the sources that contains it but is not generated. */
export const setRepository = (root: string, address: string): void => {
  const old = goModule(readRepository(root))
  const file = join(root, "package.json")
  const { description, name, repository: _, version, ...rest } = JSON.parse(readFileSync(file, "utf8")) as Record<
    string,
    unknown
  >
  const manifest = { name, version, description, repository: checkAddress(address), ...rest }
  writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`)
  for (const path of globSync("{examples/go/*,docs/provider/examples/*/main.go}", { cwd: root })) {
    const text = readFileSync(join(root, path), "utf8")
    writeFileSync(join(root, path), text.replaceAll(old, goModule(address)))
  }
}

if (import.meta.main) {
  const [address] = process.argv.slice(2)
  if (address === undefined) console.log(readRepository() ?? "The repository is unset: pass its address.")
  else setRepository(ROOT, address)
}
