/** The wallet in the next days: a line with a step for each charge, and red where money is missing. */
import { date, money } from "../api/format.ts"

interface Step {
  readonly at: string
  readonly balance: number
}

interface BalanceProps {
  /** Now. */
  readonly balance: number
  readonly currency: string
  readonly from: string
  readonly until: string
  /** In order. */
  readonly steps: ReadonlyArray<Step>
}

/** Large, so that whole numbers are exact enough. */
const WIDTH = 1_200
const HEIGHT = 300
/** Room for half of the line's width. */
const EDGE = 6

interface Point {
  readonly x: number
  readonly balance: number
}

/** Each step keeps the balance before it until its moment. */
const pointsOf = ({ balance, from, steps, until }: BalanceProps): ReadonlyArray<Point> => {
  const [start, end] = [Date.parse(from), Date.parse(until)]
  const x = (at: string) => Math.round(WIDTH * Math.min(1, Math.max(0, (Date.parse(at) - start) / (end - start))))
  const balances = [balance, ...steps.map((step) => step.balance)]
  return [
    { x: 0, balance },
    ...steps.flatMap((step, index) => [{ x: x(step.at), balance: balances[index]! }, { x: x(step.at), ...step }]),
    { x: WIDTH, balance: balances.at(-1)! }
  ]
}

export const BalanceChart = (props: BalanceProps) => {
  const { balance, currency, from, steps, until } = props
  const points = pointsOf(props)
  const balances = points.map((point) => point.balance)
  const [top, bottom] = [Math.max(0, ...balances), Math.min(0, ...balances)]
  const y = (value: number) => Math.round(EDGE + (HEIGHT - 2 * EDGE) * (top - value) / (top - bottom || 1))
  const line = (bound: (value: number) => number) => points.map((point) => `${point.x},${y(bound(point.balance))}`)
  const area = (bound: (value: number) => number) => [`0,${y(0)}`, ...line(bound), `${WIDTH},${y(0)}`].join(" ")
  const last = steps.at(-1)?.balance ?? balance
  const label = `Wallet from ${money(balance, currency)} on ${date(from)} to ${money(last, currency)} on ${date(until)}`
  return (
    <div class="balance-chart">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
        <polygon points={area((value) => Math.max(0, value))} />
        <polygon class="missing" points={area((value) => Math.min(0, value))} />
        <line x1="0" x2={WIDTH} y1={y(0)} y2={y(0)} />
        <polyline points={line((value) => value).join(" ")} />
      </svg>
      <p aria-hidden="true">
        <span>{date(from)}: {money(balance, currency)}</span>
        <span class={last < 0 ? "bad" : undefined}>{date(until)}: {money(last, currency)}</span>
      </p>
    </div>
  )
}
