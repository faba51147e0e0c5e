/** The report for people: what there is, what it costs, and what to do about it. */
import { formatAmount } from "../purchase/Money.ts"
import { nameOf } from "../definition/Properties.ts"
import type { Orphan, OrphanReport } from "./Orphans.ts"

const cost = ({ auto_renew, billing_cycle, expires_at, renewal_price }: Orphan): string =>
  auto_renew
    ? `renews itself for ${formatAmount(renewal_price, undefined)} ${billing_cycle}, next on ${expires_at}`
    : `is paid until ${expires_at} and does not renew itself`

const advice = ({ bought_by, id, service_id }: Orphan): string =>
  bought_by === null
    ? `to manage it: new Instance("...", { serviceId: ${service_id}, adoptInstanceId: ${id} }); `
      + "to end its charges: switch auto_renew off in the panel"
    : `an interrupted update of ${nameOf(bought_by.urn)} (${bought_by.source}) bought it: \`pulumi up\` there takes it`

const orphanText = (orphan: Orphan): string => {
  const { created_at, hostname, id, ipv4, plan, status } = orphan
  const names = [hostname, ipv4].filter((one) => one !== null).join(", ")
  return `  server ${id}${names === "" ? "" : ` (${names})`}: ${plan}, ${status}, bought on ${created_at}\n`
    + `    ${cost(orphan)}\n    ${advice(orphan)}\n`
}

const section = (title: string, lines: ReadonlyArray<string>): string =>
  lines.length === 0 ? "" : `${title}\n${lines.join("")}`

/** Plain text, some lines per server. */
export const describeOrphans = ({ account_id, foreign, missing, orphans, sources }: OrphanReport): string => {
  const compared = sources.length === 1 ? sources[0] : `${sources.length} states`
  const count = orphans.length === 1 ? "1 server stands" : `${orphans.length} servers stand`
  return [
    orphans.length === 0
      ? `Every server of account ${account_id} that costs anything stands in ${compared}.\n`
      : section(`${count} in account ${account_id}, and not in ${compared}:`, orphans.map(orphanText)),
    section(
      "In a state, and no longer in the account (`pulumi refresh` takes them out):",
      missing.map(({ id, source, urn }) => `  server ${id}: ${nameOf(urn)} (${source})\n`)
    ),
    section(
      `In a state, but of another account than ${account_id}; use its key to compare these:`,
      foreign.map(({ id, source, urn, user_id }) => `  server ${id}: ${nameOf(urn)} (${source}), account ${user_id}\n`)
    )
  ].join("")
}
