/** Arguments, data sources, imports and provider blocks on the real OpenTofu and Terraform. */
import { assert } from "vitest"
import { assertLike } from "../../support/like.ts"
import type { Environment, Scenario } from "../Environment.ts"
import { ATTACHED, HEAD, instance, must, refused, snapshots, stackOf, write } from "../terraform/Hcl.ts"
import { until } from "../../support/until.ts"

/** An argument that the plan refuses, with the words of its error. */
const BAD: Readonly<Record<string, readonly [body: string, message: RegExp, provider?: string]>> = {
  "an argument that does not exist": [instance("web", "hostnam = \"web\""), /Unsupported argument.*"hostnam"/],
  "a wrong type": [instance("web", "generation = \"two\""), /Incorrect attribute value type/],
  "a value out of bounds": [
    instance("web", "generation = 0"),
    /web: generation must be an integer of 1 or more.*with vps_instance.web,/
  ],
  "an unknown plan": [
    "resource \"vps_instance\" \"web\" {\n  name = \"web\"\n  plan = \"vps-x\"\n}",
    /there is no plan "vps-x".*with vps_instance.web.*plan = "vps-x".*Did you mean/
  ],
  "two resources with one name": [
    `${instance("web")}resource "vps_instance" "other" {\n  name = "web"\n  plan = "vps-s"\n}`,
    /web: another vps_instance has this name.*Each name buys one instance: use another one/
  ],
  "an address without service": [
    instance("web"),
    /web: .*(ECONNREFUSED|could not|cannot|connect).*/i,
    "base_url = \"http://127.0.0.1:9/api/v1\""
  ],
  "a rejected key": [
    instance("web"),
    /the API key was rejected \(401\).*api_key of the provider/i,
    "api_key = \"vps_live_no\""
  ],
  "a setting that is not a choice": [
    instance("web"),
    /wait_for of the provider .* must be one of none, ip, running.*with provider/,
    "wait_for = \"ever\""
  ],
  "a key that is known after the apply": [
    `resource "terraform_data" "key" {\n  input = "vps_live_x"\n}\n${instance("web")}`,
    /api_key of the provider is not known before the apply/,
    "api_key = terraform_data.key.output"
  ]
}

const DATA_SOURCES = `${instance("web", "hostname = \"web.example.com\"")}${ATTACHED}
data "vps_plans" "all" {}
data "vps_plan" "small" {
  slug = "vps-s"
}
data "vps_images" "small" {
  plan = data.vps_plan.small.slug
}
data "vps_instance" "web" {
  hostname   = "web.example.com"
  depends_on = [vps_instance.web]
}
data "vps_instances" "all" {
  depends_on = [vps_instance.web]
}
data "vps_snapshots" "web" {
  instance_id = vps_instance.web.id
  depends_on  = [vps_snapshot.first]
}
data "vps_backups" "web" {
  instance_id = vps_instance.web.id
}
data "vps_isos" "web" {
  instance_id = vps_instance.web.id
}
data "vps_account" "me" {}
output "all" {
  value = {
    plans     = data.vps_plans.all.plans[*].slug
    vcpu      = data.vps_plan.small.specs.vcpu
    images    = data.vps_images.small.images[*].slug
    id        = data.vps_instance.web.id
    instances = length(data.vps_instances.all.instances)
    snapshots = data.vps_snapshots.web.snapshots[*].name
    backups   = length(data.vps_backups.web.backups)
    isos      = data.vps_isos.web.isos[*].name
    currency  = data.vps_account.me.currency
  }
}`

/** Imports a snapshot and a PTR record of the imported instance, which then plan no change. */
const importAttached = async (env: Environment, id: string): Promise<void> => {
  const { id: snapshot } = await env.ask<{ id: number }>("POST", `/instances/${id}/snapshots`, { name: "first" })
    .then(async () => (await until(async () => (await snapshots(env, id))[0]))!)
  await env.control("POST", "clock", { advance_ms: 60_000 })
  const attached = ATTACHED.replaceAll("vps_instance.web", "vps_instance.old")
  write(env, attached)
  await must(env, "import", "vps_snapshot.first", `${id}/${snapshot}`)
  const { ipv4 } = (await env.instances())[0]!
  await must(env, "import", "vps_reverse_dns.web", `${id}/${ipv4}/web.example.com`)
  const changes = env.proxy.mutations().length
  await env.idle()
  assert.deepStrictEqual(env.proxy.mutations().slice(changes), [])
}

