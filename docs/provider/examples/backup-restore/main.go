package main

import (
	"example.com/pulumi-vps/sdk/go/vps"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		web, err := vps.NewInstance(ctx, "web", &vps.InstanceArgs{
			Plan:      pulumi.String("vps-s"),
			Hostname:  pulumi.String("web.example.com"),
			MaxCharge: pulumi.Float64(10),
		})
		if err != nil {
			return err
		}
		rollback, err := vps.NewBackupRestore(ctx, "rollback", &vps.BackupRestoreArgs{
			InstanceId: web.ID(),
			// GetBackups lists the backups of an instance.
			BackupId: pulumi.Int(1),
			// Another text restores again.
			Triggers:      pulumi.Array{pulumi.String("the upgrade of March 1 failed")},
			AllowDataLoss: pulumi.Bool(true),
		})
		if err != nil {
			return err
		}
		ctx.Export("restoredAt", rollback.RestoredAt)
		return nil
	})
}
