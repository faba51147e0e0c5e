/** The capacity that can be sold, and the plans that were sold. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { assert, describe, it } from "@effect/vitest"
import { PlacesMachines, release } from "#service/catalogue/Capacity"
import { findPlanForSale, plansForSale } from "#service/catalogue/Plans"
import { sizeOf } from "#service/domain/MachineSize"
import { availablePlans, resize } from "#service/operations/Resize"
import { Addresses } from "#service/persistence/Addresses"
import { Hosts, type NewHost } from "#service/persistence/Hosts"
import { Instances } from "#service/persistence/Instances"
import { Transaction } from "#service/persistence/Transaction"
import { addPool, listPools } from "#service/admin/commands/Addresses"
import { execute, rows } from "../support/database.ts"
import { allTasks, buy, deployTime, elapse, owner, serviceLayer, show } from "../support/service.ts"
import { approveTask } from "#service/admin/commands/Tasks"
import { monthsAfter } from "#service/domain/Period"
import { taskPage } from "#service/instances/Read"
import { at, emptyWallet, renewals, topUp, until, wallet } from "../support/billing.ts"
import { operationTime, running } from "../support/instances.ts"
import { machineOf } from "../support/machineTag.ts"

/** Enough for two machines of plan 1, which has one virtual CPU, but not for three. */
const HOST: NewHost = {
  name: "alpha",
  dataCenterId: 1,
  uri: "unix:/nonexistent",
  certificates: null,
  pool: "default",
  bridge: "br0",
  accelerator: "qemu",
  sharedStorage: null,
  backupPool: null,
  sharedBackups: null,
  capacity: { cpus: 2, memoryMib: 1_000_000, diskGib: 100_000 },
  state: "active",
  at: 0
}

const within = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.flatMap(Transaction, ({ run }) => run(effect))

const addHost = Effect.fnUntraced(function*(host: Partial<NewHost> = {}, image = "debian-12") {
  const hosts = yield* Hosts
  return yield* within(Effect.gen(function*() {
    const id = yield* hosts.add({ ...HOST, ...host })
    yield* hosts.setImage({ hostId: id, slug: image, kind: "disk", sha256: "0", volume: "v", createdAt: 0 })
    return id
  }))
})

const used = Effect.flatMap(Hosts, ({ find }) => Effect.map(find(1), (host) => host!.used.cpus))

const pool = addPool({ network: "203.0.113.0/29", gateway: "203.0.113.1", data_center: "Frankfurt" })

const layer = () => Layer.provideMerge(Layer.succeed(PlacesMachines, true), serviceLayer())

const order = buy({ os: "debian-12" })

const sold = Effect.map(plansForSale(owner), (plans) => plans.map(({ id }) => id))

