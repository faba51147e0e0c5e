/**
 * The import directions of the architecture live in `.oxlintrc.json`, once. Here the linter is run with that
 * configuration: over the tree, and over files that break each direction, which proves that each pattern works.
 */
import { spawnSync } from "node:child_process"
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { ROOT } from "./Source.ts"

const CONFIG = ".oxlintrc.json"
const OXLINT = join(ROOT, "node_modules/oxlint/bin/oxlint")

interface Diagnostic {
  readonly code: string
  readonly filename: string
  readonly help?: string
}

/** The linter's diagnostics on import directions in a folder. */
const directions = (folder: string): Array<Diagnostic> => {
  const { stderr, stdout } = spawnSync(process.execPath, [OXLINT, "-c", CONFIG, "--format", "json", "."], {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024
  })
  if (!stdout.startsWith("{")) throw new Error(`oxlint did not run: ${stdout}${stderr}`)
  const { diagnostics } = JSON.parse(stdout) as { readonly diagnostics: ReadonlyArray<Diagnostic> }
  return diagnostics.filter(({ code }) => code === "eslint(no-restricted-imports)")
}

/** Lints one file per folder and import in a copy of the repository's layout; returns the refused ones. */
const refusals = (samples: ReadonlyArray<{ folder: string; specifier: string }>): Set<string> => {
  const copy = mkdtempSync(join(tmpdir(), "pulumi-vps-directions-"))
  try {
    copyFileSync(join(ROOT, CONFIG), join(copy, CONFIG))
    const names = new Map(samples.map(({ folder, specifier }, index) => {
      const path = `${folder}/Sample${index}.ts`
      mkdirSync(dirname(join(copy, path)), { recursive: true })
      writeFileSync(join(copy, path), `import { thing } from "${specifier}"\nexport const use = thing\n`)
      return [path, `${folder}: ${specifier}`]
    }))
    return new Set(directions(copy).map(({ filename }) => names.get(filename) ?? `not a sample: ${filename}`))
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

const words = (text: string): Array<string> => text.trim().split(/\s+/)

const CLIENTS = "#sdk/index #provider/index @pulumi/pulumi"
const SQL = "effect/sql/SqlClient node:sqlite"
const HTTP = "effect/http/HttpServer effect/http-api/HttpApiBuilder node:http"

const ABOVE_USE_CASES = `../http/Errors.ts ../tasks/Worker.ts ../persistence/sqlite/Database.ts
  ../persistence/Columns.ts ../persistence/Sql.ts ../persistence/postgres/Pool.ts ../emulator/Seed.ts ../App.ts
  ../main.ts ../admin/CommandRejected.ts #service/tasks/Queue ../provisioning/drivers/simulated/Simulated.ts`
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
    never: "#service/App #service/main #service/domain/Vat #provider/index @pulumi/pulumi",
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
  const samples = FOLDERS.flatMap(({ may, never, folder }) =>
    words(`${never} ${may}`).map((specifier) => ({ folder, specifier }))
  )
  let refused = new Set<string>()
  beforeAll(() => {
    refused = refusals(samples)
  })

  it("hold in the tree", () => {
    expect(directions(ROOT).map(({ filename, help }) => `${filename}: ${help}`)).toEqual([])
  })
  it.each(FOLDERS)("$folder may not import its neighbors", ({ never, folder }) => {
    expect(words(never).filter((specifier) => !refused.has(`${folder}: ${specifier}`))).toEqual([])
  })
  it.each(FOLDERS)("$folder may import what it depends on", ({ may, folder }) => {
    expect(words(may).filter((specifier) => refused.has(`${folder}: ${specifier}`))).toEqual([])
  })
  it("are judged on the samples only", () => {
    expect([...refused].filter((line) => line.startsWith("not a sample"))).toEqual([])
  })
})
