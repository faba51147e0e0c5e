/** The rest of the table: reads, imports, invalid requests, and the end of a run. */
import { UserError } from "#provider/api/Errors"
import { FUNCTIONS } from "#provider/functions/Functions"
import { bought, fields, type Row, row, secret, urn, WEB } from "./table.ts"
import type { CallRecord, Talk } from "./Talk.ts"

/** ms; after it the server that was just bought is deployed. */
const LATER = 60_000

/** A run that imports an instance: the engine reads it, and checks what it has read. */
const imported = async (talk: Talk): Promise<void> => {
  await talk.begin()
  const inputs = fields(await talk.call("read", { id: "1", urn: WEB }), "Inputs")
  await talk.call("check", { urn: WEB, olds: inputs, news: inputs })
}

const READS: Readonly<Record<string, Row>> = {
  "Read: a refresh shows what was changed from outside; secrets stay secrets": row(async (talk) => {
    const { inputs, outputs } = await bought(talk, { serviceId: 1, rootPassword: secret("hunter2-and-more") })
    await talk.env.outside((vps) => vps.instances.hostname(1, { hostname: "other.example.com" }))
    await talk.env.outside((vps) => vps.instances.resize(1, { service_id: 2 }))
    await talk.begin()
    await talk.call("read", { id: "1", urn: WEB, properties: outputs, inputs })
  }),
  "Read: what is gone, and what is another account's": row(async (talk) => {
    const { inputs, outputs } = await bought(talk)
    await talk.env.useOtherAccount()
    await talk.begin()
    await talk.call("read", { id: "1", urn: WEB, properties: outputs, inputs })
    talk.env.useOwnAccount()
    talk.env.override(1, { status: "deleted" })
    await talk.begin()
    await talk.call("read", { id: "1", urn: WEB, properties: outputs, inputs })
  }),
  "Read: an import of an instance, and a diff that finds nothing": row(async (talk) => {
    await talk.env.buy({ service_id: 1, hostname: "web.example.com", os: "debian-13" })
    await talk.env.advance(LATER)
    const seen = await talk.call("read", { id: "1", urn: WEB })
    const [olds, oldInputs] = [fields(seen, "Properties"), fields(seen, "Inputs")]
    const inputs = fields(await talk.call("check", { urn: WEB, olds: oldInputs, news: oldInputs }), "Inputs")
    await talk.call("diff", { id: "1", urn: WEB, olds, oldInputs, news: inputs })
  }),
  "Read: an import of an instance that the stack has under another name": row(async (talk) => {
    await talk.env.buy({ service_id: 1 })
    await talk.env.advance(LATER)
    const held = (urn: string, user_id = 1, id = 1) => ({ urn, id, user_id, facts: {} })
    const others = [held(WEB), held(WEB.replace("::shop::", "::blog::")), held(urn("Instance", "db"), 1, 2)]
    for (const another of [held(urn("Instance", "www"), 2), held(urn("Instance", "www"))]) {
      talk.state = { source: "stack prod", held: [...others, another], pending: [] }
      await imported(talk)
    }
    talk.state = new UserError("stack prod cannot be exported: spawn pulumi ENOENT")
    await imported(talk)
  }),
  "Read: two imports of one instance in one run": row(async (talk) => {
    await talk.env.buy({ service_id: 1 })
    await talk.env.advance(LATER)
    await talk.call("read", { id: "1", urn: WEB })
    await talk.call("read", { id: "1", urn: urn("Instance", "www") })
  }),
  "Read: an import of what this resource bought before its state was lost": row(async (talk) => {
    await bought(talk)
    await talk.begin()
    await talk.call("read", { id: "1", urn: WEB })
  }),
  "Read: imports of a snapshot and of a PTR record, and diffs that find nothing": row(async (talk) => {
    await talk.env.buy({ service_id: 1 })
    await talk.env.advance(LATER)
    await talk.env.api.snapshotCreate(1, "first")
    await talk.env.advance(LATER)
    const adopted = async (type: string, id: string): Promise<CallRecord> => {
      const seen = await talk.call("read", { id, urn: urn(type) })
      const [olds, oldInputs] = [fields(seen, "Properties"), fields(seen, "Inputs")]
      const inputs = fields(await talk.call("check", { urn: urn(type), olds: oldInputs, news: oldInputs }), "Inputs")
      return await talk.call("diff", { id, urn: urn(type), olds, oldInputs, news: inputs })
    }
    await adopted("Snapshot", `1/${(await talk.env.api.snapshots(1))?.[0]?.id}`)
    await adopted("ReverseDns", "1/198.18.0.1/web.example.com")
  }),
  "Read: imports that can't be": row(async (talk) => {
    await talk.env.buy({ service_id: 1 })
    await talk.call("read", { id: "7", urn: WEB })
    await talk.call("read", { id: "web", urn: WEB })
    await talk.call("read", { id: "1", urn: urn("Snapshot") })
    await talk.call("read", { id: "1/99", urn: urn("Snapshot") })
    await talk.call("read", { id: "1/203.0.113.1", urn: urn("ReverseDns") })
    await talk.call("read", { id: "1/web", urn: urn("SnapshotRestore") })
  })
}

