/** The ways of docs/provider-plugin.md that cost a minute each, beside those of pluginInstall.ci.test.ts. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { VERSION } from "#contract/Version"
import { assert, beforeAll, describe, it } from "vitest"
import { sectionOf, writeFiles } from "../support/guide.ts"
import {
  ARCHIVE,
  FIRST,
  GUIDE,
  hasPython,
  INSTALL_TIMEOUT,
  pluginInstall,
  type PythonProject,
  pythonProject
} from "../support/pluginInstall.ts"

const install = pluginInstall()
const { makeArchive, person, serverUrl, takeRequested } = install

describe.skipIf(!hasPython)("with Python (skipped without pulumi-language-python and venv)", () => {
  let project: PythonProject
  beforeAll(async () => {
    project = await pythonProject(install)
  }, INSTALL_TIMEOUT)

  it("from an archive: a clone installs it first", async () => {
    const { author, clone, origin, startAgain } = project
    const archive = await makeArchive(author, origin)
    startAgain()
    const { commands: [add = "", clones = ""] } = sectionOf(GUIDE, "From an archive")
    const first = person("archiver")
    await author.run(origin, `cp ${archive}/${ARCHIVE} . && echo /${ARCHIVE} >> .git/info/exclude`)
    await first.run(origin, add)
    assert.include(readFileSync(join(origin, "Pulumi.yaml"), "utf8"), `vps: vps@${VERSION}`)
    await clone("archive", clones, archive)
  }, INSTALL_TIMEOUT)

  it("with a committed SDK, generated from the schema", async () => {
    const { author, clone, origin, startAgain } = project
    startAgain()
    const { commands: [add = "", clones = ""] } = sectionOf(GUIDE, "A committed SDK")
    writeFiles(origin, { ".gitignore": FIRST.files[".gitignore"]!.replace("/sdks/\n", "") })
    await author.run(origin, add)
    assert.notInclude(readFileSync(join(origin, "Pulumi.yaml"), "utf8"), "packages:")
    await clone("committed", clones)
    assert.include(await author.run(origin, "git ls-files"), "sdks/vps/pulumi_vps/instance.py")
  }, INSTALL_TIMEOUT)

  it("from a server: `package add` writes its URL, and a clone needs `pulumi install` only", async () => {
    const { author, clone, origin, startAgain } = project
    await makeArchive(author, origin)
    startAgain()
    const { commands: [, add = "", clones = ""] } = sectionOf(GUIDE, "From your own server")
    await author.run(origin, add)
    assert.include(readFileSync(join(origin, "Pulumi.yaml"), "utf8"), `pluginDownloadURL: ${serverUrl()}`)
    takeRequested()
    await clone("server", clones)
    assert.deepStrictEqual(takeRequested(), [ARCHIVE])
  }, INSTALL_TIMEOUT)
})
