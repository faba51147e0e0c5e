/** The hashes that connect the entries of the audit log. */
import { hash } from "node:crypto"
import type { AuditEntry } from "../domain/AuditEntry.ts"

/** `previous` of the first entry. */
export const START = "0".repeat(64)

/**
 * SHA-256 of a JSON array of an entry's fields in this order, without spaces. It must not change: `docs/admin.md`
 * documents it, so that an export can be verified without this program.
 */
export const hashOf = (entry: Omit<AuditEntry, "hash">): string => {
  const { actor } = entry
  const fields = [
    entry.seq,
    entry.at,
    actor.kind,
    actor.personId,
    actor.name,
    actor.from,
    actor.requestId,
    entry.action,
    entry.accountId,
    entry.instanceId,
    entry.details,
    entry.outcome,
    entry.error,
    entry.previous
  ]
  return hash("sha256", JSON.stringify(fields), "hex")
}
