/** The controls of an emulator that the panel has, as under `/_emulator`, with the same bodies and responses. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import {
  ClockBody,
  ClockReading,
  DeployBody,
  FaultBody,
  FaultRecord,
  LedgerRecord,
  LoggedRequest,
  SavedState,
  SentMail
} from "../../contract/Emulator.ts"

const params = { name: Schema.String }
const Done = Schema.Struct({ ok: Schema.Literal(true) })

export class EmulatorCalls extends HttpApiGroup.make("emulator")
  .add(
    HttpApiEndpoint.get("clock", "/emulator/clock", { success: ClockReading }),
    HttpApiEndpoint.post("set_clock", "/emulator/clock", { payload: ClockBody, success: ClockReading }),
    HttpApiEndpoint.put("set_deploy", "/emulator/deploy", { payload: DeployBody, success: DeployBody }),
    HttpApiEndpoint.get("faults", "/emulator/faults", { success: Schema.Array(FaultRecord) }),
    HttpApiEndpoint.post("add_fault", "/emulator/faults", { payload: FaultBody, success: FaultRecord }),
    HttpApiEndpoint.delete("clear_faults", "/emulator/faults", { success: Done }),
    HttpApiEndpoint.get("requests", "/emulator/requests", { success: Schema.Array(LoggedRequest) }),
    HttpApiEndpoint.delete("clear_requests", "/emulator/requests", { success: Done }),
    HttpApiEndpoint.get("mails", "/emulator/mails", { success: Schema.Array(SentMail) }),
    HttpApiEndpoint.delete("clear_mails", "/emulator/mails", { success: Done }),
    HttpApiEndpoint.get("states", "/emulator/states", { success: Schema.Array(SavedState) }),
    HttpApiEndpoint.post("save_state", "/emulator/states/:name", { params, success: SavedState }),
    HttpApiEndpoint.post("restore_state", "/emulator/states/:name/restore", { params, success: Done }),
    HttpApiEndpoint.post("reset", "/emulator/reset", { success: Done }),
    HttpApiEndpoint.get("ledger", "/emulator/ledger", { success: LedgerRecord })
  )
{}
