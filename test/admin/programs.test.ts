/** The service and its command line are separate programs: starting the service does not load the other one. */
import { assert, describe, it } from "vitest"
import { resolve } from "../tidy/graph.ts"
import { imports, sources } from "../tidy/Source.ts"

const byPath = new Map(sources().map((source) => [source.path, source]))

/** Loaded only if a config file is used. */
const YAML = "service/config/YamlEntries.ts"

/** Everything that is loaded with a file, as paths of files, and as the names of packages. */
const loaded = (entry: string): Set<string> => {
  const found = new Set<string>()
  const queue = [entry]
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (found.has(path)) continue
    found.add(path)
    const source = byPath.get(path)
    if (source === undefined || path === YAML) continue
    queue.push(...imports(source).map(({ specifier }) => resolve(path!, specifier) ?? specifier))
  }
  return found
}

const isCommandLine = (path: string): boolean => /^service\/admin\/cli\/|^yaml$|^effect\/cli\//.test(path)

describe("starting the service", () => {
  it("loads nothing that reads command lines or YAML", () => {
    const service = [...loaded("service/main.ts")]
    assert.include(service, "service/admin/AdminSocket.ts")
    assert.deepStrictEqual(service.filter(isCommandLine), [])
  })
  it("is not what a command loads: no server, no worker", () => {
    const command = [...loaded("service/admin/cli/main.ts")]
    assert.isAbove(command.filter(isCommandLine).length, 5)
    assert.include(command, "service/admin/Commands.ts")
    assert.deepStrictEqual(command.filter((path) => ["service/App.ts", "service/tasks/Worker.ts"].includes(path)), [])
  })
})