describe("with hosts", () => {
  it.effect("nothing is for sale without a host, an image, and an address", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* sold, [])
      const missing = yield* Effect.flip(order)
      assert.deepInclude(missing, { _tag: "PlanNotFound", outOfStock: true })
      yield* addHost({}, "ubuntu-24.04")
      assert.deepStrictEqual(yield* sold, [])
      yield* pool
      assert.include(yield* sold, 1)
      assert.deepInclude(yield* Effect.flip(order), { _tag: "PlanNotFound", outOfStock: true })
      assert.strictEqual((yield* (yield* Addresses).pools)[0]!.assigned, 0)
    }).pipe(Effect.provideService(PlacesMachines, true), Effect.provide(layer())))

  it.effect("each instance reserves its size and an address; what does not fit is out of stock", () =>
    Effect.gen(function*() {
      yield* addHost()
      yield* pool
      const first = yield* order
      const second = yield* order
      assert.strictEqual(yield* used, 2)
      assert.deepInclude(yield* Effect.flip(order), { _tag: "PlanNotFound", outOfStock: true })
      const addresses = yield* Addresses
      const [one, other] = [yield* addresses.of(first.id), yield* addresses.of(second.id)]
      assert.deepStrictEqual([one!.address, other!.address], ["203.0.113.2", "203.0.113.3"])
      assert.deepInclude(one, { gateway: "203.0.113.1", prefix: 29 })
      assert.isFalse((yield* sold).includes(1))
    }).pipe(Effect.provideService(PlacesMachines, true), Effect.provide(layer())))

  it.effect("a plan is out of stock while the pool has no space for its disk, although less is promised", () =>
    Effect.gen(function*() {
      const id = yield* addHost()
      yield* pool
      const report = (gib: number) => Effect.flatMap(Hosts, ({ setDiskLimit }) => within(setDiskLimit(id, gib)))
      const { diskGib } = sizeOf((yield* findPlanForSale(1)).specs)!
      yield* report(2 * diskGib - 1)
      yield* order
      assert.isFalse((yield* sold).includes(1))
      assert.deepInclude(yield* Effect.flip(order), { _tag: "PlanNotFound", outOfStock: true })
      yield* report(2 * diskGib)
      assert.include(yield* sold, 1)
      yield* order
    }).pipe(Effect.provideService(PlacesMachines, true), Effect.provide(layer())))

  it.effect("a terminated instance returns its capacity at once, and its address after a day", () =>
    Effect.gen(function*() {
      yield* addHost()
      yield* pool
      const { id } = yield* order
      const at = yield* Clock.currentTimeMillis
      yield* within(release(id, at))
      yield* within(release(id, at))
      assert.strictEqual(yield* used, 0)
      const addresses = yield* Addresses
      assert.isUndefined(yield* addresses.of(id))
      const next = yield* order
      assert.strictEqual((yield* addresses.of(next.id))!.address, "203.0.113.3")
    }).pipe(Effect.provideService(PlacesMachines, true), Effect.provide(layer())))

  it.effect("a draining host takes no new instances, but its own may be resized", () =>
    Effect.gen(function*() {
      const host = yield* addHost({ capacity: { ...HOST.capacity, cpus: 64 } })
      yield* pool
      const { id } = yield* order
      yield* deployTime
      yield* within((yield* Hosts).setState(host, "draining"))
      assert.strictEqual((yield* Effect.flip(order))._tag, "PlanNotFound")
      const target = (yield* availablePlans(owner, id)).find(({ specs }) => specs!["vcpu"] === 4)!
      yield* resize(owner, id, target.id)
      assert.strictEqual(yield* used, 4)
      yield* elapse(1_000)
      assert.strictEqual(yield* used, 4)
      yield* resize(owner, id, 1)
      assert.strictEqual(yield* used, 4, "the larger size, until the change is done")
      yield* elapse(1_000)
      assert.strictEqual(yield* used, 1)
      assert.strictEqual((yield* (yield* Instances).find(id))!.planId, 1)
    }).pipe(Effect.provideService(PlacesMachines, true), Effect.provide(layer())))

  it.effect("a host that does not respond takes no new instances", () =>
    Effect.gen(function*() {
      const host = yield* addHost()
      yield* pool
      yield* within((yield* Hosts).setUnreachable(host, 1))
      assert.deepInclude(yield* Effect.flip(order), { _tag: "PlanNotFound", outOfStock: true })
      assert.deepStrictEqual(yield* sold, [])
      yield* within((yield* Hosts).setUnreachable(host, null))
      yield* order
      assert.strictEqual(yield* used, 1)
    }).pipe(Effect.provideService(PlacesMachines, true), Effect.provide(layer())))

  it.effect("a resize that does not fit on the host is out of stock, and not offered", () =>
    Effect.gen(function*() {
      yield* addHost({ capacity: { ...HOST.capacity, cpus: 3 } })
      yield* pool
      const { id } = yield* order
      yield* deployTime
      assert.deepStrictEqual((yield* availablePlans(owner, id)).filter(({ specs }) => specs!["vcpu"] === 4), [])
      const four = 3
      assert.strictEqual((yield* findPlanForSale(four)).specs?.includes("\"vcpu\":4"), true)
      assert.deepInclude(yield* Effect.flip(resize(owner, id, four)), { _tag: "PlanNotFound", outOfStock: true })
      assert.strictEqual(yield* used, 1)
    }).pipe(Effect.provideService(PlacesMachines, true), Effect.provide(layer())))
})

