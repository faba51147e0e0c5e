/** A reader of the documents, with npm's packages and this tree's, an SSH key, and an empty `pulumi`. */
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { pulumiAt } from "./guide.ts"
import { Reader } from "./reader.ts"
import type { Registry } from "./registry.ts"
import { homeWithKey } from "./sshKey.ts"

/** ms; an installation downloads Pulumi's SDK, each pulumi command takes some 5 s, and a Go program is compiled. */
export const READER_TIMEOUT = 600_000

/** @param env further variables of the reader's environment */
export const documentReader = (
  work: string,
  registry: Registry,
  env: Readonly<Record<string, string>> = {}
): Reader => {
  const reader = new Reader(work, (home) => ({
    ...pulumiAt(home),
    npm_config_registry: registry.url,
    npm_config_prefix: home,
    npm_config_cache: join(work, "npm"),
    npm_config_update_notifier: "false",
    ...env
  }))
  homeWithKey(reader.home)
  return reader
}

/** The SSH keys of the machines in the database of a service that has ended. */
export const sshKeysIn = (path: string): ReadonlyArray<string | null> => {
  const database = new DatabaseSync(path, { readOnly: true })
  const keys = database.prepare("SELECT ssh_key FROM simulated_machines ORDER BY id").all()
  database.close()
  return keys.map(({ ssh_key: key }) => key as string | null)
}
