/** The hosts of the machines: state, capacity and use, draining and emptying, and the pools of addresses. */
import { useState } from "preact/hooks"
import { act, execute, type ResponseOf, type RowOf, useCommand, useRead } from "../../api/calls.ts"
import { bytes, percent, short } from "../../api/format.ts"
import { ActionButton } from "../../components/ActionButton.tsx"
import type { ButtonProps } from "../../components/Button.tsx"
import { present, SelectField, TextField, type Values } from "../../components/Form.tsx"
import { Confirm, FormDialog } from "../../components/FormDialog.tsx"
import { actionsOf, type Column, List } from "../../components/Table.tsx"
import { Page } from "../../components/Page.tsx"
import { Named, Status, When } from "../../components/Values.tsx"
import { Bar } from "../customer/Usage.tsx"
import { Evacuate, Fence, isLost, type Moved, Moves } from "./Evacuation.tsx"

const MIB = 1_048_576
const GIB = 1_073_741_824

const shareOf = (used: number, total: number): number => total === 0 ? 0 : 100 * used / total

type Host = RowOf<"hosts.list">

interface UseProps {
  readonly name: string
  readonly of: Host["cpus"]
  readonly unit?: number
}

const Use = ({ name, of: { total, used }, unit }: UseProps) => {
  const shown = (count: number) => unit === undefined ? String(count) : bytes(count * unit)
  return <Bar name={name} share={shareOf(used, total)} text={`${shown(used)} of ${shown(total)}`} />
}

type HostUse = ResponseOf<"GET /operator/hosts/use">[number]

/** The sum of the samples of what runs there. */
const Now = ({ use: { cpus, instances, measured, memory_bytes: memory } }: { readonly use: HostUse }) => (
  <>
    <span>
      Used now: <span class="number">{short(cpus)} vCPU, {bytes(memory)}</span>
    </span>
    <span class="muted second">
      {measured} of {instances} instances measured
    </span>
  </>
)

interface HostUseProps {
  readonly host: Host
  readonly use: HostUse | undefined
}

const HostUseCell = ({ host: { cpus, disk_gib, memory_mib }, use }: HostUseProps) => (
  <div class="usage">
    <Use name="CPU" of={cpus} />
    <Use name="Mem" of={memory_mib} unit={MIB} />
    <Use name="Disk" of={disk_gib} unit={GIB} />
    {use !== undefined && <Now use={use} />}
  </div>
)

const Placement = ({ host: { name, state } }: { readonly host: Host }) =>
  state === "active"
    ? (
      <Confirm
        action="Drain"
        kind="quiet"
        question={`Drain ${name}?`}
        run={act("hosts.drain", { name }, `${name} gets no new instances.`)}
      >
        <p>It gets no new instances from now on. Those on it stay and keep running.</p>
      </Confirm>
    )
    : (
      <ActionButton kind="quiet" run={act("hosts.activate", { name }, `${name} gets new instances again.`)}>
        Activate
      </ActionButton>
    )

const FIRST: ReadonlyArray<Column<Host>> = [
  {
    key: "name",
    title: "Name",
    by: ({ name }) => name,
    cell: ({ name, uri }) => <Named note={<code>{uri}</code>}>{name}</Named>
  },
  {
    key: "state",
    title: "State",
    by: ({ state }) => state,
    cell: ({ state, unreachable_since: since }) => (
      <>
        <Status value={since === null ? state : "failed"} />
        {since !== null && (
          <span class="bad second">
            not reachable since <When at={since} />
          </span>
        )}
      </>
    )
  }
]

const PLACE: Column<Host> = {
  key: "pool",
  title: "Storage and network",
  cell: ({ backup_pool: backups, bridge, pool, shared_backups: shared }) => (
    <Named
      note={backups === null
        ? "backups beside the disks"
        : `backups in ${backups}${shared === null ? "" : ", shared"}`}
    >
      {`${pool}, ${bridge}`}
    </Named>
  )
}

const columnsOf = (
  uses: ReadonlyArray<HostUse>,
  onMoved: (moved: Moved) => void
): ReadonlyArray<Column<Host>> => [
  ...FIRST,
  {
    key: "use",
    title: "Reserved and used",
    cell: (host) => <HostUseCell host={host} use={uses.find(({ name }) => name === host.name)} />
  },
  PLACE,
  actionsOf((host) => (
    <>
      <Placement host={host} />
      {isLost(host) ? <Fence name={host.name} onMoved={onMoved} /> : <Evacuate name={host.name} onMoved={onMoved} />}
    </>
  ))
]

/** Below this share, an operator should add a network. */
const FREE_MIN = 10

const Free = ({ pool: { addresses, assigned } }: { readonly pool: RowOf<"addresses.list"> }) => {
  if (addresses === null) return <span class="muted">made with instances</span>
  const free = addresses - assigned
  const share = shareOf(free, addresses)
  return (
    <>
      <span class={share < FREE_MIN ? "number bad" : "number"}>{free} ({percent(share)})</span>
      {share < FREE_MIN && <span class="bad second">Add a network soon.</span>}
    </>
  )
}

