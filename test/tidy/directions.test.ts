/** The directions in the tree, and files that break each, which prove that the checker finds them. */
import { assert, describe, it } from "vitest"
import { misdirected } from "./directions.ts"
import { parse, sources } from "./Source.ts"

const isRefused = (folder: string, specifier: string, form = "import { thing } from"): boolean =>
  misdirected([parse(`${folder}/Sample.ts`, `${form} "${specifier}"`)]).length > 0

const words = (text: string): Array<string> => text.trim().split(/\s+/)

const CLIENTS = "#sdk/index #provider/index @pulumi/pulumi"
const SQL = "effect/sql/SqlClient node:sqlite"
const HTTP = "effect/http/HttpServer effect/http-api/HttpApiBuilder node:http"

const ABOVE_USE_CASES = `../http/Errors.ts ../tasks/Worker.ts ../persistence/sqlite/Database.ts
  ../persistence/Columns.ts ../persistence/Sql.ts ../persistence/postgres/Pool.ts ../emulator/Seed.ts ../App.ts
  ../main.ts ../admin/CommandRejected.ts #service/tasks/TaskQueue ../provisioning/drivers/simulated/Simulated.ts`
const BELOW_USE_CASES =
  "../domain/Money.ts ../persistence/Orders.ts ../config/Config.ts effect/Effect #contract/Instance"

const useCases = (folders: string, never: string, may: string) =>
  words(folders).map((folder) => ({
    folder: `service/${folder}`,
    never: `${CLIENTS} ${SQL} ${HTTP} ${ABOVE_USE_CASES} ${never}`,
    may: `${BELOW_USE_CASES} ${may}`
  }))

/** From the bottom up. */
const USE_CASES = [
  ...useCases(
    "audit catalogue ledger idempotency auth ratelimit",
    "../operations/Resize.ts ../orders/Quote.ts ../billing/TopUp.ts ../instances/Read.ts ../provisioning/Driver.ts",
    ""
  ),
  ...useCases(
    "instances people",
    "../operations/Resize.ts ../orders/Quote.ts ../billing/TopUp.ts ../panel/http/Visitor.ts",
    "../provisioning/Driver.ts"
  ),
  ...useCases(
    "operations",
    "../orders/Quote.ts ../billing/TopUp.ts",
    "../instances/Admission.ts ../catalogue/Plans.ts ../ledger/Ledger.ts ../provisioning/Driver.ts"
  ),
  ...useCases("orders billing", "../provisioning/Driver.ts", "../operations/Provision.ts ../catalogue/Plans.ts")
]

