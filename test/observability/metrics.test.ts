/** Metrics, and the rules of alerts on them. */
import * as Effect from "effect/Effect"
import { assert, describe, it } from "@effect/vitest"
import { Measures } from "#service/observability/Metrics"
import { Counters, gauge, Histograms } from "#service/observability/Series"
import { deployed, startApp, type TestApp } from "../support/app.ts"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parse } from "yaml"
import { metricsPage } from "../support/metricsPage.ts"

const scrape = (app: TestApp) =>
  Effect.promise(() => fetch(`${app.origin}/metrics`).then((response) => response.text()))

/** Every line of values, by name and labels. */
const valuesOf = (text: string): Map<string, number> =>
  new Map(
    text.split("\n").filter((line) => line !== "" && !line.startsWith("#")).map((line) => {
      const end = line.lastIndexOf(" ")
      return [line.slice(0, end), Number(line.slice(end + 1))]
    })
  )

const BUY = { method: "POST", path: "/instances", body: { service_id: 1 } }
const NO_MAILS = { count: 0, waitMillis: 0 }
const CLOCK = { isTrusted: true, aheadMillis: 0 }
const EMPTY = { open: [], lagMillis: 0 }

describe("the service's metrics", () => {
  it.live("have the accounts at risk, and what is missing, until it is paid", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      yield* app.api(BUY)
      yield* app.control("PUT", "/wallet", { balance: 1 })
      yield* app.control("POST", "/clock", { advance_ms: 26 * 86_400_000 })
      const shown = Effect.map(Effect.map(scrape(app), valuesOf), (values) => [
        values.get("vps_accounts_at_risk{currency=\"EUR\"}"),
        values.get("vps_money_at_risk{currency=\"EUR\"}")
      ])
      assert.deepStrictEqual(yield* shown, [1, 3.99])
      yield* app.control("POST", "/wallet", { amount: 10 })
      yield* app.control("POST", "/clock", { advance_ms: 86_400_000 })
      assert.deepStrictEqual(yield* shown, [0, 0])
      yield* app.control("PUT", "/wallet", { balance: 0 })
      yield* app.control("POST", "/clock", { advance_ms: 5 * 86_400_000 })
      assert.deepStrictEqual(yield* shown, [1, 4.99])
      // Its only contract ends.
      yield* app.control("POST", "/clock", { advance_ms: 9 * 86_400_000 })
      assert.deepStrictEqual((yield* app.api({ path: "/instances" })).body, [])
      assert.deepStrictEqual(yield* shown, [0, 0])
    }).pipe(Effect.scoped))

  it.live("count requests by route, method and status", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      for (const path of ["/instances/1", "/instances/2", "/instances/abc"]) yield* app.api({ path })
      yield* app.api({ path: "/whoami", key: "" })
      const headers = { "idempotency-key": "k-1" }
      yield* app.api({ ...BUY, headers })
      yield* app.api({ ...BUY, headers })
      const values = valuesOf(yield* scrape(app))
      const requests = (route: string, method: string, status: number) =>
        values.get(`vps_http_requests_total{route="/api/v1${route}",method="${method}",status="${status}"}`)
      assert.strictEqual(requests("/instances/{instance_id}", "GET", 404), 2)
      assert.strictEqual(requests("/instances/{instance_id}", "GET", 422), 1)
      assert.strictEqual(requests("/whoami", "GET", 401), 1)
      assert.strictEqual(requests("/instances", "POST", 201), 2)
      assert.strictEqual(values.get("vps_idempotent_replays_total"), 1)
      const latency = `{route="/api/v1/instances",method="POST"`
      assert.strictEqual(values.get(`vps_http_request_duration_seconds_bucket${latency},le="+Inf"}`), 2)
      assert.strictEqual(values.get(`vps_http_request_duration_seconds_count${latency}}`), 2)
      assert.isAbove(values.get(`vps_http_request_duration_seconds_sum${latency}}`)!, 0)
    }).pipe(Effect.scoped))

  it.live("count tasks, what is queued, shared transactions and calls of the driver", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      const { body } = yield* app.api(BUY)
      yield* deployed(app, body.id)
      const done = valuesOf(yield* scrape(app))
      assert.strictEqual(done.get(`vps_tasks_total{type="provision",outcome="succeeded"}`), 1)
      assert.strictEqual(done.get(`vps_task_duration_seconds_count{type="provision",outcome="succeeded"}`), 1)
      assert.isAbove(done.get("vps_write_batch_size_count")!, 0)
      assert.isAtLeast(done.get("vps_write_batch_size_sum")!, done.get("vps_write_batch_size_count")!)
      const call = `{driver="simulated",call="submit",operation="provision",outcome="done"}`
      assert.strictEqual(done.get(`vps_driver_call_duration_seconds_count${call}`), 1)
      assert.isAbove(done.get("process_resident_memory_bytes")!, 1e6)
      assert.isAbove(done.get("process_cpu_seconds_total")!, 0)
      yield* app.control("PUT", "/deploy", { mode: "after_ms", value: 60_000 })
      yield* app.api(BUY)
      const waiting = [...valuesOf(yield* scrape(app))].filter(([name]) => name.startsWith("vps_tasks_open{"))
      assert.strictEqual(waiting.reduce((sum, [, count]) => sum + count, 0), 1)
    }).pipe(Effect.scoped))

  it.live("are text that Prometheus reads, each family once", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      const response = yield* Effect.promise(() => fetch(`${app.origin}/metrics`))
      assert.strictEqual(response.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8")
      const lines = (yield* Effect.promise(() => response.text())).trimEnd().split("\n")
      const types = lines.filter((line) => line.startsWith("# TYPE")).map((line) => line.split(" ")[2]!)
      assert.strictEqual(new Set(types).size, types.length)
      for (const line of lines) {
        assert.match(line, /^(?:# (?:HELP|TYPE) \w+ .+|\w+(?:\{(?:\w+="[^"]*",?)+\})? [\d.e+-]+)$/)
      }
    }).pipe(Effect.scoped))
})

