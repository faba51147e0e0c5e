/** Buying, reading and changing instances. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import {
  BadGateway,
  BadRequest,
  Conflict,
  GatewayTimeout,
  NotFound,
  PayloadTooLarge,
  PaymentRequired
} from "./Errors.ts"
import { IdempotencyKeyHeader, MaxChargeHeader } from "./PurchaseHeaders.ts"
import {
  ActionResult,
  CreateInstance,
  DryRun,
  Hostname,
  HostnameResult,
  Instance,
  Rdns,
  RdnsResult,
  Reinstall,
  ResetPasswordResult,
  Resize,
  ResizeResult
} from "./Instance.ts"
import { PathId, QueryBoolean } from "./Primitives.ts"
import { operation } from "./Operation.ts"

const params = { instance_id: PathId }

export class Instances extends HttpApiGroup.make("instances")
  .add(
    HttpApiEndpoint.get("list", "/instances", { success: Schema.Array(Instance) })
      .annotateMerge(operation({ scope: "vps:read", retry: "read", signIn: "any" }, "List the account's instances")),
    HttpApiEndpoint.post("create", "/instances", {
      query: { dry_run: Schema.optionalKey(QueryBoolean) },
      headers: {
        "idempotency-key": Schema.optionalKey(IdempotencyKeyHeader),
        "vps-max-charge": Schema.optionalKey(MaxChargeHeader)
      },
      payload: CreateInstance,
      success: [Instance.pipe(HttpApiSchema.status(201)), DryRun.pipe(HttpApiSchema.status(200))],
      error: [BadRequest, PaymentRequired, NotFound, Conflict, PayloadTooLarge, GatewayTimeout]
    })
      .annotateMerge(
        operation(
          { scope: "vps:create", retry: "purchase", signIn: "unless_dry_run" },
          "Buy an instance, or preview the charge"
        )
      )
      .annotate(
        OpenApi.Description,
        "Charges the wallet and queues the instance for provisioning, in one transaction. "
          + "A retry with the same Idempotency-Key returns the original instance and charges nothing."
      ),
    HttpApiEndpoint.get("get", "/instances/:instance_id", { params, success: Instance, error: NotFound })
      .annotateMerge(operation({ scope: "vps:read", retry: "read", signIn: "any" }, "Get an instance")),
    HttpApiEndpoint.post("reinstall", "/instances/:instance_id/reinstall", {
      params,
      payload: Reinstall,
      success: ActionResult,
      error: [NotFound, Conflict, PayloadTooLarge, GatewayTimeout]
    })
      .annotateMerge(
        operation(
          { scope: "vps:write", retry: "once", signIn: "fresh" },
          "Reinstall the operating system; all data on the disk is lost"
        )
      )
      .annotate(
        OpenApi.Description,
        "SSH keys are not carried over from the previous installation: send `ssh_pubkey` with every reinstall. "
          + "A reinstall that cannot install the key fails."
      ),
    HttpApiEndpoint.post("reset_password", "/instances/:instance_id/reset-password", {
      params,
      success: ResetPasswordResult,
      error: [NotFound, Conflict, BadGateway, GatewayTimeout]
    })
      .annotateMerge(
        operation({ scope: "vps:write", retry: "once", signIn: "fresh" }, "Set a new root password and return it once")
      )
      .annotate(
        OpenApi.Description,
        "The password is in this response only and is never stored. A copy is mailed to the owner of the account."
      ),
    HttpApiEndpoint.patch("hostname", "/instances/:instance_id/hostname", {
      params,
      payload: Hostname,
      success: HostnameResult,
      error: [NotFound, Conflict, PayloadTooLarge, BadGateway, GatewayTimeout]
    })
      .annotateMerge(operation({ scope: "vps:write", retry: "idempotent", signIn: "any" }, "Set the hostname")),
    HttpApiEndpoint.post("rdns", "/instances/:instance_id/rdns", {
      params,
      payload: Rdns,
      success: RdnsResult,
      error: [NotFound, Conflict, PayloadTooLarge, BadGateway, GatewayTimeout]
    })
      .annotateMerge(
        operation(
          { scope: "vps:write", retry: "idempotent", signIn: "any" },
          "Set the reverse DNS (PTR) record of an address"
        )
      ),
    HttpApiEndpoint.post("resize", "/instances/:instance_id/resize", {
      params,
      headers: { "vps-max-charge": Schema.optionalKey(MaxChargeHeader) },
      payload: Resize,
      success: ResizeResult,
      error: [BadRequest, PaymentRequired, NotFound, Conflict, PayloadTooLarge, GatewayTimeout]
    })
      .annotateMerge(
        operation(
          { scope: "vps:write", retry: "mutation", signIn: "fresh" },
          "Change the plan; an upgrade is prorated and charged"
        )
      )
      .annotate(OpenApi.Description, "A downgrade takes effect without a refund. `expires_at` does not change.")
  )
  .annotate(OpenApi.Description, "Buying, reading and changing instances")
{}
