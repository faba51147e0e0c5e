import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

/** Where `.ci/run` wants the outcome of every test. */
const report = process.env["VITEST_JSON"]

const ssr = { resolve: { conditions: ["pulumi-vps-source"] } }

export default defineConfig({
  test: {
    reporters: report === undefined ? ["default"] : ["default", ["json", { outputFile: report }]],
    projects: [
      {
        ssr,
        test: {
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: ["test/e2e/**", "test/postgres/**"],
          pool: "threads",
          isolate: false,
          testTimeout: 30_000
        }
      },
      {
        ssr,
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          pool: "forks",
          // Processes that mostly wait for each other: two files at once take little longer than one.
          maxWorkers: 2,
          // After the unit tests: what they find is known within seconds.
          sequence: { groupOrder: 1 },
          testTimeout: 120_000
        }
      },
      {
        ssr,
        test: {
          // By itself: `npm run test:pg`.
          name: "postgres",
          include: ["test/postgres/**/*.test.ts"],
          globalSetup: fileURLToPath(new URL("../test/support/postgresSetup.ts", import.meta.url)),
          pool: "threads",
          isolate: false,
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
          testTimeout: 120_000
        }
      }
    ]
  }
})
