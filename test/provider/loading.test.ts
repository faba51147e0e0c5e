import { createRequire } from "node:module"
import { assert, it } from "vitest"
import { runScript } from "../support/command.ts"

const require = createRequire(import.meta.url)

/** The JSON that a script prints about itself. */
const answerOf = async (script: string): Promise<unknown> => JSON.parse(await runScript(script))

/** The modules of Pulumi's SDK that each entry loads beside those of the language host. */
const LOADED = [["#provider/index", ["config.js"]], ["#provider/pulumi", ["runtime/invoke.js"]]] as const

it.each(LOADED)("%s loads of Pulumi's SDK, beside what its language host needs, only %j", async (entry, files) => {
  // All of it takes 0.4 s of each phase of an `up`: the Automation API, npm's client, a TypeScript compiler.
  const loaded = await answerOf(`
    import { createRequire } from "node:module"
    const require = createRequire(${JSON.stringify(import.meta.url)})
    require("@pulumi/pulumi/runtime/stack.js")
    require("@pulumi/pulumi/runtime/manifest.js")
    const hosts = new Set(Object.keys(require.cache))
    await import(${JSON.stringify(entry)})
    console.log(JSON.stringify(Object.keys(require.cache).filter((file) => !hosts.has(file))))
  `)
  assert.deepStrictEqual(loaded, files.map((file) => require.resolve(`@pulumi/pulumi/${file}`)))
})

const ORDERS = [["@pulumi/pulumi", "#provider/index"], ["#provider/index", "@pulumi/pulumi"]] as const

it.each(ORDERS)("%s and then %s share their classes", async (first, second) => {
  const shared = await answerOf(`
    await import("${first}")
    await import("${second}")
    const { CustomResource, Output } = await import("@pulumi/pulumi")
    const { costSummary, Instance } = await import("#provider/index")
    console.log(JSON.stringify([Instance.prototype instanceof CustomResource, Output.isInstance(costSummary([]))]))
  `)
  assert.deepStrictEqual(shared, [true, true])
})
