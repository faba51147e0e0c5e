/**
 * An instance with a hostname and a PTR record. `pulumi preview` shows the charge; `pulumi up` buys it once. Log in
 * with `ssh root@$(pulumi stack output ip)`. `ssh-keygen -t ed25519` makes the key if you have none.
 */
import { readFileSync } from "node:fs"
import { homedir } from "node:os"
import { Instance, ReverseDns } from "pulumi-vps/provider"

const hostname = "web.example.com"

const web = new Instance("web", {
  serviceId: 1,
  hostname,
  os: "debian-12",
  sshPublicKey: readFileSync(`${homedir()}/.ssh/id_ed25519.pub`, "utf8").trim(),
  // The preview fails if the charge is higher.
  maxCharge: 10,
  // The API cannot cancel a contract: destroy stops the instance and says until when it is paid for.
  deletionPolicy: "stop"
})

const record = new ReverseDns("web", { instanceId: web.id, ip: web.ipv4, ptr: hostname })

export const ip = web.ipv4
export const ptr = record.ptr
export const paidUntil = web.expiresAt
export const charged = web.chargeAmount
