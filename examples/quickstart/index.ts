/** A server with a host name and a PTR record. `pulumi preview` shows what it will charge; `pulumi up` buys it once. */
import { Instance, ReverseDns } from "pulumi-vps/provider"

const hostname = "web.example.com"

const web = new Instance("web", {
  serviceId: 1,
  hostname,
  os: "debian-12",
  // More than this fails in the preview, before anything is charged.
  maxCharge: 10,
  // The service has no call that ends a contract: destroying powers the server off, and says what it goes on costing.
  deletionPolicy: "stop"
})

const record = new ReverseDns("web", { instanceId: web.id, ip: web.ipv4, ptr: hostname })

export const ip = web.ipv4
export const ptr = record.ptr
export const paidUntil = web.expiresAt
export const charged = web.chargeAmount
