/** The example in YAML, as its first lines say; `exampleLines.long.test.ts` has the languages that install an SDK. */
import { testExampleLines } from "../support/exampleLines.ts"

testExampleLines("yaml")
