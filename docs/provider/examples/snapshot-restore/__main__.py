import pulumi
import pulumi_vps as vps

web = vps.Instance("web", plan="vps-s", hostname="web.example.com", max_charge=10)
snapshot = vps.Snapshot(
    "before-upgrade",
    instance_id=web.id,
    name="before-upgrade",
    opts=pulumi.ResourceOptions(deleted_with=web),
)
rollback = vps.SnapshotRestore(
    "rollback",
    instance_id=web.id,
    snapshot_id=snapshot.snapshot_id,
    triggers=["the upgrade of March 1 failed"],  # another text restores again
    allow_data_loss=True,
)

pulumi.export("restoredAt", rollback.restored_at)
