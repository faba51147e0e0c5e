/** The report as text: the orphans, their costs, and the ways to handle them. */
import { nameOf } from "../definition/Properties.ts"
import { formatAmount } from "../purchase/Money.ts"
import { autoRenewAdvice } from "../api/Panel.ts"
import type { Orphan, OrphanReport } from "./Orphans.ts"

const cost = ({ auto_renew, billing_cycle, expires_at, renewal_price }: Orphan, currency: string | undefined): string =>
  auto_renew
    ? `renews for ${formatAmount(renewal_price, currency)} ${billing_cycle}, next on ${expires_at}`
    : `paid until ${expires_at}, does not renew`

const advice = ({ bought_by, id, service_id }: Orphan, panel: string | undefined): string =>
  bought_by === null
    ? `to manage it: new Instance("...", { serviceId: ${service_id}, adoptInstanceId: ${id} }); `
      + `to end its charges: ${autoRenewAdvice("off", id, panel)}`
    : `bought by an interrupted update of ${
      nameOf(bought_by.urn)
    } (${bought_by.source}): run \`pulumi up\` there to adopt it`

const orphanText = (currency: string | undefined, panel: string | undefined) => (orphan: Orphan): string => {
  const { created_at, hostname, id, ipv4, plan, status } = orphan
  const names = [hostname, ipv4].filter((one) => one !== null).join(", ")
  return `  instance ${id}${names === "" ? "" : ` (${names})`}: ${plan}, ${status}, bought on ${created_at}\n`
    + `    ${cost(orphan, currency)}\n    ${advice(orphan, panel)}\n`
}

const section = (title: string, lines: ReadonlyArray<string>): string =>
  lines.length === 0 ? "" : `${title}\n${lines.join("")}`

/** Plain text, some lines per instance. `panel` is the service's `panel_url`; without it, the text names the host. */
export const describeOrphans = (report: OrphanReport, currency?: string, panel?: string): string => {
  const { account_id, foreign, missing, orphans, sources } = report
  const compared = sources.length === 1 ? sources[0] : `${sources.length} states`
  const [count, verb] = orphans.length === 1 ? ["1 instance", "is"] : [`${orphans.length} instances`, "are"]
  return [
    orphans.length === 0
      ? `Every instance you pay for in account ${account_id} is in ${compared}.\n`
      : section(
        `${count} in account ${account_id} ${verb} not in ${compared}:`,
        orphans.map(orphanText(currency, panel))
      ),
    section(
      "In a state, but no longer in the account (`pulumi refresh` removes them):",
      missing.map(({ id, source, urn }) => `  instance ${id}: ${nameOf(urn)} (${source})\n`)
    ),
    section(
      `In a state, but in another account than ${account_id} (use that account's key to compare them):`,
      foreign.map(({ id, source, urn, user_id }) =>
        `  instance ${id}: ${nameOf(urn)} (${source}), account ${user_id}\n`
      )
    )
  ].join("")
}
