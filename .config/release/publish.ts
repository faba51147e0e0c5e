/** The commands that publish a release. Only `npm run release -- VERSION --publish` runs them. */
import { readdirSync } from "node:fs"
import { join } from "node:path"

export interface Step {
  readonly file: string
  readonly args: ReadonlyArray<string>
}

interface Release {
  /** The clone with the release's commit and its tag. */
  readonly source: string
  /** The folder with the files. */
  readonly output: string
  readonly version: string
  readonly repository: string | undefined
}

/** The repository comes first: a package must not name a tag that does not exist. */
export const publishingSteps = ({ output, repository, source, version }: Release): ReadonlyArray<Step> => {
  const names = readdirSync(output)
  const paths = (pattern: RegExp) => names.filter((name) => pattern.test(name)).map((name) => join(output, name))
  const python = paths(/^pulumi_vps-/)
  const [goArchive] = paths(/^pulumi-vps-go-/)
  const remote = repository ?? "REPOSITORY"
  return [
    { file: "git", args: ["push", remote, "HEAD:main", `v${version}`] },
    // Go downloads a module from a tag of the repository: a commit with the SDK, beside the branch.
    ...(goArchive === undefined ? [] : [
      { file: "tar", args: ["-xzf", goArchive, "-C", source] },
      { file: "git", args: ["add", "--force", "sdk/go"] },
      { file: "git", args: ["commit", "--quiet", "-m", `Go SDK ${version}`] },
      { file: "git", args: ["push", remote, `HEAD:refs/tags/sdk/go/vps/v${version}`] }
    ]),
    {
      file: "gh",
      args: [
        "release",
        "create",
        `v${version}`,
        "--repo",
        remote,
        "--verify-tag",
        "--notes-file",
        join(output, "RELEASE_NOTES.md"),
        ...paths(/\.(tar\.gz|tgz|zip)$|SHA256SUMS$|_manifest\.json$/)
      ]
    },
    ...paths(/\.tgz$/).map((path) => ({ file: "npm", args: ["publish", path] })),
    ...(python.length === 0 ? [] : [{ file: "twine", args: ["upload", ...python] }])
  ]
}
