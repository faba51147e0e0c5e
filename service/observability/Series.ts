/** Counters and histograms as plain objects, because they are updated on the hot path. */

export type Labels = Readonly<Record<string, string>>

/** One line of the Prometheus text format. */
export const line = (name: string, labels: Labels, value: number): string => {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`)
  return `${name}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${value}`
}

const escapeLabel = (text: string): string =>
  text.replaceAll("\\", "\\\\").replaceAll("\"", "\\\"").replaceAll("\n", "\\n")

export interface MetricInfo {
  /** In base units (seconds, bytes); counters end in `_total`. */
  readonly name: string
  readonly help: string
}

/** The lines of a metric after its two header lines; empty if there are none. */
export const family = ({ help, name }: MetricInfo, type: string, lines: ReadonlyArray<string>): string =>
  lines.length === 0 ? "" : `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("\n")}\n`

/** A value that is read for each scrape. */
export const gauge = (of: MetricInfo, values: ReadonlyArray<readonly [labels: Labels, value: number]>): string =>
  family(of, "gauge", values.map(([labels, value]) => line(of.name, labels, value)))

/** A value that is read for each scrape and only grows while the process runs. */
export const total = (of: MetricInfo, value: number): string => family(of, "counter", [line(of.name, {}, value)])

/** Counts by labels. Their values must come from small closed sets, because every combination is stored forever. */
export class Counters<Key extends string> {
  readonly #of: MetricInfo
  readonly #labels: (key: Key) => Labels
  readonly #counts = new Map<Key, number>()

  constructor(of: MetricInfo, labels: (key: Key) => Labels) {
    this.#of = of
    this.#labels = labels
  }

  add(key: Key, by = 1): void {
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + by)
  }

  render(): string {
    const lines = [...this.#counts].map(([key, count]) => line(this.#of.name, this.#labels(key), count))
    return family(this.#of, "counter", lines)
  }
}

/** The number of values below each bound. */
export class Buckets {
  sum = 0
  count = 0
  /** One for each bound, and one for the values above all. */
  readonly counts: Array<number>
  readonly #bounds: ReadonlyArray<number>

  constructor(bounds: ReadonlyArray<number>) {
    this.#bounds = bounds
    this.counts = [...bounds, 0].map(() => 0)
  }

  add(value: number): void {
    const bounds = this.#bounds
    let index = 0
    while (index < bounds.length && value > bounds[index]!) index++
    this.counts[index]! += 1
    this.sum += value
    this.count += 1
  }

  lines(name: string, labels: Labels): Array<string> {
    let below = 0
    const buckets = this.#bounds.map((bound, index) => {
      below += this.counts[index]!
      return line(`${name}_bucket`, { ...labels, le: String(bound) }, below)
    })
    return [
      ...buckets,
      line(`${name}_bucket`, { ...labels, le: "+Inf" }, this.count),
      line(`${name}_sum`, labels, this.sum),
      line(`${name}_count`, labels, this.count)
    ]
  }
}

/** A distribution by labels, whose values follow the rule of `Counters`. */
export class Histograms<Key extends string> {
  readonly #of: MetricInfo
  readonly #bounds: ReadonlyArray<number>
  readonly #labels: (key: Key) => Labels
  readonly #buckets = new Map<Key, Buckets>()

  constructor(of: MetricInfo, bounds: ReadonlyArray<number>, labels: (key: Key) => Labels) {
    this.#of = of
    this.#bounds = bounds
    this.#labels = labels
  }

  add(key: Key, value: number): void {
    let buckets = this.#buckets.get(key)
    if (buckets === undefined) this.#buckets.set(key, buckets = new Buckets(this.#bounds))
    buckets.add(value)
  }

  render(): string {
    const lines = [...this.#buckets].flatMap(([key, buckets]) => buckets.lines(this.#of.name, this.#labels(key)))
    return family(this.#of, "histogram", lines)
  }
}
