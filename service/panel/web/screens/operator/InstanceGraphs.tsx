/** The graphs of an instance, for operators: those of its customer, by a call of their own. */
import { useRead } from "../../api/calls.ts"
import { GraphsOf } from "../customer/instance/Graphs.tsx"

export const InstanceGraphs = ({ id }: { readonly id: number }) => (
  <GraphsOf
    useMetrics={(range) => useRead("/operator/instances/:id/metrics", { params: { id }, query: { range } })}
  />
)