const FUNCTION_CALLS: Readonly<Record<string, Row>> = {
  "Invoke: every function": row(async (talk) => {
    await talk.env.buy({ service_id: 1, hostname: "web.example.com" })
    await talk.env.advance(LATER)
    for (const name of Object.keys(FUNCTIONS)) {
      const args = name === "getOsOptions" ? { serviceId: 1 } : "instanceId" in argsOf(name) ? { instanceId: "1" } : {}
      await talk.call("invoke", { tok: `vps:index:${name}`, args })
    }
  }),
  "Invoke: invalid calls": row(async (talk) => {
    await talk.call("invoke", { tok: "vps:index:getEverything" })
    await talk.call("invoke", { tok: "getPlans" })
    await talk.call("invoke", { tok: "vps:index:getInstance", args: {} })
    await talk.call("invoke", { tok: "vps:index:getInstance", args: { instanceId: "9" } })
    await talk.call("invoke", { tok: "vps:index:getTasks", args: { instanceId: "1", limit: secret("many") } })
  })
}

const argsOf = (name: string): object => FUNCTIONS[name as keyof typeof FUNCTIONS].inputs

const WRONG: Readonly<Record<string, Row>> = {
  "calls without a URN, a type or an id are refused": row(async (talk) => {
    for (const method of ["check", "diff", "create", "read", "update", "delete"]) await talk.call(method)
    await talk.call("check", { urn: "web" })
    await talk.call("check", { urn: urn("Database") })
    await talk.call("diff", { urn: WEB })
    await talk.call("read", { urn: WEB })
    await talk.call("update", { urn: WEB })
    await talk.call("delete", { urn: WEB })
  }),
  "calls that this provider does not support are refused": row(async (talk) => {
    for (const method of ["getMapping", "call", "construct"]) await talk.call(method)
  }),
  "Cancel: during a wait; the ID is returned, and the next run continues": row(async (talk) => {
    const inputs = fields(await talk.call("check", { urn: WEB, news: { serviceId: 1 } }), "Inputs")
    const list = talk.env.api.get
    // The user cancels at the first poll of the new instance.
    Object.assign(talk.env.api, {
      get: async (id: number) => {
        Object.assign(talk.env.api, { get: list })
        await talk.call("cancel")
        return await list(id)
      }
    })
    const made = await talk.call("create", { urn: WEB, properties: inputs })
    const olds = (made.error?.["partial"] as { Properties?: object } | undefined)?.Properties ?? {}
    await talk.begin()
    await talk.call("update", { id: "1", urn: WEB, olds, news: inputs })
  })
}

export const READ_TABLE: Readonly<Record<string, Row>> = { ...READS, ...FUNCTION_CALLS, ...WRONG }
