/** The commands for hosts, the machines on them, and the addresses of instances. */
import * as Schema from "effect/Schema"
import { NullableInt, NullableString, NullableTimestamp, Timestamp } from "@pulumi-vps/contract/Primitives"
import { between, Name, pattern, Use, word } from "../Fields.ts"
import { FINDING_KINDS, HOST_STATES, REPAIRS } from "../Words.ts"
import { acts, argument, flag, optional, reads, toggle } from "./Define.ts"

const ACCELERATORS = ["kvm", "qemu"] as const

const HostName = pattern("be a name of lower-case letters, digits and hyphens, like alpha-1", /^[a-z][a-z\d-]{0,62}$/)

const HostRecord = Schema.Struct({
  name: Schema.String,
  state: Schema.Literals(HOST_STATES),
  unreachable_since: NullableTimestamp,
  uri: Schema.String,
  cpus: Use,
  memory_mib: Use,
  disk_gib: Use,
  /** The disk that can still be sold, by what the pool really has. */
  disk_left_gib: Schema.Int,
  accelerator: Schema.Literals(ACCELERATORS),
  pool: Schema.String,
  bridge: Schema.String,
  shared_storage: NullableString,
  backup_pool: NullableString,
  shared_backups: NullableString
})

/** The outcome of a check. */
const CheckRecord = Schema.Struct({ check: Schema.String, ok: Schema.Boolean, detail: Schema.String })

/** An instance that is taken to another host. */
const MoveRecord = Schema.Struct({
  instance_id: Schema.Int,
  /** Name of its new host; null if it stays. */
  target: NullableString,
  /** The downtime, or the reason for which it stays. */
  detail: Schema.String
})

const name = () => argument(HostName, "name", "Name of the host, like alpha")
const dataCenter = () => flag(Name, "Label of a data center of the catalogue")

/** A name of the operator's, the same for hosts whose pools are the same storage. */
const sharedStorage = () =>
  optional(Name, "A name that you choose, the same for all hosts whose pools are one storage (NFS, Ceph)")

const backups = () => ({
  /** Of the host; not the one of the disks. */
  backup_pool: optional(Name, "Another storage pool, for backups (default: the pool of the disks)"),
  shared_backups: optional(Name, "A name that you choose, the same for all hosts whose backup pools are one storage")
})

const OVERCOMMIT_MAX = 32

/** Memory of a small host's own system. */
const RESERVED_MIB = 1_024

const newHost = () => ({
  name: name(),
  data_center: dataCenter(),
  uri: flag(Name, "unix:/run/libvirt/libvirt-sock, or tls:host.internal:16514 for another computer"),
  certificates: optional(Name, "For tls: a folder with cacert.pem, clientcert.pem and clientkey.pem"),
  pool: flag(Name, "Storage pool for disks", { initial: "default" }),
  bridge: flag(Name, "Network bridge of the guests", { initial: "br0" }),
  shared_storage: sharedStorage(),
  ...backups(),
  accelerator: flag(word(ACCELERATORS), "qemu emulates the CPU, which is slow: for tests", { initial: "kvm" }),
  overcommit: flag(
    Schema.Finite.check(...between(1, OVERCOMMIT_MAX)),
    "Virtual CPUs to sell for each CPU of the host",
    { initial: 4 }
  ),
  reserved_mib: flag(
    Schema.Int.check(...between(0, Number.MAX_SAFE_INTEGER)),
    "Memory in MiB for the host's own system",
    { initial: RESERVED_MIB }
  )
})

