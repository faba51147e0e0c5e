/** Calls of the API as one line each, as tests count and compare them. */
import type { Api } from "#provider/api/Api"

/** Arguments of a call that name it in `calls`, where there is more than one; request ids are left out. */
const NAMED: Partial<Record<keyof Api, number>> = {
  hostname: 2,
  rdns: 3,
  resize: 2,
  reinstall: 2,
  isoMount: 2,
  snapshotCreate: 2,
  snapshotRestore: 2,
  snapshotDelete: 2,
  backupRestore: 2
}

const textOf = (value: unknown): string => typeof value === "object" ? JSON.stringify(value) : String(value)

export const callName = (operation: keyof Api, args: ReadonlyArray<unknown>): string => {
  if (operation === "dryRun") {
    const [body, key] = args as Parameters<Api["dryRun"]>
    return `dryRun ${body.service_id}${key === undefined ? "" : " own key"}`
  }
  return [operation, ...args.slice(0, NAMED[operation] ?? 1).map(textOf)].join(" ")
}
