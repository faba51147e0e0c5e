/** The endpoint table of the specification, with the scope of each endpoint and a valid body. */
import type { Scope } from "#contract/Scope"

export type Endpoint = readonly [method: string, path: string, scope: Scope | undefined, body?: unknown]

export const ONE = "/instances/:instance_id"
const KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ3xGMmVq1NjYHcFdvtdsPxqvLEUGRqWnvRDTYG3Cugd"

export const ENDPOINTS: ReadonlyArray<Endpoint> = [
  ["GET", "/", undefined],
  ["GET", "/whoami", undefined],
  ["GET", "/services", undefined],
  ["GET", "/services/:service_id/os-options", undefined],
  ["GET", "/instances", "vps:read"],
  ["POST", "/instances", "vps:create", { service_id: 99 }],
  ["GET", ONE, "vps:read"],
  ["GET", `${ONE}/status`, "vps:read"],
  ["GET", `${ONE}/metrics`, "vps:read"],
  ["GET", `${ONE}/tasks`, "vps:read"],
  ["GET", `${ONE}/available-plans`, "vps:read"],
  ["POST", `${ONE}/start`, "vps:write"],
  ["POST", `${ONE}/stop`, "vps:write"],
  ["POST", `${ONE}/restart`, "vps:write"],
  ["POST", `${ONE}/reinstall`, "vps:write", { os: "debian-12", ssh_pubkey: KEY }],
  ["POST", `${ONE}/reset-password`, "vps:write"],
  ["PATCH", `${ONE}/hostname`, "vps:write", { hostname: "x" }],
  ["POST", `${ONE}/rdns`, "vps:write", { ip: "192.0.2.1", ptr: "x" }],
  ["POST", `${ONE}/resize`, "vps:write", { service_id: 2 }],
  ["GET", `${ONE}/snapshots`, "vps:read"],
  ["POST", `${ONE}/snapshots`, "vps:write", { name: "one" }],
  ["POST", `${ONE}/snapshots/:snap_id/restore`, "vps:write"],
  ["DELETE", `${ONE}/snapshots/:snap_id`, "vps:write"],
  ["GET", `${ONE}/backups`, "vps:read"],
  ["POST", `${ONE}/backups/:backup_id/restore`, "vps:write"],
  ["GET", `${ONE}/isos`, "vps:read"],
  ["POST", `${ONE}/iso`, "vps:write", { iso_id: 1 }],
  ["DELETE", `${ONE}/iso`, "vps:write"],
  ["POST", `${ONE}/rescue`, "vps:write"],
  ["DELETE", `${ONE}/rescue`, "vps:write"]
]
