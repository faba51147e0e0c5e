import pulumi
import pulumi_vps as vps

web = vps.Instance("web", plan="vps-s", hostname="web.example.com", max_charge=10)
snapshot = vps.Snapshot(
    "before-upgrade",
    instance_id=web.id,
    name="before-upgrade",
    opts=pulumi.ResourceOptions(deleted_with=web),
)

pulumi.export("snapshotId", snapshot.snapshot_id)
