/** A page of /metrics on which every metric has a value. */
import { Measures } from "#service/observability/Metrics"

export const metricsPage = (): string => {
  const measures = new Measures()
  measures.request({ method: "GET", route: "/livez", status: 200, millis: 1, replayed: true })
  measures.dropped("address")
  measures.task("provision", "succeeded", 1)
  measures.batch(1, 1)
  measures.driver("simulated", "submit", "provision", "done", 1)
  const pools = [{ pool: "default", bytes: 2, free: 1 }]
  measures.audited([{ kind: "missing" }], [{ host: "alpha", pools }])
  return measures.render(
    { open: [{ type: "stop", status: "queued", count: 1 }], lagMillis: 0 },
    { count: 0, waitMillis: 0 },
    { isTrusted: true, aheadMillis: 0 },
    [{ name: "alpha", unreachableSince: null }]
  )
}