describe("labels", () => {
  it("stay few for any request", () => {
    const measures = new Measures()
    const ask = (route: string | undefined, method: string) =>
      measures.request({ route, method, status: 404, millis: 1, replayed: false })
    ask(undefined, "GET")
    ask("/livez", "BREW")
    const size = measures.render(EMPTY, NO_MAILS, CLOCK).split("\n").length
    for (let i = 0; i < 100; i++) {
      ask(undefined, "GET")
      ask("/livez", `M${i}`)
    }
    assert.strictEqual(measures.render(EMPTY, NO_MAILS, CLOCK).split("\n").length, size)
    assert.strictEqual(
      valuesOf(measures.render(EMPTY, NO_MAILS, CLOCK)).get(
        `vps_http_requests_total{route="other",method="GET",status="404"}`
      ),
      101
    )
  })
  it("are escaped", () => {
    assert.include(gauge({ name: "a", help: "A." }, [[{ l: "\"\\\n" }, 1]]), `a{l="\\"\\\\\\n"} 1`)
  })
})

describe("series", () => {
  it("a bucket holds what is at most its bound, and all that is below", () => {
    const histogram = new Histograms<string>({ name: "h", help: "H." }, [1, 2], (l) => ({ l }))
    for (const value of [0.5, 1, 1.5, 2, 3]) histogram.add("x", value)
    assert.deepStrictEqual([...valuesOf(histogram.render())], [
      [`h_bucket{l="x",le="1"}`, 2],
      [`h_bucket{l="x",le="2"}`, 4],
      [`h_bucket{l="x",le="+Inf"}`, 5],
      [`h_sum{l="x"}`, 8],
      [`h_count{l="x"}`, 5]
    ])
  })
  it("a family without values is left out", () => {
    assert.strictEqual(new Counters<string>({ name: "c", help: "C." }, (l) => ({ l })).render(), "")
  })
})

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), "utf8")
const FOLDER = "service/packaging/monitoring"

/** The labels that Prometheus itself adds. */
const SCRAPED = ["instance", "job"]

