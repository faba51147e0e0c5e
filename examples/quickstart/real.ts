/** The quickstart's instance on a real host, which has no name server for PTR records. */
import { Instance } from "pulumi-vps/provider"

const web = new Instance("web", {
  serviceId: 1,
  hostname: "web.example.com",
  os: "debian-12",
  // The preview fails if the charge is higher.
  maxCharge: 10,
  // The API cannot cancel a contract: destroy stops the instance and says until when it is paid for.
  deletionPolicy: "stop"
})

export const ip = web.ipv4
export const paidUntil = web.expiresAt
export const charged = web.chargeAmount
