/** Configurations and commands of the scenarios that only the real engines can play. */
import { assert } from "vitest"
import type { Environment } from "../Environment.ts"
import type { Result } from "../Stack.ts"
import type { TerraformStack } from "./Cli.ts"

export const stackOf = (env: Environment): TerraformStack => env.stack as TerraformStack

export const HEAD = `terraform {
  required_providers {
    vps = { source = "registry.opentofu.org/pulumi-vps/vps" }
  }
}
`

/** Writes the configuration: the provider block, and resources. */
export const write = (env: Environment, body: string, provider = ""): void =>
  stackOf(env).write(`${HEAD}provider "vps" {\n${provider}\n}\n${body}\n`)

/** Any command; its output on one line. */
const run = async (env: Environment, ...args: ReadonlyArray<string>): Promise<Result> => {
  const { code, output } = await stackOf(env).command([...args, "-no-color"]).done
  return { code, output: output.replaceAll(/\s+/g, " ") }
}

export const must = async (env: Environment, ...args: ReadonlyArray<string>): Promise<string> => {
  const { code, output } = await run(env, ...args)
  assert.strictEqual(code, 0, `${args.join(" ")}: ${output}`)
  return output
}

export const refused = async (env: Environment, ...args: ReadonlyArray<string>): Promise<string> => {
  const { code, output } = await run(env, ...args)
  assert.notStrictEqual(code, 0, `${args.join(" ")} was to fail: ${output}`)
  return output
}

export const instance = (name: string, more = ""): string =>
  `resource "vps_instance" "${name}" {\n  name = "${name}"\n  plan = "vps-s"\n  ${more}\n}\n`

export const ATTACHED = `
resource "vps_reverse_dns" "web" {
  instance_id = vps_instance.web.id
  ip          = vps_instance.web.ipv4
  ptr         = "web.example.com"
}
resource "vps_snapshot" "first" {
  instance_id = vps_instance.web.id
  name        = "first"
}
`

export const snapshots = async (
  env: Environment,
  id: string
) => (await env.ask<ReadonlyArray<{ readonly id: number; readonly name: string }>>("GET", `/instances/${id}/snapshots`))
