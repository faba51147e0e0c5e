/** The examples in Python and Go, as their first lines say. `providerPluginExamples.ci.test.ts` runs the programs. */
import { testExampleLines } from "../support/exampleLines.ts"

testExampleLines("python", "go")