export const ARGUMENTS: Readonly<Record<string, Scenario>> = {
  "a write-only password of an ephemeral variable is in no file; its version changes it": async (env) => {
    const [first, second] = ["hunter2-Written-Once", "hunter2-Second-One"]
    env.secrets.push(first, second)
    const configured = (version: number) =>
      `variable "password" {
  type      = string
  ephemeral = true
  sensitive = true
}
${instance("web", `root_password_wo = var.password\n  root_password_wo_version = ${version}\n  os = "debian-12"`)}`
    write(env, configured(1))
    env.stack.environment({ TF_VAR_password: first })
    await must(env, "plan", "-out=saved-tfstate")
    await must(env, "apply", "-auto-approve")
    assertLike((await env.stored()).outputs, { rootPasswordWoVersion: 1 })
    await env.idle()
    env.stack.environment({ TF_VAR_password: second })
    await env.idle()
    write(env, configured(2))
    await must(env, "apply", "-auto-approve")
    assertLike((await env.stored()).outputs, { rootPasswordWoVersion: 2 })
  },
  "every argument may be unknown in the plan: the apply agrees with what the plan showed": async (env) => {
    write(
      env,
      `resource "terraform_data" "input" {
  input = {
    plan = "vps-s", host = "web.example.com", os = "debian-12", charge = 9, name = "first", ptr = "web.example.com"
    triggers = ["one"], policy = "stop"
  }
}
${
        instance(
          "web",
          `hostname          = terraform_data.input.output.host
  os                = terraform_data.input.output.os
  max_charge        = terraform_data.input.output.charge
  deletion_policy   = terraform_data.input.output.policy
  reinstall_triggers = terraform_data.input.output.triggers`
        ).replace("\"vps-s\"", "terraform_data.input.output.plan")
      }
resource "vps_snapshot" "first" {
  instance_id = vps_instance.web.id
  name        = terraform_data.input.output.name
}
resource "vps_reverse_dns" "web" {
  instance_id = vps_instance.web.id
  ip          = vps_instance.web.ipv4
  ptr         = terraform_data.input.output.ptr
}
resource "vps_snapshot_restore" "back" {
  instance_id     = vps_instance.web.id
  snapshot_id     = vps_snapshot.first.snapshot_id
  triggers        = terraform_data.input.output.triggers
  allow_data_loss = true
}`
    )
    assert.include(await must(env, "plan"), "web: buys an instance for a charge that is not known yet")
    await must(env, "apply", "-auto-approve")
    assertLike((await env.stored()).outputs, { hostname: "web.example.com", plan: "vps-s", deletionPolicy: "stop" })
    assert.lengthOf(await env.instances(), 1)
  },
  "all data sources, in one configuration": async (env) => {
    write(
      env,
      DATA_SOURCES
    )
    await must(env, "apply", "-auto-approve")
    const { all } = JSON.parse(await must(env, "output", "-json")) as { readonly all: { readonly value: object } }
    assertLike(all.value, {
      vcpu: 1,
      instances: 1,
      snapshots: ["first"],
      backups: 0,
      currency: "EUR"
    })
  },
  "an import by a block with generated configuration, or by command, plans no change": async (env) => {
    const { id } = await env.ask<{ id: number }>("POST", "/instances", { service_id: 1, hostname: "old.example.com" })
    await until(async () => (await env.instances())[0]?.status === "running")
    write(env, `import {\n  to = vps_instance.old\n  id = "${id}"\n}`)
    await must(env, "plan", "-generate-config-out=generated.tf")
    const changes = env.proxy.mutations().length
    assert.include(await must(env, "apply", "-auto-approve"), "1 imported, 0 added, 0 changed, 0 destroyed")
    await must(env, "state", "rm", "vps_instance.old")
    await must(env, "import", "vps_instance.old", String(id))
    await env.idle()
    assert.deepStrictEqual(env.proxy.mutations().slice(changes), [])
    write(env, `${instance("no")}`)
    assert.match(await refused(env, "import", "vps_instance.no", "99"), /instance 99 not found in account 1/)
    await importAttached(env, String(id))
  },
  "two provider blocks with two keys: each account has its own server, and no file has a key": async (env) => {
    const other = await env.control("POST", "accounts", { email: "other@example.test", wallet: 100 })
    const [mine, theirs] = [env.service.apiKey, String(other["api_key"])]
    env.secrets.push(theirs)
    stackOf(env).write(`${HEAD}variable "theirs" {
  type      = string
  sensitive = true
}
provider "vps" {}
provider "vps" {
  alias   = "theirs"
  api_key = var.theirs
}
${instance("a")}${instance("b", "provider = vps.theirs")}`)
    env.stack.environment({ TF_VAR_theirs: theirs })
    await must(env, "apply", "-auto-approve")
    const owners = (await env.resources()).map(({ outputs }) => [outputs["name"], outputs["userId"]])
    const { account_id } = await env.ask<{ account_id: number }>("GET", "/whoami")
    assert.deepStrictEqual(Object.fromEntries(owners), { a: account_id, b: other["account_id"] })
    assert.notInclude(env.stack.stored(), mine)
    // One of the two servers, and its charge, is not this account's to see.
    env.unmanaged = -1
    env.deleted = 1
  },
  "a key without the right to buy is refused in the plan": async (env) => {
    const { api_key: reader } = await env.control("POST", "keys", { scopes: ["vps:read"] })
    write(env, instance("web"))
    env.stack.environment({ VPS_API_KEY: String(reader) })
    assert.match(await refused(env, "plan"), /web: the API key has vps:read, but buying an instance needs vps:create/)
    env.stack.environment({ VPS_API_KEY: env.service.apiKey })
    await must(env, "apply", "-auto-approve")
  },
  "bad input is an error in the plan, at its place, that says what to do": async (env) => {
    for (const [name, [body, message, provider]] of Object.entries(BAD)) {
      write(env, body, provider)
      assert.match(await refused(env, "plan"), message, name)
    }
    assert.strictEqual(await env.charges(), 0)
    env.ending = "refused"
  }
}
