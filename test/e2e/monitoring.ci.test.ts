/** The alert rules in Prometheus's own tool: they are valid, and each fires for the series that it is about. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { parse } from "yaml"
import { ROOT } from "../support/consumer.ts"
import { assertLike, containing } from "../support/like.ts"

const MONITORING = join(ROOT, "service/packaging/monitoring")
const folder = mkdtempSync(join(tmpdir(), "vps-alerts-"))
afterAll(() => rmSync(folder, { recursive: true }))

const promtool = (...args: ReadonlyArray<string>) => {
  const { status, stderr, stdout } = spawnSync("promtool", args, { encoding: "utf8" })
  return { status, output: `${stdout}${stderr}` }
}

/** For each alert: series of an hour with a value a minute, and the labels of the alert. */
const FIRING: Readonly<Record<string, readonly [series: Record<string, string>, labels: Record<string, string>]>> = {
  VpsServiceDown: [{ "up{job='vps-service', instance='a'}": "0x60" }, { job: "vps-service", instance: "a" }],
  VpsErrors: [{ "vps_http_requests_total{route='/instances', status='500'}": "0+1x60" }, { route: "/instances" }],
  VpsDatabaseUnavailable: [{ "vps_http_requests_total{status='503'}": "0+60x60" }, {}],
  VpsSlowRequests: [
    {
      "vps_http_request_duration_seconds_bucket{route='/plans', le='1'}": "0x60",
      "vps_http_request_duration_seconds_bucket{route='/plans', le='10'}": "0+60x60",
      "vps_http_request_duration_seconds_bucket{route='/plans', le='+Inf'}": "0+60x60"
    },
    { route: "/plans" }
  ],
  VpsTasksDelayed: [{ vps_task_queue_lag_seconds: "90x60" }, {}],
  VpsTasksFail: [
    {
      "vps_tasks_total{type='provision', outcome='failed'}": "0+1x60",
      "vps_tasks_total{type='provision', outcome='succeeded'}": "0+1x60"
    },
    { type: "provision" }
  ],
  VpsUpstreamSlow: [
    {
      "vps_driver_call_duration_seconds_bucket{operation='start', le='10'}": "0x60",
      "vps_driver_call_duration_seconds_bucket{operation='start', le='30'}": "0+60x60",
      "vps_driver_call_duration_seconds_bucket{operation='start', le='+Inf'}": "0+60x60"
    },
    { operation: "start" }
  ],
  VpsHostDown: [{ "vps_host_up{host='alpha'}": "0x60", "vps_host_up{host='beta'}": "1x60" }, { host: "alpha" }],
  VpsMachinesDiffer: [{ "vps_machine_findings{kind='missing'}": "1x60" }, { kind: "missing" }],
  VpsGuestsPaused: [{ "vps_machine_findings{kind='paused'}": "2x60" }, {}],
  VpsPoolTight: [
    {
      "vps_pool_free_bytes{host='a', pool='default'}": "5x60",
      "vps_pool_size_bytes{host='a', pool='default'}": "100x60"
    },
    { host: "a", pool: "default" }
  ],
  VpsPoolFillsUp: [
    { "vps_pool_free_bytes{host='a', pool='default'}": "100000-100x60" },
    { host: "a", pool: "default" }
  ],
  VpsMailsWait: [{ vps_mail_wait_seconds: "7200x60", vps_mails_waiting: "3x60" }, {}],
  VpsSecretMissing: [{ "vps_secret_missing{of='api_keys'}": "3x60" }, { of: "api_keys" }],
  VpsClockInDoubt: [{ vps_clock_trusted: "0x60" }, {}],
  VpsConnectionsDropped: [{ "vps_http_dropped_total{reason='address'}": "0+600x60" }, { reason: "address" }],
  VpsServiceRestarts: [
    { "process_start_time_seconds{job='vps-service', instance='a'}": "0+300x60" },
    { job: "vps-service", instance: "a" }
  ]
}

interface Rule {
  readonly alert: string
  readonly labels: Readonly<Record<string, string>>
}

const { groups: [group] } = parse(readFileSync(join(MONITORING, "alerts.yaml"), "utf8")) as {
  readonly groups: readonly [{ readonly name: string; readonly rules: ReadonlyArray<Rule> }]
}

const testOf = ({ alert, labels }: Rule, series: Readonly<Record<string, string>>, fires?: object) => ({
  interval: "1m",
  input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
  alert_rule_test: [{
    eval_time: "1h",
    alertname: alert,
    exp_alerts: fires === undefined ? [] : [{ exp_labels: { ...labels, ...fires } }]
  }]
})

/** A service without problems. */
const QUIET = {
  "up{job='vps-service', instance='a'}": "1x60",
  vps_clock_trusted: "1x60",
  "vps_host_up{host='a'}": "1x60",
  "vps_pool_free_bytes{host='a', pool='default'}": "50x60",
  "vps_pool_size_bytes{host='a', pool='default'}": "100x60"
}

describe.skipIf(promtool("--version").status !== 0)("the alert rules (needs promtool)", () => {
  it("and the example of Prometheus's settings are valid", () => {
    assertLike(promtool("check", "config", join(MONITORING, "prometheus.yaml")), { status: 0 })
  })

  it("fire for their series, and not without problems", () => {
    assert.deepStrictEqual(Object.keys(FIRING), group.rules.map(({ alert }) => alert))
    // Annotations are compared, too, so the tested rules have none.
    const rules = group.rules.map((rule) => ({ ...rule, annotations: {} }))
    writeFileSync(join(folder, "alerts.yaml"), JSON.stringify({ groups: [{ ...group, rules }] }))
    const tests = rules.flatMap((rule) => [testOf(rule, ...FIRING[rule.alert]!), testOf(rule, QUIET)])
    writeFileSync(join(folder, "test.yaml"), JSON.stringify({ rule_files: ["alerts.yaml"], tests }))
    assertLike(promtool("test", "rules", join(folder, "test.yaml")), {
      status: 0,
      output: containing("SUCCESS")
    })
  })
})
