/** Every limit is set by the environment (service.md §6): a process is told another value for each of them. */
import { describe, expect, it } from "vitest"
import { runCommand } from "../support/command.ts"

interface Explained {
  readonly name: string
  readonly value: number
  readonly source: string
}

/** The limits that a process of this environment has; the names of those that it refuses instead. */
const limitsOf = async (env: Record<string, string>) => {
  const { code, stderr, stdout } = await runCommand(["config", "-o", "json"], { env })
  if (code !== 0) return { refused: [...stderr.matchAll(/VPS_SERVICE_(\w+) should be/g)].map(([, name]) => name!) }
  const explained = JSON.parse(stdout) as ReadonlyArray<Explained>
  return { limits: explained.filter(({ name }) => /^[A-Z]/.test(name)) }
}

const environment = (wanted: ReadonlyMap<string, number>) =>
  Object.fromEntries([...wanted].map(([name, value]) => [`VPS_SERVICE_${name}`, String(value)]))

describe("a limit", () => {
  it("is what its variable says, for every one of them", async () => {
    const { limits } = await limitsOf({})
    expect(limits!.length).toBeGreaterThan(60)
    expect(limits!.filter(({ source }) => source !== "default")).toEqual([])
    // One more than usual, and one less of those that may not be more.
    const wanted = new Map(limits!.map(({ name, value }) => [name, value + 1]))
    const { refused = [] } = await limitsOf(environment(wanted))
    for (const name of refused) wanted.set(name, wanted.get(name)! - 2)
    const { limits: set } = await limitsOf(environment(wanted))
    expect(set).toHaveLength(limits!.length)
    expect(new Map(set!.map(({ name, value }) => [name, value]))).toEqual(wanted)
    expect(set!.filter(({ name, source }) => source !== `VPS_SERVICE_${name}`)).toEqual([])
  })
})