/** Imports that each folder must not have, and imports that it may have. */
const FOLDERS: Array<{ folder: string; never: string; may: string }> = [
  {
    folder: "sdk/contract",
    never: `${CLIENTS} #service/App node:crypto undici ../client/Vps.ts eslint`,
    may: "effect/Schema effect/http-api/HttpApi ./Errors.ts"
  },
  {
    folder: "sdk/contract/openapi",
    never: `${CLIENTS} #service/App node:crypto undici ../../client/Vps.ts`,
    may: "effect/http-api/OpenApi ../Api.ts ./Links.ts"
  },
  {
    folder: "sdk/client",
    never: "#service/App #provider/index @pulumi/pulumi",
    may: "#contract/Api ../contract/Api.ts effect/Effect undici node:crypto ./Retry.ts"
  },
  {
    folder: "sdk/testing",
    never: "#service/App #service/main #service/domain/Money #provider/index @pulumi/pulumi",
    may: "#service/Embedded #contract/Monitoring ../index.ts ../client/calls/Endpoints.ts effect/Effect ./Controls.ts"
  },
  { folder: "sdk", never: "#service/App @pulumi/pulumi", may: "./client/Vps.ts" },
  {
    folder: "sdk/cli",
    never: "#service/App #provider/index @pulumi/pulumi",
    may: "../client/Client.ts #contract/Instance #provider/orphans/Orphans effect/cli/Command node:fs"
  },
  {
    folder: "provider/instance",
    never: "#service/App #service/domain/Money @pulumi/pulumi",
    may: "#sdk/index #contract/Instance @pulumi/pulumi/output.js ../Session.ts effect/Effect"
  },
  {
    folder: "service/domain",
    never: `${CLIENTS} ${SQL} ${HTTP} node:crypto @effect/platform-node/NodeRuntime effect/Clock effect/Random
      ../persistence/Orders.ts ../config/Config.ts ../orders/PlaceOrder.ts #service/http/Server
      #contract/Api #contract/Errors #contract/Instances #contract/Isos #contract/Services`,
    may: "effect/Data effect/Result ./Money.ts ../contract/Words.ts #contract/Primitives #contract/Instance"
  },
  {
    folder: "service/persistence",
    never: `${CLIENTS} ${SQL} ${HTTP} pg ./sqlite/Database.ts ./postgres/Pool.ts #service/persistence/sqlite/Database
      ../orders/PlaceOrder.ts ../http/Errors.ts ../tasks/Worker.ts ../App.ts #service/auth/Keys ../emulator/Seed.ts`,
    may: "../domain/Money.ts ../config/Config.ts ./Sql.ts ./Transaction.ts ./tasks/Task.ts ./instances/InstanceView.ts"
  },
  {
    folder: "service/persistence/tasks",
    never: `${CLIENTS} ${SQL} ${HTTP} pg ../sqlite/Database.ts ../postgres/Pool.ts ../../orders/PlaceOrder.ts`,
    may: "../../domain/Money.ts ../Sql.ts ../Orders.ts ./Task.ts"
  },
  {
    folder: "service/persistence/sqlite",
    never: `${CLIENTS} ${HTTP} ../../orders/PlaceOrder.ts ../../http/Errors.ts ../../App.ts`,
    may: "../../domain/Money.ts ../Orders.ts ./Database.ts effect/sql/SqlClient node:sqlite"
  },
  ...USE_CASES,
  {
    folder: "service/admin/commands",
    never: `${CLIENTS} ../../provisioning/drivers/libvirt/Listing.ts #service/provisioning/drivers/simulated/Simulated`,
    may: "../../provisioning/HostAdmin.ts ../../persistence/Hosts.ts ../Input.ts"
  },
  {
    folder: "service/tasks",
    never: `${CLIENTS} ${SQL} ${HTTP} ../http/Errors.ts ../provisioning/drivers/simulated/Simulated.ts ../App.ts
      ../persistence/Rows.ts ../persistence/Sql.ts ../emulator/Clock.ts`,
    may: "../provisioning/Driver.ts ../operations/Registry.ts ../persistence/Tasks.ts ../domain/TaskType.ts"
  },
  {
    folder: "service/provisioning/drivers/simulated",
    never: `${CLIENTS} ../../../persistence/Rows.ts ../../../http/Errors.ts ../../../orders/PlaceOrder.ts
      ../../../tasks/Worker.ts #service/App`,
    may:
      `../../Driver.ts ../../../persistence/SimulatedMachines.ts ../../../domain/HostName.ts ../../../config/Config.ts
      undici`
  },
  {
    folder: "service/http",
    never: `${CLIENTS} ${SQL} ../persistence/Orders.ts ../persistence/Transaction.ts ../tasks/Worker.ts
      ../provisioning/Driver.ts ../App.ts ../emulator/Seed.ts`,
    may: `#contract/Api ../orders/PlaceOrder.ts ../domain/Errors.ts ../config/Config.ts effect/http/HttpServer
      ./Server.ts`
  },
  {
    folder: "service/contract",
    never: `${CLIENTS} node:fs ../domain/Money.ts ../admin/Operator.ts`,
    may: "#contract/Instance effect/Schema ./Words.ts"
  },
  { folder: "service/runtime", never: `${CLIENTS} ../config/Config.ts`, may: "effect/Effect node:fs ./Time.ts" },
  {
    folder: "service/panel/web/api",
    never: `${CLIENTS} ${SQL} ${HTTP} effect/Effect node:crypto #contract/Instance ../../contract/Session.ts
      ../../http/PanelPages.ts ../../../people/SignIn.ts ../../../domain/Money.ts ../../../App.ts`,
    may: "preact preact-iso/router uplot ./client.ts ../components/Form.tsx"
  },
  {
    folder: "examples/fleet",
    never: "#sdk/index #contract/Api ../../sdk/index.ts ../quickstart/index.ts effect/Effect undici",
    may: "pulumi-vps pulumi-vps/provider @pulumi/pulumi node:process ./names.ts"
  }
]

describe("import directions", () => {
  it("hold in the tree", () => {
    assert.deepStrictEqual(
      misdirected(sources()).map(({ line, message, path }) => `${path}:${line} ${message}`),
      []
    )
  })
  it.each(FOLDERS)("$folder may not import its neighbors", ({ never, folder }) => {
    assert.deepStrictEqual(words(never).filter((specifier) => !isRefused(folder, specifier)), [])
  })
  it.each(FOLDERS)("$folder may import what it depends on", ({ may, folder }) => {
    assert.deepStrictEqual(words(may).filter((specifier) => isRefused(folder, specifier)), [])
  })
  it.each([
    ["provider/instance", "@pulumi/pulumi"],
    ["service/panel/web/api", "#contract/Instance"],
    ["service/panel/web/api", "../../contract/Session.ts"]
  ])("%s may import types of %s only", (folder, specifier) => {
    const [types, values] = [
      ["import type { A } from", "import type * as a from", "import { type A } from", "export type { A } from"],
      [
        "import { type A, b } from",
        "import * as a from",
        "import a from",
        "import",
        "export { a } from",
        "export * from"
      ]
    ]
    assert.deepStrictEqual(types.filter((form) => isRefused(folder, specifier, form)), [])
    assert.deepStrictEqual(values.filter((form) => !isRefused(folder, specifier, form)), [])
    assert.lengthOf(misdirected([parse(`${folder}/Sample.ts`, `await import("${specifier}")`)]), 1)
    assert.deepStrictEqual(misdirected([parse(`${folder}/Sample.ts`, `type A = import("${specifier}").A`)]), [])
  })
  it("hold for a file by its own row, and else by that of its folder", () => {
    const isRefusedIn = (path: string) =>
      misdirected([parse(path, "import { a } from \"#service/persistence/sqlite/Database\"")]).length > 0
    assert.deepStrictEqual(
      ["Storage", "StorageFile", "Orders"].filter((name) => isRefusedIn(`service/persistence/${name}.ts`)),
      ["StorageFile", "Orders"]
    )
  })
})
