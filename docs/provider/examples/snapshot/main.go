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
		snapshot, err := vps.NewSnapshot(ctx, "before-upgrade", &vps.SnapshotArgs{
			InstanceId: web.ID(),
			Name:       pulumi.String("before-upgrade"),
		}, pulumi.DeletedWith(web))
		if err != nil {
			return err
		}
		ctx.Export("snapshotId", snapshot.SnapshotId)
		return nil
	})
}
