/** Counts and durations of requests. Nested maps, because building a combined key for every request would cost. */
import { Buckets, family, line, type MetricInfo } from "./Series.ts"

/** An answered request. */
export interface Request {
  readonly method: string
  /** Pattern of its route; undefined when there is none. */
  readonly route: string | undefined
  readonly status: number
  readonly millis: number
}

interface Series {
  readonly route: string
  readonly method: string
  readonly statuses: Map<number, number>
  readonly seconds: Buckets
}

const METHODS = new Set(["GET", "POST", "PATCH", "DELETE", "PUT", "HEAD", "OPTIONS"])

const MILLIS = 1000

export class RequestMetrics {
  readonly #counted: MetricInfo
  readonly #timed: MetricInfo
  readonly #bounds: ReadonlyArray<number>
  readonly #series = new Map<string, Map<string, Series>>()

  /** `bounds` are in seconds. */
  constructor(counted: MetricInfo, timed: MetricInfo, bounds: ReadonlyArray<number>) {
    this.#counted = counted
    this.#timed = timed
    this.#bounds = bounds
  }

  #find(route: string, method: string): Series {
    let methods = this.#series.get(route)
    if (methods === undefined) this.#series.set(route, methods = new Map())
    let series = methods.get(method)
    if (series === undefined) {
      methods.set(method, series = { route, method, statuses: new Map(), seconds: new Buckets(this.#bounds) })
    }
    return series
  }

  add({ method, millis, route = "other", status }: Request): void {
    const { seconds, statuses } = this.#find(route, METHODS.has(method) ? method : "other")
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    seconds.add(millis / MILLIS)
  }

  render(): string {
    const all = [...this.#series.values()].flatMap((methods) => [...methods.values()])
    const counts = all.flatMap(({ method, route, statuses }) =>
      [...statuses].map(([status, count]) => line(this.#counted.name, { route, method, status: String(status) }, count))
    )
    const times = all.flatMap(({ method, route, seconds }) => seconds.lines(this.#timed.name, { route, method }))
    return family(this.#counted, "counter", counts) + family(this.#timed, "histogram", times)
  }
}
