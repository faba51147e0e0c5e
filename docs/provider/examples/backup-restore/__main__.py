import pulumi
import pulumi_vps as vps

web = vps.Instance("web", plan="vps-s", hostname="web.example.com", max_charge=10)
rollback = vps.BackupRestore(
    "rollback",
    instance_id=web.id,
    backup_id=1,  # get_backups lists the backups of an instance
    triggers=["the upgrade of March 1 failed"],  # another text restores again
    allow_data_loss=True,
)

pulumi.export("restoredAt", rollback.restored_at)