/** The labels of each metric, and of each series of a histogram. */
const labelsByMetric = (() => {
  const found = new Map([["up", new Set(SCRAPED)]])
  for (const [, name = "", labels = ""] of metricsPage().matchAll(/^([a-z]\w+)(?:\{(.*)\})? \S+$/gm)) {
    const names = [...labels.matchAll(/(\w+)="/g)].map(([, label]) => label!)
    found.set(name, new Set([...(found.get(name) ?? SCRAPED), ...names]))
  }
  return found
})()

interface Use {
  readonly metrics: ReadonlyArray<string>
  /** `metric.label` for each matcher and each label that results are grouped by. */
  readonly labels: ReadonlyArray<string>
  readonly grouped: ReadonlyArray<string>
}

const METRIC = /\b((?:vps|process|nodejs)_\w+|up)\b(?:\{([^}]*)\})?/g

const useOf = (expression: string): Use => {
  const selectors = [...expression.matchAll(METRIC)].map(([, metric = "", matchers = ""]) => ({ metric, matchers }))
  const matched = selectors.flatMap(({ matchers, metric }) =>
    [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label]) => `${metric}.${label}`)
  )
  const grouped = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels]) => labels!.split(/,\s*/))
  const both = selectors.flatMap(({ metric }) => grouped.map((label) => `${metric}.${label}`))
  return { metrics: selectors.map(({ metric }) => metric), labels: [...matched, ...both], grouped }
}

const unknown = ({ labels, metrics }: Use): ReadonlyArray<string> => [
  ...metrics.filter((metric) => !labelsByMetric.has(metric)),
  ...labels.filter((label) => {
    const [metric = "", name = ""] = label.split(".")
    return labelsByMetric.get(metric)?.has(name) !== true
  })
]

/** The labels that a text shows may only be those of the result. */
const shownLabels = (text: string, pattern: RegExp): ReadonlyArray<string> =>
  [...text.matchAll(pattern)].map(([, label]) => label!)

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string; readonly description: string }
}

const rules =
  (parse(read(`${FOLDER}/alerts.yaml`)) as { readonly groups: ReadonlyArray<{ rules: ReadonlyArray<Rule> }> })
    .groups.flatMap((group) => group.rules)

interface Panel {
  readonly title: string
  readonly targets?: ReadonlyArray<{ readonly expr: string; readonly legendFormat: string }>
}

const { panels } = JSON.parse(read(`${FOLDER}/dashboard.json`)) as { readonly panels: ReadonlyArray<Panel> }
const targets = panels.flatMap(({ targets = [], title }) => targets.map((target) => ({ title, ...target })))

describe("the alert rules", () => {
  it.each(rules)("$alert names existing metrics and labels, and what to do", ({ annotations, expr, labels }) => {
    const use = useOf(expr)
    assert.isNotEmpty(use.metrics)
    assert.deepStrictEqual(unknown(use), [])
    assert.include(["critical", "warning"], labels.severity)
    assert.isAbove(annotations.description.length, 10)
    const shown = shownLabels(JSON.stringify(annotations), /\$labels\.(\w+)/g)
    const isAggregated = /\b(sum|min|max)\b/.test(expr)
    assert.deepStrictEqual(shown.filter((label) => !(isAggregated ? use.grouped : SCRAPED).includes(label)), [])
  })

  it("are the recommended ones of docs/operating.md", () => {
    const recommended = [...read("docs/operating.md").matchAll(/^\| `(Vps\w+)` /gm)].map(([, name]) => name)
    assert.sameOrderedMembers(recommended, rules.map(({ alert }) => alert))
  })
})

describe("the dashboard", () => {
  it.each(targets)("$title: $expr", ({ expr, legendFormat }) => {
    const use = useOf(expr)
    assert.isNotEmpty(use.metrics)
    assert.deepStrictEqual(unknown(use), [])
    const shown = shownLabels(legendFormat, /\{\{(\w+)\}\}/g)
    assert.deepStrictEqual(
      shown.filter((label) => !(use.grouped.length > 0 ? use.grouped : SCRAPED).includes(label)),
      []
    )
  })

  it("shows every metric", () => {
    const all = [...metricsPage().matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name!)
    const used = new Set(
      targets.flatMap(({ expr }) => useOf(expr).metrics.map((name) => name.replace(/_(bucket|sum|count)$/, "")))
    )
    assert.deepStrictEqual(all.filter((name) => !used.has(name)), [])
  })
})

it("a metric or a label that does not exist is found", () => {
  assert.deepStrictEqual(unknown(useOf("vps_taks_open > 0")), ["vps_taks_open"])
  assert.deepStrictEqual(unknown(useOf("sum by (kind) (vps_tasks_open{state=\"queued\"})")), [
    "vps_tasks_open.state",
    "vps_tasks_open.kind"
  ])
})
