/**
 * The import directions of the architecture live in `.oxlintrc.json`, once. Here the linter is run with that
 * configuration: over the tree, and over files that break each direction, so that no pattern can fall asleep.
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

/** What the linter says about import directions in a folder. */
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

/** Lints one file per room and import, in a folder laid out like the repository; answers what was refused. */
const refusals = (samples: ReadonlyArray<{ room: string; specifier: string }>): Set<string> => {
  const folder = mkdtempSync(join(tmpdir(), "pulumi-vps-directions-"))
  try {
    copyFileSync(join(ROOT, CONFIG), join(folder, CONFIG))
    const names = new Map(samples.map(({ room, specifier }, index) => {
      const path = `${room}/Sample${index}.ts`
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), `import { thing } from "${specifier}"\nexport const use = thing\n`)
      return [path, `${room}: ${specifier}`]
    }))
    return new Set(directions(folder).map(({ filename }) => names.get(filename) ?? `not a sample: ${filename}`))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const words = (text: string): Array<string> => text.trim().split(/\s+/)

const CLIENTS = "#sdk/index #provider/index @pulumi/pulumi"
const SQL = "effect/sql/SqlClient node:sqlite"
const HTTP = "effect/http/HttpServer effect/http-api/HttpApiBuilder node:http"

const USE_CASES = words("orders instances ledger idempotency auth billing").map((useCase) => ({
  room: `service/${useCase}`,
  never: `${CLIENTS} ${SQL} ${HTTP} ../http/Errors.ts ../tasks/Worker.ts ../persistence/sqlite/Database.ts
    ../persistence/sql/Orders.ts ../persistence/Sql.ts ../persistence/postgres/Pool.ts ../provisioning/Driver.ts
    ../emulator/Seed.ts ../App.ts ../main.ts #service/tasks/Queue`,
  may: "../domain/Money.ts ../persistence/Orders.ts ../config/Config.ts effect/Effect #contract/Instance"
}))

/** Per room: what it must not import, and what it may. */
const ROOMS: Array<{ room: string; never: string; may: string }> = [
  {
    room: "sdk/contract",
    never: `${CLIENTS} #service/App node:crypto undici ../client/Vps.ts eslint`,
    may: "effect/Schema effect/http-api/HttpApi ./Errors.ts"
  },
  {
    room: "sdk/client",
    never: "#service/App #provider/index @pulumi/pulumi",
    may: "#contract/Api ../contract/Api.ts effect/Effect undici node:crypto ./Retry.ts"
  },
  {
    room: "sdk/testing",
    never: "#service/App #service/main #service/domain/Vat #provider/index @pulumi/pulumi",
    may: "#service/Embedded #contract/Monitoring ../index.ts ../client/calls/Operations.ts effect/Effect ./Controls.ts"
  },
  { room: "sdk", never: "#service/App @pulumi/pulumi", may: "./client/Vps.ts" },
  {
    room: "sdk/cli",
    never: "#service/App #provider/index @pulumi/pulumi",
    may: "../client/Client.ts #contract/Instance #provider/orphans/Orphans effect/cli/Command node:fs"
  },
  {
    room: "provider/instance",
    never: "#service/App #service/domain/Money @pulumi/pulumi",
    may: "#sdk/index #contract/Instance @pulumi/pulumi/output.js ../Session.ts effect/Effect"
  },
  {
    room: "service/domain",
    never: `${CLIENTS} ${SQL} ${HTTP} node:crypto @effect/platform-node/NodeRuntime effect/Clock effect/Random
      ../persistence/Orders.ts ../config/Config.ts ../orders/PlaceOrder.ts #service/http/Server
      #contract/Api #contract/Errors #contract/Instances #contract/Isos #contract/Services`,
    may: "effect/Data effect/Result ./Money.ts #contract/Primitives #contract/Scope #contract/Instance"
  },
  {
    room: "service/persistence",
    never: `${CLIENTS} ${HTTP} ../orders/PlaceOrder.ts ../http/Errors.ts ../tasks/Worker.ts ../App.ts
      #service/auth/Keys ../emulator/Seed.ts`,
    may: "../domain/Money.ts ../config/Config.ts ./Transaction.ts effect/sql/SqlClient node:sqlite"
  },
  {
    room: "service/persistence/sqlite",
    never: "../../orders/PlaceOrder.ts ../../http/Errors.ts ../../App.ts",
    may: "../../domain/Money.ts ../Orders.ts ./Database.ts"
  },
  {
    room: "service/persistence/sql",
    never: `${CLIENTS} ${SQL} ${HTTP} pg ../sqlite/Database.ts ../postgres/Pool.ts #service/persistence/sqlite/Database
      ../../orders/PlaceOrder.ts ../../App.ts`,
    may: "../../domain/Money.ts ../Sql.ts ../Orders.ts ./Rows.ts ./tables/Tables.ts"
  },
  ...USE_CASES,
  {
    room: "service/tasks",
    never: `${CLIENTS} ${SQL} ${HTTP} ../http/Errors.ts ../provisioning/drivers/simulated/Simulated.ts ../App.ts
      ../persistence/sql/Tasks.ts ../persistence/Sql.ts ../emulator/Clock.ts`,
    may: "../provisioning/Driver.ts ../orders/Refund.ts ../persistence/Tasks.ts ../domain/Task.ts"
  },
  {
    room: "service/provisioning/drivers/simulated",
    never: `${CLIENTS} ../../../persistence/sql/Tasks.ts ../../../http/Errors.ts ../../../orders/PlaceOrder.ts
      ../../../tasks/Worker.ts #service/App`,
    may:
      `../../Driver.ts ../../../persistence/SimulatedMachines.ts ../../../domain/HostName.ts ../../../config/Config.ts
      undici`
  },
  {
    room: "service/http",
    never: `${CLIENTS} ${SQL} ../persistence/Orders.ts ../persistence/Transaction.ts ../tasks/Worker.ts
      ../provisioning/Driver.ts ../App.ts ../emulator/Seed.ts`,
    may: `#contract/Api ../orders/PlaceOrder.ts ../domain/Errors.ts ../config/Config.ts effect/http/HttpServer
      ./Server.ts`
  },
  {
    room: "examples/fleet",
    never: "#sdk/index #contract/Api ../../sdk/index.ts ../quickstart/index.ts effect/Effect undici",
    may: "pulumi-vps pulumi-vps/provider @pulumi/pulumi node:process ./names.ts"
  }
]

describe("import directions", () => {
  const samples = ROOMS.flatMap(({ may, never, room }) =>
    words(`${never} ${may}`).map((specifier) => ({ room, specifier }))
  )
  let refused = new Set<string>()
  beforeAll(() => {
    refused = refusals(samples)
  })

  it("hold in the tree", () => {
    expect(directions(ROOT).map(({ filename, help }) => `${filename}: ${help}`)).toEqual([])
  })
  it.each(ROOMS)("$room is kept from its neighbours", ({ never, room }) => {
    expect(words(never).filter((specifier) => !refused.has(`${room}: ${specifier}`))).toEqual([])
  })
  it.each(ROOMS)("$room may import what it stands on", ({ may, room }) => {
    expect(words(may).filter((specifier) => refused.has(`${room}: ${specifier}`))).toEqual([])
  })
  it("are judged on the samples only", () => {
    expect([...refused].filter((line) => line.startsWith("not a sample"))).toEqual([])
  })
})
