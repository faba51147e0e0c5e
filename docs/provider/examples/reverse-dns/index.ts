import { Instance, ReverseDns } from "pulumi-vps/pulumi"

const web = new Instance("web", { plan: "vps-s", hostname: "web.example.com", maxCharge: 10 })

const record = new ReverseDns("web", { instanceId: web.id, ip: web.ipv4, ptr: "web.example.com" })

export const ptr = record.ptr
