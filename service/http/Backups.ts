import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Api } from "#contract/Api"
import { listBackups, restoreBackup } from "../instances/Backups.ts"
import { answer } from "./Answer.ts"

export const layer = HttpApiBuilder.group(Api, "backups", (handlers) =>
  handlers
    .handle("list", ({ params }) => answer((by) => listBackups(by, params.instance_id)))
    .handle("restore", ({ params }) => answer((by) => restoreBackup(by, params.instance_id, params.backup_id))))
