/** What befalls the processes, and when the weather changes. */
import type { Dice } from "./Dice.ts"
import type { Replica } from "./Replica.ts"
import { CALM, draw, type Weather } from "./Weather.ts"
import type { Home, World } from "./World.ts"

const MINUTE = 60_000
/** How long a kind of weather lasts, in milliseconds. */
const PHASES = [5 * MINUTE, 60 * MINUTE, 8 * 60 * MINUTE]
/** Share of phases in which nothing fails, so that something gets done. */
const CALM_PHASES = 0.3
/** Share of phases in which the upstream or the database is as good as gone: longer than anybody's patience. */
const OUTAGES = 0.2
/** Longest time until a process that has gone is there again, and longest stall, in milliseconds. */
const AWAY_MILLIS = 2 * MINUTE
const STALL_MILLIS = 4 * MINUTE

type Kind = keyof Weather["process"]

export class Trouble {
  weather: Weather = CALM
  /** Since when the database has not failed, and will not while this weather lasts. */
  soundSince = 0
  readonly counts = { killed: 0, stopped: 0, stalled: 0 }
  readonly #usual: Weather
  readonly #world: World
  readonly #dice: Dice
  readonly #replicas: ReadonlyArray<Replica>
  readonly #home: Home
  readonly #next: Record<Kind, number> = { killed: 0, stopped: 0, stalled: 0 }
  #over = false

  constructor(world: World, replicas: ReadonlyArray<Replica>) {
    this.#world = world
    this.#dice = world.dice.fork()
    this.#replicas = replicas
    this.#home = world.home("trouble")
    this.#usual = draw(this.#dice)
  }

  begin(): void {
    this.#turn(this.#draw())
    for (const kind of ["killed", "stopped", "stalled"] as const) this.#plan(kind)
    this.#world.note(`weather: ${JSON.stringify(this.weather)}`)
    this.#world.later(this.#home, this.#dice.pick(PHASES), () => {
      if (!this.#over) this.begin()
    })
  }

  #turn(weather: Weather): void {
    const isSound = Object.values(weather.database).every((share) => share === 0)
    if (!isSound) this.soundSince = Number.POSITIVE_INFINITY
    else if (!Number.isFinite(this.soundSince)) this.soundSince = this.#world.now
    this.weather = weather
  }

  #draw(): Weather {
    const usual = this.#usual
    if (this.#dice.chance(CALM_PHASES)) return CALM
    if (!this.#dice.chance(OUTAGES)) return usual
    return this.#dice.pick<Weather>([
      { ...usual, driver: { ...usual.driver, busy: 0, unavailable: 0, lostAnswer: 0.9 } },
      { ...usual, driver: { ...usual.driver, busy: 0, unavailable: 0.9 } },
      { ...usual, database: { ...usual.database, commit: 0.9 } }
    ])
  }

  /** Nothing fails from now on, and who is away comes back. */
  end(): void {
    this.#over = true
    this.#turn(CALM)
    this.#world.note("weather: calm from now on")
  }

  /** To be called between any two steps: a process may die between any two awaits. */
  strike(): void {
    const { steps } = this.#world
    for (const kind of ["killed", "stopped", "stalled"] as const) {
      if (this.#over || steps < this.#next[kind]) continue
      this.#plan(kind)
      const replica = this.#dice.pick(this.#replicas)
      if (replica.listens) this[kind](replica)
    }
  }

  #plan(kind: Kind): void {
    const mean = this.weather.process[kind]
    this.#next[kind] = this.#world.steps + (Number.isFinite(mean) ? -Math.log(1 - this.#dice.next()) * mean : mean)
  }

  killed(replica: Replica): void {
    this.counts.killed++
    this.#world.note(`${replica.home.name} is killed`)
    replica.kill()
    this.#comeBack(replica)
  }

  stopped(replica: Replica): void {
    this.counts.stopped++
    this.#world.note(`${replica.home.name} is told to stop`)
    replica.stop(() => this.#comeBack(replica))
  }

  stalled(replica: Replica): void {
    this.counts.stalled++
    const millis = this.#dice.below(STALL_MILLIS)
    this.#world.note(`${replica.home.name} stalls for ${millis} ms`)
    replica.home.stalledUntil = this.#world.now + millis
  }

  #comeBack(replica: Replica): void {
    this.#world.later(this.#home, this.#dice.below(AWAY_MILLIS), () => replica.start())
  }
}
