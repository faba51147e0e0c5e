/** The instances that were deleted lately, below the list. */
import type { ContractsRecord } from "../../../contract/AccountCalls.ts"
import { AskHost } from "../../components/Brand.tsx"
import { Section } from "../../components/Page.tsx"
import { type Column, Table } from "../../components/Table.tsx"
import { Named, When } from "../../components/Values.tsx"

type EndedInstance = ContractsRecord["ended"][number]

const COLUMNS: ReadonlyArray<Column<EndedInstance>> = [
  {
    key: "name",
    title: "Name",
    cell: ({ hostname, instance_id: id, plan }) => (
      <Named note={`${plan}, instance ${id}`}>{hostname ?? `Instance ${id}`}</Named>
    )
  },
  {
    key: "why",
    title: "Why",
    narrow: "line",
    cell: ({ by_host: byHost, expired_at: end }) =>
      byHost
        ? "Your host has ended it."
        : (
          <>
            Its paid period ended on <When at={end} day />, and nothing paid for the next one in time.
          </>
        )
  },
  {
    key: "at",
    title: "Deleted",
    narrow: "first",
    cell: ({ deleted_at: at }) => at === null ? "now" : <When at={at} day />
  }
]

export const Ended = ({ ended }: { readonly ended: ReadonlyArray<EndedInstance> }) => (
  <div class="after-list">
    <Section
      title="Deleted in the last 30 days"
      note={
        <>
          With all data, snapshots, and backups. <AskHost>Ask your host</AskHost> if you have a question about it.
        </>
      }
    >
      <Table label="Deleted instances" columns={COLUMNS} rows={ended} idOf={({ instance_id: id }) => id} />
    </Section>
  </div>
)
