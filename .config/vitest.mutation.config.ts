import { defineConfig } from "vitest/config"
import { TESTS } from "./stryker.config.ts"

/**
 * For Stryker. Its own setting `testFiles` is no way to say which tests: with it, mutants in what a module does when it
 * is loaded are switched on too late, and seem to survive (github.com/stryker-mutator/stryker-js, issue 6144).
 */
export default defineConfig({
  ssr: { resolve: { conditions: ["pulumi-vps-source"] } },
  test: {
    include: JSON.parse(process.env[TESTS] ?? "[]") as Array<string>,
    pool: "threads",
    isolate: false,
    testTimeout: 30_000
  }
})
