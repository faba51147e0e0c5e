/** The controls of an emulator, as under `/_emulator`, with the same bodies and responses. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"

const control = { control: Schema.String }
const named = { control: Schema.String, name: Schema.String }
const payload = Schema.Record(Schema.String, Schema.Unknown)
const success = Schema.Unknown

export class EmulatorCalls extends HttpApiGroup.make("emulator")
  .add(
    HttpApiEndpoint.get("show", "/emulator/:control", { params: control, success }),
    HttpApiEndpoint.post("post", "/emulator/:control", { params: control, payload, success }),
    HttpApiEndpoint.put("put", "/emulator/:control", { params: control, payload, success }),
    HttpApiEndpoint.delete("clear", "/emulator/:control", { params: control, success }),
    HttpApiEndpoint.get("show_one", "/emulator/:control/:name", { params: named, success }),
    HttpApiEndpoint.post("post_one", "/emulator/:control/:name", { params: named, payload, success }),
    HttpApiEndpoint.delete("remove_one", "/emulator/:control/:name", { params: named, success }),
    HttpApiEndpoint.post("restore", "/emulator/:control/:name/restore", { params: named, payload, success })
  )
{}
