/** The final check, once everything is done and nothing fails any more: our data and the upstream agree. */
import { machineTag } from "#service/persistence/MachineTag"
import type { Value } from "#service/persistence/Sql"
import type { Store } from "./Storage.ts"
import { must } from "./ReferenceModel.ts"
import type { Upstream } from "./Upstream.ts"

/** Instances that have a machine, with what they are paid for; and those that have none any more. */
const INSTANCES = `SELECT ${machineTag("i")}, i.lifecycle, p.slug, d.file_name
  FROM instances i JOIN orders o ON o.id = i.order_id JOIN plans p ON p.id = o.plan_id
  LEFT JOIN isos d ON d.id = i.iso_id`

/** Of instances with which nothing ever went wrong, the power as we have it recorded. */
const POWER = `SELECT ${machineTag("i")}, i.power || '/' || i.boot_mode || '/' || i.booted FROM instances i
  WHERE i.lifecycle = 'active'
    AND NOT EXISTS (SELECT 1 FROM tasks t WHERE t.instance_id = i.id AND t.status IN ('failed', 'cancelled'))`

const MACHINE_POWER = "SELECT tag, power || '/' || boot_mode || '/' || booted FROM simulated_machines"

const MACHINES = "SELECT tag, plan, iso FROM simulated_machines"
const IMAGES = "SELECT tag || '/' || name FROM simulated_images WHERE name LIKE 'snapshot-%' ORDER BY 1"
const SNAPSHOTS = `SELECT ${machineTag("i")} || '/snapshot-' || s.id
  FROM snapshots s JOIN instances i ON i.id = s.instance_id WHERE s.status = 'available' ORDER BY 1`

const GONE: ReadonlySet<string> = new Set(["failed", "deleted"])

type InstanceRow = [tag: string, lifecycle: string, plan: string, iso: string | null]
type MachineRow = [tag: string, plan: string, iso: string | null]

/** Fails with what is wrong. What happened to the touched machines since a backup is not in their records. */
export const check = (
  { database: ours }: Store,
  { database: theirs, lost, servers }: Upstream,
  touched: ReadonlySet<string>
): void => {
  const rows = <Row extends ReadonlyArray<Value>>({ all }: typeof ours, sql: string) => all<Row>(sql)()
  const machines = new Map(rows<MachineRow>(theirs, MACHINES).map((row) => [row[0], row]))
  const instances = new Map(rows<InstanceRow>(ours, INSTANCES).map((row) => [row[0], row]))
  for (const [tag, lifecycle, plan, iso] of instances.values()) {
    if (touched.has(tag)) continue
    const machine = machines.get(tag)
    const has = !GONE.has(lifecycle)
    must(
      servers.has(tag) === has && (machine !== undefined) === has,
      "one server per instance, and none without",
      () => `${tag} is ${lifecycle}, and ${machine === undefined ? "has none" : "has one"}`
    )
    if (machine === undefined || lifecycle !== "active") continue
    must(machine[1] === plan, "a server has the plan that is paid", () => `${tag} has ${machine[1]}, paid is ${plan}`)
    must(machine[2] === iso, "a drive holds what we say", () => `${tag} holds ${machine[2]}, our record says ${iso}`)
  }
  for (const tag of servers.keys()) {
    must(
      instances.has(tag) || lost.has(tag),
      "one server per instance, and none without",
      () => `${tag} belongs to nobody`
    )
  }
  const powers = new Map(rows<[string, string]>(theirs, MACHINE_POWER))
  for (const [tag, power] of rows<[string, string]>(ours, POWER)) {
    must(
      touched.has(tag) || powers.get(tag) === power,
      "a server is as we say",
      () => `${tag} is ${powers.get(tag)}, recorded is ${power}`
    )
  }
  const isCompared = ([name]: [string]) => !touched.has(name.split("/")[0]!)
  const [images, snapshots] = [
    rows<[string]>(theirs, IMAGES).filter(isCompared),
    rows<[string]>(ours, SNAPSHOTS).filter(isCompared)
  ]
  must(
    `${images}` === `${snapshots}`,
    "a snapshot has an image, and no image is left over",
    () => `images ${images}; snapshots ${snapshots}`
  )
}
