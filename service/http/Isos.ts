import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Api } from "#contract/Api"
import { listIsos, mountIso, unmountIso } from "../instances/Isos.ts"
import { answer } from "./Answer.ts"

export const layer = HttpApiBuilder.group(Api, "isos", (handlers) =>
  handlers
    .handle("list", ({ params }) => answer((by) => listIsos(by, params.instance_id)))
    .handle("mount", ({ params, payload }) => answer((by) => mountIso(by, params.instance_id, payload.iso_id)))
    .handle("unmount", ({ params }) => answer((by) => unmountIso(by, params.instance_id))))
