/** An instance with a hostname and a PTR record. `pulumi preview` shows the charge; `pulumi up` buys it once. */
import { Instance, ReverseDns } from "pulumi-vps/provider"

const hostname = "web.example.com"

const web = new Instance("web", {
  serviceId: 1,
  hostname,
  os: "debian-12",
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
