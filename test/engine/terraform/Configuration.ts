/**
 * The configuration of a scenario's program: it runs with classes that record their resources, so that one table of
 * scenarios serves all hosts. An output of a resource is an expression, such as "${vps_instance.web.ipv4}".
 */
import { createHash } from "node:crypto"
import { runInNewContext } from "node:vm"
import { snake } from "#provider/terraform-host/TerraformWords"

type Values = Readonly<Record<string, unknown>>

/** An expression; a property of it is a longer one. */
const expression = (path: string): unknown =>
  new Proxy(() => undefined, {
    get: (_, name) => {
      if (name === "toJSON" || name === Symbol.toPrimitive) return () => `\${${path}}`
      if (name === "apply") return (work: (value: unknown) => unknown) => work(expression(path))
      return /^\d+$/.test(String(name)) ? expression(`${path}[${String(name)}]`) : expression(
        `${path}.${snake(String(name))}`
      )
    }
  })

const TYPES = {
  Instance: "vps_instance",
  Snapshot: "vps_snapshot",
  ReverseDns: "vps_reverse_dns",
  SnapshotRestore: "vps_snapshot_restore",
  BackupRestore: "vps_backup_restore"
} as const

export type TypeName = keyof typeof TYPES
export const NAMES = Object.fromEntries(Object.entries(TYPES).map(([name, type]) => [type, name])) as Readonly<
  Record<string, TypeName>
>

/** The differences between the hosts. A password is written only, so that no state has it. */
const ADAPTED: Readonly<Record<TypeName, (name: string, args: Values) => Values>> = {
  Instance: (name, { rootPassword, ...args }) => ({
    name,
    ...args,
    ...(rootPassword === undefined ? {} : {
      rootPasswordWo: rootPassword,
      rootPasswordWoVersion: createHash("sha256").update(String(rootPassword)).digest().readUInt16BE()
    })
  }),
  Snapshot: (_, args) => ({ onDelete: "delete", ...args }),
  ReverseDns: (_, { onDelete, ...args }) => ({ ...args, ...(onDelete === undefined ? {} : onDelete as Values) }),
  SnapshotRestore: (_, args) => args,
  BackupRestore: (_, args) => args
}

const inSnakeCase = (args: Values): Values =>
  Object.fromEntries(Object.entries(args).map(([name, value]) => [snake(name), value]))

type Blocks = Record<string, Record<string, unknown>>

const recorder = (resources: Blocks, data: Blocks) => ({
  ...Object.fromEntries(
    (Object.keys(TYPES) as Array<TypeName>).map((kind) => [
      kind,
      function(name: string, args: Values, { dependsOn = [] }: { dependsOn?: ReadonlyArray<object> } = {}) {
        const type = TYPES[kind]
        const others = [dependsOn].flat().map((one) => JSON.stringify(one).slice(3, -2))
        const more = others.length === 0 ? {} : { depends_on: others }
        resources[type] = { ...resources[type], [name]: { ...inSnakeCase(ADAPTED[kind](name, args)), ...more } }
        return expression(`${type}.${name}`)
      }
    ])
  ),
  getBackupsOutput: (args: Values) => {
    data["vps_backups"] = { all: inSnakeCase(args) }
    return expression("data.vps_backups.all.backups")
  }
})

/** The text of `main.tf.json`. */
export const configurationOf = (source: string, address: string): string => {
  const [resource, data]: [Blocks, Blocks] = [{}, {}]
  const code = source.replaceAll(/^import .*$/gm, "").replaceAll(/^export const (\w+) =/gm, "exports.$1 =")
  const exports: Record<string, unknown> = {}
  runInNewContext(code, { vps: recorder(resource, data), exports })
  const output = Object.fromEntries(Object.entries(exports).map(([name, value]) => [name, { value }]))
  const terraform = { required_providers: { vps: { source: address } } }
  // An empty object would be a block without a label.
  const blocks = Object.entries({ resource, data, output }).filter(([, block]) => Object.keys(block).length > 0)
  return JSON.stringify({ terraform, provider: { vps: {} }, ...Object.fromEntries(blocks) }, null, 2)
}
