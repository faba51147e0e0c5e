"""A client that openapi-python-client has generated: buys, replays, reads, and meets each refusal."""
import json
import sys

from vps_instance_management_client import AuthenticatedClient
from vps_instance_management_client.api.account import account_whoami
from vps_instance_management_client.api.instances import instances_create, instances_get, instances_resize
from vps_instance_management_client.api.services import services_list
from vps_instance_management_client.api.snapshots import snapshots_list
from vps_instance_management_client.models import CreateInstance, Resize

url, key, poor, name = sys.argv[1:]
vps = AuthenticatedClient(base_url=url, token=key)


def client(token):
    return AuthenticatedClient(base_url=url, token=token)


def status(response):
    return int(response.status_code)


body = CreateInstance(service_id=1)
create = instances_create.sync_detailed
charge = create(client=vps, body=body, dry_run=True).parsed
bought = create(client=vps, body=body, idempotency_key=name)
again = create(client=vps, body=body, idempotency_key=name)
print(json.dumps({
    "account": account_whoami.sync_detailed(client=vps).parsed.account_id,
    "plans": [plan.slug for plan in services_list.sync_detailed(client=vps).parsed],
    "charge": charge.charge_amount,
    "bought": [status(bought), bought.parsed.id],
    "replayed": [status(again), again.parsed.id],
    "status": instances_get.sync_detailed(client=vps, instance_id=bought.parsed.id).parsed.status,
    "snapshot": snapshots_list.sync_detailed(client=vps, instance_id=1).parsed[0].size_bytes,
    "refused": [
        status(account_whoami.sync_detailed(client=client("none"))),
        status(create(client=client(poor), body=body)),
        status(instances_get.sync_detailed(client=vps, instance_id=999_999)),
        status(instances_resize.sync_detailed(client=vps, instance_id=1, body=Resize(service_id=2))),
        status(create(client=vps, body=CreateInstance(service_id=1, hostname="-"))),
    ],
}))
