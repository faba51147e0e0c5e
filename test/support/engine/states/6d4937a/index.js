import { Instance, ReverseDns } from "pulumi-vps/provider"

const web = new Instance("web", {
  serviceId: 1,
  hostname: "web.example.com",
  os: "debian-12",
  sshPublicKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGtra2tra2tra2tra2tra2tra2tra2tra2tra2tra2tr recorded",
  rootPassword: "hunter2-In-The-State",
  couponCode: "WELCOME10",
  deletionPolicy: "stop",
  waitFor: "running",
  maxCharge: 10,
  timeouts: { create: "5m" }
})
new Instance("plain", { serviceId: 2 })
new Instance("taken", { serviceId: 3, adoptInstanceId: 1 })
new ReverseDns("web", { instanceId: web.id, ip: web.ipv4, ptr: "web.example.com", onDelete: { resetTo: "host.example.com" } })
export const address = web.ipv4
