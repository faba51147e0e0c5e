import { Instance } from "pulumi-vps/pulumi"

const web = new Instance("web", {
  plan: "vps-s",
  os: "debian-13",
  hostname: "web.example.com",
  maxCharge: 10, // the preview fails if the charge is higher
  deletionPolicy: "stop" // destroy powers it off: the API cannot end a contract
})

export const address = web.ipv4
export const paidUntil = web.expiresAt
