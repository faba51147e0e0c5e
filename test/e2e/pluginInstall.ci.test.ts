/**
 * docs/provider-plugin.md on the real `pulumi`, taken literally: the packed package in an empty folder, what is
 * committed from it, and a second clone on another computer, with empty caches of Pulumi.
 */
import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { VERSION } from "#contract/Version"
import { assert, beforeAll, describe, it } from "vitest"
import { sectionOf, writeFiles } from "../support/guide.ts"
import {
  ARCHIVE,
  FIRST,
  GUIDE,
  hasPython,
  hasYaml,
  INSTALL_TIMEOUT,
  type Person,
  pluginInstall,
  type PythonProject,
  pythonProject
} from "../support/pluginInstall.ts"

const install = pluginInstall()
const { assertBuys, makeArchive, person, serverUrl, takeRequested } = install

describe.skipIf(!hasYaml)("with YAML (skipped without pulumi-language-yaml)", () => {
  let author: Person
  let origin: string
  beforeAll(async () => {
    author = person("yaml")
    origin = join(author.home, "origin")
    mkdirSync(origin)
    await author.run(origin, "npm init --yes && npm install pulumi-vps")
  })

  const INSTANCE = "{ plan: vps-s, hostname: web.example.com, maxCharge: 10, deletionPolicy: stop }"
  const program = (more = "", options = ""): string =>
    `name: shop\nruntime: yaml\n${more}resources:\n  web:\n    type: vps:Instance\n`
    + `    properties: ${INSTANCE}\n${options}`

  /** A folder that has only this file: no package of npm. */
  const alone = (name: string, yaml: string): { readonly who: Person; readonly folder: string } => {
    const who = person(name)
    const folder = join(who.home, "shop")
    writeFiles(folder, { "Pulumi.yaml": yaml })
    return { who, folder }
  }

  it("`pulumi plugin install -f` installs the folder of the package, and a program without a hint runs", async () => {
    const { folder, who } = alone("folder", program())
    const [command = ""] = sectionOf(GUIDE, "From an archive").commands.slice(2)
    assert.include(command, "-f node_modules/pulumi-vps/plugin")
    await who.run(origin, command)
    await assertBuys(who, folder)
  }, INSTALL_TIMEOUT)

  it("an archive that is made from the folder is installed, too", async () => {
    const { folder, who } = alone("archived", program())
    const [command = ""] = sectionOf(GUIDE, "From an archive").commands
    await who.run(await makeArchive(author, origin), command.split("\n")[0] ?? "")
    await assertBuys(who, folder)
  }, INSTALL_TIMEOUT)

  it("`pulumi install` gets it from the server that a resource names", async () => {
    await makeArchive(author, origin)
    const options = `    options: { version: ${VERSION}, pluginDownloadURL: "${serverUrl()}" }\n`
    const { folder, who } = alone("served", program("", options))
    takeRequested()
    await who.run(folder, "pulumi install")
    assert.deepStrictEqual(takeRequested(), [ARCHIVE])
    await assertBuys(who, folder)
  }, INSTALL_TIMEOUT)

  it("`npm ci` is all that a clone needs whose Pulumi.yaml names the folder", async () => {
    const [plugin = ""] = sectionOf(GUIDE, "YAML").blocks
    writeFiles(origin, { "Pulumi.yaml": program(plugin), ".gitignore": "/node_modules/\n" })
    await author.run(origin, "git init -q && git add -A && git commit -qm shop")
    const who = person("clone")
    await who.run(who.home, `git clone -q ${origin} shop`)
    const folder = join(who.home, "shop")
    await who.run(folder, "npm ci")
    await assertBuys(who, folder)
  }, INSTALL_TIMEOUT)

  it("the engine reads the schema of the folder without knowing the provider's name", async () => {
    const printed = await author.run(origin, "pulumi package get-schema ./node_modules/pulumi-vps/plugin 2> /dev/null")
    const schema = JSON.parse(printed) as { readonly name: string; readonly version: string }
    assert.deepStrictEqual([schema.name, schema.version], ["vps", VERSION])
  }, INSTALL_TIMEOUT)
})

describe.skipIf(!hasPython)("with Python (skipped without pulumi-language-python and venv)", () => {
  let project: PythonProject
  beforeAll(async () => {
    project = await pythonProject(install)
  }, INSTALL_TIMEOUT)

  it(
    "from npm: the author runs the guide's program, and a clone runs it after `npm ci` and `pulumi install`",
    async () => {
      const { author, clone, origin } = project
      assert.include(
        readFileSync(join(origin, "Pulumi.yaml"), "utf8"),
        sectionOf(GUIDE, "What `pulumi package add` writes").blocks[0]!
      )
      assert.match(readFileSync(join(origin, "requirements.txt"), "utf8"), /^sdks\/vps$/m)
      await assertBuys(author, origin)
      assert.match(await author.run(origin, FIRST.commands[1]!.split("\n").at(-2) ?? ""), /^ssh root@[\d.]+$/m)
      await clone("npm", FIRST.commands[2]!)
    },
    INSTALL_TIMEOUT
  )
})
