/** The order of the form, for programs. */
import type { CreateInstance } from "#contract/Instance"
import type { PublicPlan } from "#contract/Services"
import { type Example, literal, quoted } from "../../../code/Example.ts"

/** Passwords belong in a secret of the program, and are never shown as code. */
const SECRET = "<password>"

const pulumiOf = ({ coupon_code, hostname, os, root_password, service_id, ssh_pubkey }: CreateInstance): string => {
  const inputs = {
    serviceId: service_id,
    hostname: hostname ?? undefined,
    os: os ?? undefined,
    sshPublicKey: ssh_pubkey ?? undefined,
    rootPassword: root_password ?? undefined,
    couponCode: coupon_code ?? undefined
  }
  return `new Instance("web", ${literal(inputs)})`
}

export const orderExample = (body: CreateInstance, plan: PublicPlan, key: string): Example => {
  const shown = "root_password" in body ? { ...body, root_password: SECRET } : body
  const option = (name: string, value: string | null | undefined) =>
    value === null || value === undefined ? [] : [`--${name} ${quoted(value)}`]
  return {
    method: "POST",
    path: "/instances",
    body: shown,
    key,
    sdk: `vps.instances.createAndWait(${literal(shown)}, { idempotencyKey: ${JSON.stringify(key)} })`,
    vps: [
      `vps instance create --plan ${quoted(plan.slug)}`,
      ...option("hostname", body.hostname),
      ...option("os", body.os),
      ...option("coupon", body.coupon_code),
      ...(body.ssh_pubkey === undefined ? [] : ["--ssh-key ~/.ssh/id_ed25519.pub"]),
      `--idempotency-key ${key}`,
      "--wait"
    ].join(" "),
    pulumi: pulumiOf(shown)
  }
}
