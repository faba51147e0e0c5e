/** The dashboard and the alert rules only use metrics and labels that /metrics has, and use all of them. */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { parse } from "yaml"
import { metricsPage } from "../support/metricsPage.ts"

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