const POOL_COLUMNS: ReadonlyArray<Column<RowOf<"addresses.list">>> = [
  { key: "network", title: "Name", by: ({ network }) => network, cell: ({ network }) => <code>{network}</code> },
  { key: "gateway", title: "Gateway", cell: ({ gateway }) => <code>{gateway}</code> },
  {
    key: "use",
    title: "Assigned",
    cell: ({ addresses, assigned }) =>
      addresses === null
        ? <span class="number">{assigned}</span>
        : <Bar name="IPs" share={shareOf(assigned, addresses)} text={`${assigned} of ${addresses}`} />
  },
  { key: "free", title: "Free", cell: (pool) => <Free pool={pool} /> }
]

const DataCenters = () => {
  const { data } = useCommand("catalogue.export")
  return (
    <SelectField name="data_center" label="Data center" required>
      {data?.data_centers.map(({ id, label }) => <option key={id} value={label}>{label}</option>)}
    </SelectField>
  )
}

const AddPool = () => {
  const add = async ({ required: { text } }: Values) => {
    const input = { network: text("network"), gateway: text("gateway"), data_center: text("data_center") }
    await execute("addresses.add", input)
    return `${input.network} is added.`
  }
  return (
    <FormDialog action="Add a network" icon="plus" heading="Add a network" submit="Add" onSubmit={add}>
      <TextField name="network" label="Network" required maxLength={255} placeholder="203.0.113.0/24" />
      <TextField name="gateway" label="Gateway" required maxLength={255} placeholder="203.0.113.1" />
      <DataCenters />
    </FormDialog>
  )
}

const OVERCOMMIT = 4
/** Memory of a small host's own system. */
const RESERVED_MIB = 1_024

/** Connects to the host, and reads its size. */
export const AddHost = ({ kind = "plain", off }: Pick<ButtonProps, "kind" | "off">) => {
  const add = async ({ required: { number, text }, text: optional }: Values) => {
    const { name } = await execute(
      "hosts.add",
      present({
        name: text("name"),
        data_center: text("data_center"),
        uri: text("uri"),
        certificates: optional("certificates"),
        pool: text("pool"),
        bridge: text("bridge"),
        accelerator: "kvm" as const,
        overcommit: number("overcommit"),
        reserved_mib: number("reserved_mib")
      })
    )
    return `${name} is added. Check it next: vps-service admin hosts check ${name}`
  }
  return (
    <FormDialog action="Add a host" icon="plus" kind={kind} off={off} heading="Add a host" submit="Add" onSubmit={add}>
      <div class="fields">
        <TextField
          name="name"
          label="Name"
          required
          pattern="[a-z][a-z0-9\-]*"
          maxLength={63}
          placeholder="alpha"
          hint="Lower-case letters, digits and hyphens"
        />
        <DataCenters />
      </div>
      <TextField
        name="uri"
        label="Address of libvirt"
        required
        maxLength={255}
        placeholder="tls:host.internal:16514"
        hint="For this computer: unix:/run/libvirt/libvirt-sock"
      />
      <TextField
        name="certificates"
        label="Folder with certificates"
        maxLength={255}
        hint="For tls, on the computer of the service: cacert.pem, clientcert.pem and clientkey.pem"
      />
      <div class="fields">
        <TextField name="pool" label="Storage pool" required maxLength={255} defaultValue="default" />
        <TextField name="bridge" label="Network bridge" required maxLength={255} defaultValue="br0" />
        <TextField
          name="overcommit"
          label="Virtual CPUs for each CPU"
          type="number"
          min={1}
          max={32}
          step={0.1}
          required
          defaultValue={OVERCOMMIT}
        />
        <TextField
          name="reserved_mib"
          label="Memory for the host itself, in MiB"
          type="number"
          min={0}
          required
          defaultValue={RESERVED_MIB}
        />
      </div>
      <p class="hint">Shared storage and a pool for backups: vps-service admin hosts set</p>
    </FormDialog>
  )
}

export const Hosts = () => {
  const { data: uses = [] } = useRead("/operator/hosts/use")
  const [moved, setMoved] = useState<Moved>()
  return (
    <Page title="Hosts">
      {moved !== undefined && <Moves {...moved} />}
      <List
        title="Hosts"
        note="The hypervisors that instances run on."
        actions={<AddHost />}
        query={useCommand("hosts.list")}
        lines={4}
        columns={columnsOf(uses, setMoved)}
        idOf={({ name }) => name}
        empty={{
          icon: "hosts",
          title: "No hosts",
          advice: "Simulated instances need none."
        }}
      />
      <List
        title="Addresses"
        note="Networks whose addresses new instances get."
        actions={<AddPool />}
        query={useCommand("addresses.list")}
        columns={POOL_COLUMNS}
        idOf={({ network }) => network}
        empty={{ icon: "hosts", title: "No networks", advice: "Add one before you sell instances on real hosts." }}
      />
    </Page>
  )
}
