/** The database that every system starts from: made by the service itself, through its API. */
import { Process } from "./Process.ts"
import { emulator, type System } from "./systems.ts"
import { PLAN } from "./works.ts"

/** Enough that random reads do not all hit the same page; the shared peers are measured with as many. */
export const INSTANCES = 1_000

/** Enough money, in EUR, for every create of the longest run. */
const WALLET = 1_000_000_000
/** Creates in the benchmark wait for a worker, as they do in the peer, which has none. */
const NEVER_MILLIS = 24 * 3_600_000
const POLL_MILLIS = 50

const ok = ({ body, status }: { status: number; body: unknown }): unknown => {
  if (status >= 300) throw new Error(`seed: ${status} ${JSON.stringify(body)}`)
  return body
}

const deployed = async (server: Process): Promise<boolean> => {
  const instances = ok(await server.ask("GET", "/instances")) as Array<{ provider_id: string | null }>
  return instances.length === INSTANCES && instances.every(({ provider_id }) => provider_id !== null)
}

/** Fills `database` (a path that does not exist yet) and leaves it at rest. */
export const seed = async (database: string, system: System = emulator): Promise<void> => {
  const server = await Process.start(system, database, "/whoami")
  const deploy = (setting: object) => server.ask("PUT", "/_emulator/deploy", JSON.stringify(setting)).then(ok)
  await deploy({ mode: "instant" })
  ok(await server.ask("POST", "/_emulator/wallet", JSON.stringify({ amount: WALLET })))
  for (let number = 1; number <= INSTANCES; number++) {
    const body = JSON.stringify({ service_id: PLAN, hostname: `host-${number}.example.com`, os: "debian-12" })
    ok(await server.ask("POST", "/instances", body, { "idempotency-key": `seed-${number}` }))
  }
  while (!await deployed(server)) await new Promise((resolve) => setTimeout(resolve, POLL_MILLIS))
  await deploy({ mode: "after_ms", value: NEVER_MILLIS })
  await server.stop()
}