const HOSTS = {
  "hosts.add": acts({
    text: "Add a host that runs instances; connects to it, and reads its capacity",
    examples: [
      "hosts add alpha --data-center Helsinki --uri unix:/run/libvirt/libvirt-sock --pool default --bridge br0"
    ],
    input: newHost,
    result: () => HostRecord
  }),
  "hosts.set": acts({
    text: "Change the storage of a host: its pool for backups, and what it shares with other hosts",
    examples: ["hosts set alpha --backup-pool backups --shared-backups nas"],
    input: () => ({
      name: name(),
      ...backups(),
      no_backup_pool: toggle("Store backups in the pool of the disks again"),
      shared_storage: sharedStorage()
    }),
    result: () => HostRecord
  }),
  "hosts.list": reads({
    text: "List hosts by name, with used and total capacity",
    result: () => Schema.Array(HostRecord)
  }),
  "hosts.check": acts({
    text: "Check a host: connection, pools, filter, images, and a trial machine that is removed",
    examples: ["hosts check alpha"],
    input: () => ({ name: name() }),
    result: () => Schema.Array(CheckRecord)
  }),
  "hosts.drain": acts({
    text: "Place no more instances on a host; those on it continue to run",
    examples: ["hosts drain alpha"],
    input: () => ({ name: name() }),
    result: () => HostRecord
  }),
  "hosts.activate": acts({
    text: "Place instances on a drained host again",
    examples: ["hosts activate alpha"],
    input: () => ({ name: name() }),
    result: () => HostRecord
  }),
  "hosts.evacuate": acts({
    text: "Drain a host, and move its instances to others: live on shared storage, else with a restart",
    examples: ["hosts evacuate alpha --dry-run", "hosts evacuate alpha --allow-downtime"],
    input: () => ({
      name: name(),
      dry_run: toggle("Only show each instance's new host and downtime"),
      allow_downtime: Schema.optionalKey(toggle("Restart an instance that cannot move while it runs; else it stays"))
    }),
    unless: ({ dry_run: dryRun }) => dryRun,
    result: () => Schema.Array(MoveRecord)
  }),
  "hosts.fence": acts({
    text: "Bring the instances of a host that is off up on others, from shared storage or backups",
    examples: ["hosts fence alpha --dry-run", "hosts fence alpha --confirmed-off"],
    input: () => ({
      name: name(),
      confirmed_off: toggle("You made sure that the host is off and stays off"),
      from_backups: toggle(
        "Also from backups: you accept the losses that the command without this flag has listed"
      ),
      dry_run: Schema.optionalKey(toggle("Only show what becomes of each instance"))
    }),
    unless: ({ dry_run: dryRun = false }) => dryRun,
    result: () => Schema.Array(MoveRecord)
  }),
  "machines.audit": acts({
    text: "Compare instances with the machines and disks on hosts; nothing is deleted",
    examples: ["machines audit"],
    input: () => ({
      repair: toggle("Repair what is safe, as the service does every 5 minutes: power, and its record")
    }),
    unless: ({ repair }) => !repair,
    result: () =>
      Schema.Array(Schema.Struct({
        kind: Schema.Literals(FINDING_KINDS),
        /** Null for a host. */
        machine: NullableString,
        instance_id: NullableInt,
        hosts: Schema.Array(Schema.String),
        detail: Schema.String,
        /** The repair that is safe without an operator; null if none is. */
        repair: Schema.NullOr(Schema.Literals(REPAIRS)),
        repaired: Schema.Boolean
      })),
    columns: ["kind", "machine", "hosts", "repaired", "detail"]
  }),
  "machines.confirm": acts({
    text: "Let deployments continue that wait since a restore, although machines have no instance",
    examples: ["machines confirm"],
    input: () => ({}),
    result: () =>
      Schema.Struct({
        /** The reason why the database may be older than the hosts. */
        reason: Schema.String,
        since: Timestamp,
        /** Names of guests that have no instance: their ids and addresses are not used. */
        without_instance: Schema.Array(Schema.String)
      })
  })
}

const PoolRecord = Schema.Struct({
  network: Schema.String,
  gateway: Schema.String,
  /** Null for IPv6, whose addresses are made with their instances. */
  addresses: NullableInt,
  assigned: Schema.Int
})

const ADDRESSES = {
  "addresses.add": acts({
    text: "Add a network whose addresses instances get",
    examples: ["addresses add 203.0.113.0/24 --gateway 203.0.113.1 --data-center Helsinki"],
    input: () => ({
      network: argument(Name, "network", "A network, like 203.0.113.0/24 or 2001:db8::/64"),
      gateway: flag(Name, "The guests' gateway in this network"),
      data_center: dataCenter()
    }),
    result: () => PoolRecord
  }),
  "addresses.list": reads({
    text: "List networks, with assigned addresses",
    result: () => Schema.Array(PoolRecord)
  }),
  "addresses.neighbors": reads({
    text: "List the MAC of each IPv6 address, for static entries on the router",
    result: () => Schema.Array(Schema.Struct({ instance_id: Schema.Int, ipv6: Schema.String, mac: Schema.String }))
  }),
  "rdns.check": acts({
    text: "Check the name server of PTR records: connection, zones, and a record for each address",
    examples: ["rdns check --repair"],
    fresh: false,
    input: () => ({ repair: toggle("Set the default record of addresses that have none") }),
    unless: ({ repair }) => !repair,
    result: () => Schema.Array(CheckRecord)
  })
}

export const HOST_COMMANDS = { ...HOSTS, ...ADDRESSES }
