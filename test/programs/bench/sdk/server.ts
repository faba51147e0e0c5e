/** A server that responds to every request with one record, in the shape that the client of the path expects. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

const json = (value: unknown) => Buffer.from(JSON.stringify(value))

const AT = "2026-11-21T07:00:00Z"

const instance = {
  id: 1,
  user_id: 1,
  order_id: 1,
  status: "running",
  suspended_reason: null,
  provider_id: "sim-1",
  ipv4: "198.51.100.7",
  provider_data: "{\"hostname\":\"web-1.example.test\",\"os\":\"debian-12\",\"node\":\"fra-1\"}",
  auto_renew: true,
  expires_at: AT,
  created_at: AT,
  order: {
    id: 1,
    user_id: 1,
    service_id: 1,
    status: "paid",
    config: "{\"service_id\":1,\"hostname\":\"web-1.example.test\"}",
    created_at: AT,
    paid_at: AT,
    service: {
      id: 1,
      name: "VPS S",
      slug: "vps-s",
      description: "For small services",
      price: 4.99,
      billing_cycle: "monthly",
      category: "vps",
      specs: "{\"vcpu\":1,\"ram\":\"2 GB\",\"storage\":\"40 GB NVMe\",\"traffic\":\"20 TB\"}",
      is_active: true,
      out_of_stock: false,
      auto_deploy: true,
      created_at: AT,
      pricing: {
        gross: 4.99,
        net: 4.19,
        vat_rate: 19,
        vat_amount: 0.8,
        treatment: "domestic",
        charge_amount: 4.99,
        display_amount: 4.99
      }
    }
  }
}

const place = { id: 1, name: "fsn1", description: "x", location: { id: 1, name: "fsn1" }, server_types: {} }

/** hcloud-js makes classes from these fields and fails without them. */
const server = {
  ...instance,
  name: "web-1",
  created: AT,
  private_net: [],
  server_type: { id: 1, name: "cx22", cores: 2, memory: 4, disk: 40, prices: [] },
  public_net: {
    ipv4: { ip: "198.51.100.7", blocked: false, dns_ptr: "web-1.example.test" },
    ipv6: { ip: "2001:db8::/64", blocked: false, dns_ptr: [] },
    floating_ips: []
  },
  datacenter: place,
  image: { id: 1, type: "system", status: "available", name: "debian-12", created: AT, protection: {} },
  iso: null,
  protection: {},
  labels: {}
}

const BODIES: ReadonlyArray<readonly [prefix: string, body: Buffer]> = [
  ["/hcloud/", json({ server })],
  ["/vultr/", json({ instance })],
  ["/", json(instance)]
]

const listener = createServer({ keepAlive: true, keepAliveTimeout: 60_000 }, (request, response) => {
  const [, body] = BODIES.find(([prefix]) => request.url?.startsWith(prefix))!
  response.writeHead(200, { "content-type": "application/json", "content-length": body.length }).end(body)
})
listener.listen(0, "127.0.0.1", () => {
  process.stdout.write(`${(listener.address() as AddressInfo).port}\n`)
})