describe("addresses add", () => {
  it.effect.each([
    [{ network: "203.0.113.1/24" }, /not a network such as 203/],
    [{ network: "2001:db8::1/64" }, /not a network such as 2001:db8::\/64/],
    [{ network: "2001:db8::/97" }, /too small. Add one with a prefix of at most 96/],
    [{ network: "2001:db8::/64" }, /neither link-local nor one of the first 65,536/],
    [{ network: "2001:db8::/64", gateway: "2001:db8::1:0" }, /neither link-local nor/],
    [{ gateway: "198.51.100.1" }, /not an address in the network/],
    [{ network: "10.0.0.0/8", gateway: "10.0.0.1" }, /Add smaller networks/],
    [{ data_center: "Atlantis" }, /Unknown data center "Atlantis". Available: .*Frankfurt/]
  ])("rejects %j", ([wrong, message]) =>
    Effect.gen(function*() {
      const right = { network: "203.0.113.0/29", gateway: "203.0.113.1", data_center: "Frankfurt" }
      const refused = yield* Effect.flip(addPool({ ...right, ...(wrong as object) }))
      assert.match(refused.message, message as RegExp)
      assert.deepStrictEqual(yield* listPools, [])
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("gives each instance an address of the IPv6 network, until it is terminated", () =>
    Effect.gen(function*() {
      const { of } = yield* Addresses
      yield* addHost()
      yield* pool
      const ipv6 = { network: "2001:DB8:0::/64", gateway: "fe80::1", data_center: "Frankfurt" }
      const { network } = yield* addPool(ipv6)
      assert.strictEqual(network, "2001:db8::/64")
      assert.match((yield* Effect.flip(addPool({ ...ipv6, network: "2001:db8::/48" }))).message, /overlaps with 2001/)
      const { id } = yield* order
      const own = { ipv6: `2001:db8::1:${id.toString(16)}`, ipv6Gateway: "fe80::1", ipv6Prefix: 64 }
      assert.deepInclude(yield* of(id), own)
      const { id: next } = yield* order
      assert.notStrictEqual((yield* of(next))?.ipv6, own.ipv6)
      assert.deepInclude(yield* listPools, { network, gateway: "fe80::1", addresses: null, assigned: 2 })
      yield* within(release(id, 0))
      assert.isUndefined(yield* of(id))
      assert.deepInclude(yield* listPools, { network, gateway: "fe80::1", addresses: null, assigned: 1 })
    }).pipe(Effect.provide(layer())))

  it.effect("rejects a network that overlaps with another", () =>
    Effect.gen(function*() {
      yield* pool
      const refused = yield* Effect.flip(
        addPool({ network: "203.0.113.0/24", gateway: "203.0.113.1", data_center: "Frankfurt" })
      )
      assert.match(refused.message, /overlaps with 203\.0\.113\.0\/29/)
    }).pipe(Effect.provide(serviceLayer())))
})

const change = (assignments: string, id: number) => execute(`UPDATE plans SET ${assignments} WHERE id = ${id}`)

const machine = (id: number) => machineOf(id)

describe("an order of a plan that has changed since", () => {
  it.effect("shows the plan as it was sold; a new order shows the new one", () =>
    Effect.gen(function*() {
      const id = yield* running()
      const before = (yield* show(id)).order
      yield* change("price = 599, name = 'Other', specs = '{}', slug = 'other', is_active = 0", 1)
      assert.deepStrictEqual((yield* show(id)).order, before)
      yield* change("is_active = 1", 1)
      const { order } = yield* show((yield* buy()).id)
      assert.deepInclude(order.service, { id: 1, price: 5.99, name: "Other", slug: "other", specs: "{}" })
      assert.deepStrictEqual((yield* show(id)).order, before)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("renews at its own price, and the feed says what was charged", () =>
    Effect.gen(function*() {
      const id = yield* running()
      yield* change("price = 9999", 1)
      yield* until(monthsAfter(0, 1))
      assert.deepStrictEqual((yield* renewals).map(({ entries }) => entries[0]!.amount), [-499])
      assert.strictEqual(yield* wallet, 100_000 - 2 * 499)
      assert.strictEqual((yield* show(id)).order.service.price, 4.99)
      const { items } = yield* taskPage(owner, id, { limit: 20, offset: 0 })
      assert.deepInclude(items.find(({ type }) => type === "renew"), { charge_amount: 4.99, currency: "EUR" })
      assert.deepInclude(items.find(({ type }) => type === "provision"), { charge_amount: null, currency: null })
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("is prorated from its own price to the new price of the target", () =>
    Effect.gen(function*() {
      const id = yield* running()
      yield* change("price = 9999", 1)
      yield* change("price = 1099", 2)
      const [target] = yield* availablePlans(owner, id)
      assert.deepInclude(target, { id: 2, price: 10.99, charge_amount: 6, direction: "upgrade" })
      assert.strictEqual((yield* resize(owner, id, 2)).charge_amount, 6)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("gets the machine that was sold, though its deployment was held", () =>
    Effect.gen(function*() {
      yield* change("auto_deploy = 0", 1)
      const { id } = yield* buy()
      const { specs } = (yield* show(id)).order.service
      yield* change("specs = '{}', slug = 'other'", 1)
      yield* approveTask({ id: (yield* allTasks)[0]!.id })
      yield* elapse(2_000)
      assert.deepInclude(yield* machine(id), { plan: "vps-s", specs })
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("and is resized gets the plan as it was when the resize was requested", () =>
    Effect.gen(function*() {
      const id = yield* running()
      yield* resize(owner, id, 2)
      yield* change("price = 9999, name = 'Other', slug = 'other'", 2)
      yield* operationTime
      assert.deepInclude((yield* show(id)).order.service, { id: 2, price: 9.99, name: "VPS M", slug: "vps-m" })
      assert.strictEqual((yield* machine(id))!.plan, "vps-m")
    }).pipe(Effect.provide(serviceLayer())))
})

describe("an expired instance", () => {
  it.effect("shows until when a top-up renews it, and no more once it is renewed", () =>
    Effect.gen(function*() {
      const id = yield* running()
      assert.isNull((yield* show(id)).renewable_until)
      yield* emptyWallet(0)
      const end = at((yield* show(id)).expires_at!)
      yield* until(end)
      const shown = yield* show(id)
      assert.deepInclude(shown, { status: "expired" })
      const graceUntil = (yield* rows<[number]>("SELECT grace_until FROM instances WHERE id = 1"))[0]![0]
      assert.strictEqual(at(shown.renewable_until!), graceUntil)
      yield* execute("UPDATE instances SET auto_renew = 0")
      assert.isNull((yield* show(id)).renewable_until)
      yield* execute("UPDATE instances SET auto_renew = 1")
      yield* topUp(10_000)
      assert.deepInclude(yield* show(id), { renewable_until: null })
    }).pipe(Effect.provide(serviceLayer())))
})
