/** Hosts, addresses, and the images on hosts. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import { resolve } from "node:path"
import type { CheckResult } from "../../provisioning/CheckResult.ts"
import { reject } from "../CommandRejected.ts"
import { commandFor, present, withoutAbsent } from "./AdminCommand.ts"
import { optional, toggle } from "./Flags.ts"

const name = Argument.String("name").pipe(Argument.withDescription("Name of the host, like alpha"))
const dataCentre = Flag.String("data-centre").pipe(Flag.withDescription("Label of a data centre of the catalogue"))

const sharedStorage = optional(
  Flag.String("shared-storage"),
  "A name that you choose, the same for all hosts whose pools are one storage (NFS, Ceph)"
)

const BACKUPS = {
  backup_pool: optional(
    Flag.String("backup-pool"),
    "Another storage pool, for backups (default: the pool of the disks)"
  ),
  shared_backups: optional(
    Flag.String("shared-backups"),
    "A name that you choose, the same for all hosts whose backup pools are one storage"
  )
}

/** Memory of a small host's own system. */
const RESERVED_MIB = 1_024

const addHost = commandFor("hosts.add", {
  name,
  data_centre: dataCentre,
  uri: Flag.String("uri").pipe(
    Flag.withDescription("unix:/run/libvirt/libvirt-sock, or tls:host.internal:16514 for another computer")
  ),
  certificates: optional(
    Flag.String("certificates"),
    "For tls: a folder with cacert.pem, clientcert.pem and clientkey.pem"
  ),
  pool: Flag.String("pool").pipe(Flag.withDescription("Storage pool for disks"), Flag.withDefault("default")),
  bridge: Flag.String("bridge").pipe(Flag.withDescription("Network bridge of the guests"), Flag.withDefault("br0")),
  shared_storage: sharedStorage,
  ...BACKUPS,
  accelerator: Flag.Literals("accelerator", ["kvm", "qemu"]).pipe(
    Flag.withDescription("qemu emulates the CPU, which is slow: for tests"),
    Flag.withDefault("kvm" as const)
  ),
  overcommit: Flag.Finite("overcommit").pipe(
    Flag.withDescription("Virtual CPUs to sell for each CPU of the host"),
    Flag.withDefault(4)
  ),
  reserved_mib: Flag.Int("reserved-mib").pipe(
    Flag.withDescription("Memory in MiB for the host's own system"),
    Flag.withDefault(RESERVED_MIB)
  )
}, {
  description: "Add a host that runs instances; connects to it, and reads its capacity",
  example: "hosts add alpha --data-centre Helsinki --uri unix:/run/libvirt/libvirt-sock --pool default --bridge br0"
})

const setHost = commandFor("hosts.set", {
  name,
  ...BACKUPS,
  no_backup_pool: toggle("no-backup-pool", "Store backups in the pool of the disks again"),
  shared_storage: sharedStorage
}, {
  description: "Change the storage of a host: its pool for backups, and what it shares with other hosts",
  example: "hosts set alpha --backup-pool backups --shared-backups nas"
})

const listHosts = commandFor("hosts.list", {}, { description: "List hosts by name, with used and total capacity" })

/** Fails after the table, so that scripts notice. */
const assertOk = (subject: string, checks: ReadonlyArray<CheckResult>) => {
  const failed = checks.filter(({ ok }) => !ok).map(({ check }) => check)
  return failed.length === 0 ? Effect.void : reject(`${subject} failed: ${failed.join(", ")}.`)
}

const checkHost = Command.make(
  "check",
  { name },
  (input) => Effect.flatMap(present("hosts.check", input), (checks) => assertOk(`Host ${input.name}`, checks))
).pipe(
  Command.withDescription("Check a host: connection, pools, filter, images, and a trial machine that is removed"),
  Command.withExamples([{ command: "vps-service admin hosts check alpha" }])
)

const drainHost = commandFor("hosts.drain", { name }, {
  description: "Place no more instances on a host; those on it continue to run",
  example: "hosts drain alpha"
})

