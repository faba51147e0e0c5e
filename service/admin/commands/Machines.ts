/** The command that compares instances with the machines on hosts. */
import * as Effect from "effect/Effect"
import type { Finding } from "../../domain/Finding.ts"
import { findDifferences, repair } from "../../operations/MachineAudit.ts"
import { idOf } from "../../provisioning/Driver.ts"
import type { InputOf } from "../../contract/operator/Commands.ts"
import type { UseCases } from "../UseCases.ts"

const toRecord = (finding: Finding, repaired: ReadonlyArray<Finding>) => ({
  kind: finding.kind,
  machine: finding.tag,
  instance_id: finding.tag === null ? null : idOf(finding.tag) ?? null,
  hosts: finding.hosts,
  detail: finding.detail,
  repair: finding.repair,
  repaired: repaired.includes(finding)
})

const auditMachines = Effect.fnUntraced(function*(input: InputOf<"machines.audit">) {
  const findings = yield* findDifferences("all")
  const repaired = input.repair ? yield* repair(findings) : []
  return findings.map((finding) => toRecord(finding, repaired))
})

export const MACHINES_USE_CASES = {
  "machines.audit": auditMachines
} satisfies UseCases
