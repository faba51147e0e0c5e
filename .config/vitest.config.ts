/**
 * The tiers of the tests. A file's name says when it runs:
 *
 * - `*.test.ts`: in `npm test`; those in process also in `npm run test:unit`.
 * - `*.ci.test.ts`: in `npm run test:ci`, which follows `npm test` in continuous integration.
 * - `*.long.test.ts`: in `npm run test:long`, before a change of its subject is called done.
 *
 * Its folder says how: `test/e2e`, `test/libvirt` and `test/programs` start processes, `test/postgres` needs
 * PostgreSQL, all others run in one process. Those of `ON_BOTH` run once more, on PostgreSQL. Those of the style of the
 * sources run in `npm run check`.
 */
import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

/** `.ci/run` names a file for the outcome of every test. */
const report = process.env["VITEST_JSON"]

const FOLDERS = {
  unit: "test/**",
  processes: "test/{e2e,libvirt,programs}/**",
  postgres: "test/postgres/**"
}

const LATER = ["**/*.{ci,long}.test.ts"]

/** Of the sources' style: `npm run check -- tidy`. */
const TIDY = ["test/tidy.test.ts", "test/tidy/**/*.test.ts"]

/** Hooks start and stop servers, which a busy machine may hold up for longer than the 10 s that vitest allows. */
const HOOKS = { hookTimeout: 120_000 } as const

/** Many small files in few threads. Vitest would leave one core unused: half of two. */
const IN_PROCESS = {
  pool: "threads",
  isolate: false,
  maxWorkers: Math.max(2, availableParallelism() - 1),
  testTimeout: 60_000,
  ...HOOKS
} as const

/** Processes wait for each other, guests, and registries: with three files at once a quarter of the time. */
const PROCESSES = {
  pool: "forks",
  maxWorkers: Math.max(4, availableParallelism() + 2),
  testTimeout: 120_000,
  ...HOOKS,
  globalSetup: fileURLToPath(new URL("../test/support/packSetup.ts", import.meta.url))
} as const

/** As processes do, replicas wait for leases and timeouts most of the time. */
const POSTGRES = {
  pool: "threads",
  isolate: false,
  maxWorkers: Math.max(3, availableParallelism() + 1),
  testTimeout: 120_000,
  ...HOOKS,
  globalSetup: fileURLToPath(new URL("../test/support/postgresSetup.ts", import.meta.url)),
  setupFiles: fileURLToPath(new URL("../test/support/onPostgres.ts", import.meta.url))
} as const

/**
 * Tests of use cases that run on both databases: on SQLite in the project `unit`, and on PostgreSQL. The others set
 * rows or moments in ways that only SQLite has.
 */
const ON_BOTH = [
  "test/admin/{announcements,catalogue,search,setup,today}.test.ts",
  "test/ledger/{defects,ledger,refunds}.test.ts",
  "test/orders/{capacity,coupons,placeOrder,records}.test.ts",
  "test/tasks/scheduledJobs.test.ts",
  "test/http/{catalogue,everyEndpoint}.test.ts",
  "test/panel/{account,accountActivity,challenges,invitations,mails,memberships,passkeys,permissions}.test.ts",
  "test/panel/operator{,Bookings,Needs,Notes}.test.ts",
  "test/billing/{endings,renewal,reprice,statement,suspension,vat}.test.ts"
]

/** Groups run one after the other: what the quick tests find is known within seconds. */
const after = (groupOrder: number) => ({ sequence: { groupOrder } })

const projects = [
  {
    name: "unit",
    include: [`${FOLDERS.unit}/*.test.ts`],
    exclude: [...LATER, ...TIDY, FOLDERS.processes, FOLDERS.postgres],
    ...IN_PROCESS
  },
  { name: "tidy", include: TIDY, ...IN_PROCESS },
  { name: "e2e", include: [`${FOLDERS.processes}/*.test.ts`], exclude: LATER, ...PROCESSES, ...after(1) },
  { name: "postgres", include: [`${FOLDERS.postgres}/*.test.ts`], exclude: LATER, ...POSTGRES, ...after(2) },
  { name: "ci", include: [`${FOLDERS.processes}/*.ci.test.ts`], ...PROCESSES, ...after(3) },
  { name: "ci-postgres", include: [`${FOLDERS.postgres}/*.ci.test.ts`, ...ON_BOTH], ...POSTGRES, ...after(4) },
  { name: "long", include: ["test/**/*.long.test.ts"], ...PROCESSES, ...after(5) }
]

const ssr = { resolve: { conditions: ["pulumi-vps-source"] } }

export default defineConfig({
  test: {
    reporters: report === undefined ? ["default"] : ["default", ["json", { outputFile: report }]],
    projects: projects.map((test) => ({ ssr, test }))
  }
})