const activateHost = commandFor("hosts.activate", { name }, {
  description: "Place instances on a drained host again",
  example: "hosts activate alpha"
})

const evacuateHost = commandFor("hosts.evacuate", {
  name,
  dry_run: toggle("dry-run", "Only show each instance's new host and downtime")
}, {
  description: "Drain a host, and move its instances to others: live on shared storage, else with a restart",
  example: "hosts evacuate alpha --dry-run"
})

const fenceHost = commandFor("hosts.fence", {
  name,
  confirmed_off: toggle("confirmed-off", "You made sure that the host is off and stays off"),
  from_backups: toggle(
    "from-backups",
    "Also from backups: you accept the losses that the command without this flag has listed"
  )
}, {
  description: "Bring the instances of a host that is off up on others, from shared storage or backups",
  example: "hosts fence alpha --confirmed-off"
})

export const hosts = Command.make("hosts").pipe(
  Command.withDescription("Add, list, check, drain and evacuate the hosts of the libvirt driver"),
  Command.withSubcommands([addHost, setHost, listHosts, checkHost, drainHost, activateHost, evacuateHost, fenceHost])
)

const addPool = commandFor("addresses.add", {
  network: Argument.String("network").pipe(Argument.withDescription("A network, like 203.0.113.0/24 or 2001:db8::/64")),
  gateway: Flag.String("gateway").pipe(Flag.withDescription("The guests' gateway in this network")),
  data_centre: dataCentre
}, {
  description: "Add a network whose addresses instances get",
  example: "addresses add 203.0.113.0/24 --gateway 203.0.113.1 --data-centre Helsinki"
})

const listPools = commandFor("addresses.list", {}, { description: "List networks, with assigned addresses" })

const listNeighbors = commandFor("addresses.neighbors", {}, {
  description: "List the MAC of each IPv6 address, for static entries on the router"
})

export const addresses = Command.make("addresses").pipe(
  Command.withDescription("Add and list the addresses of instances"),
  Command.withSubcommands([addPool, listPools, listNeighbors])
)

const repair = toggle("repair", "Set the default record of addresses that have none")

const checkRdns = Command.make(
  "check",
  { repair },
  (input) => Effect.flatMap(present("rdns.check", input), (checks) => assertOk("Reverse DNS", checks))
).pipe(
  Command.withDescription("Check the name server of PTR records: connection, zones, and a record for each address"),
  Command.withExamples([{ command: "vps-service admin rdns check --repair" }])
)

export const rdns = Command.make("rdns").pipe(
  Command.withDescription("Check the name server of PTR records"),
  Command.withSubcommands([checkRdns])
)

const importImage = Command.make(
  "import",
  {
    name: Argument.String("name").pipe(
      Argument.withDescription("Slug of an image, file name of an ISO, or rescue for the rescue system")
    ),
    file: Flag.String("file").pipe(Flag.withDescription("A qcow2 image, or an ISO")),
    sha256: Flag.String("sha256").pipe(Flag.withDescription("Its digest, as sha256sum prints it")),
    kind: Flag.Literals("kind", ["disk", "iso"]).pipe(
      Flag.withDescription("iso for ISOs and the rescue system"),
      Flag.withDefault("disk" as const)
    ),
    host: optional(Flag.String("host"), "Only this host (default: all)")
  },
  ({ file, host, ...input }) =>
    present("images.import", {
      ...input,
      // The service, which reads the file, has another working folder.
      file: resolve(file),
      ...withoutAbsent({ host: host as Option.Option<string> })
    })
).pipe(
  Command.withDescription("Upload an image or ISO to the hosts, once its digest is verified"),
  Command.withExamples([{ command: "vps-service admin images import debian-12 --file debian-12.qcow2 --sha256 ..." }])
)

export const images = Command.make("images").pipe(
  Command.withDescription("List images; change them with \"catalogue import\", and upload them to hosts"),
  Command.withSubcommands([
    commandFor("images.list", {}, { description: "List images by id" }),
    importImage
  ])
)
