// A client that oapi-codegen has generated: buys, replays, reads, and meets each refusal.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	"example.com/generated/api"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	url, key, poor, name := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	as := func(key string) *api.ClientWithResponses {
		client, err := api.NewClientWithResponses(url, api.WithRequestEditorFn(
			func(_ context.Context, request *http.Request) error {
				request.Header.Set("Authorization", "Bearer "+key)
				return nil
			}))
		check(err)
		return client
	}
	own, background, yes := as(key), context.Background(), true
	create := func(who *api.ClientWithResponses, params api.InstancesCreateParams, body api.CreateInstance) *api.InstancesCreateResponse {
		response, err := who.InstancesCreateWithResponse(background, &params, body)
		check(err)
		return response
	}
	body := api.CreateInstance{ServiceId: 1}
	whoami, err := own.AccountWhoamiWithResponse(background, nil)
	check(err)
	plans, err := own.ServicesListWithResponse(background, nil)
	check(err)
	slugs := []string{}
	for _, plan := range *plans.JSON200 {
		slugs = append(slugs, plan.Slug)
	}
	charge, err := create(own, api.InstancesCreateParams{DryRun: &yes}, body).JSON200.AsDryRun()
	check(err)
	first := create(own, api.InstancesCreateParams{IdempotencyKey: &name}, body)
	bought, err := first.JSON201.AsInstance()
	check(err)
	second := create(own, api.InstancesCreateParams{IdempotencyKey: &name}, body)
	again, err := second.JSON201.AsInstance()
	check(err)
	instance, err := own.InstancesGetWithResponse(background, bought.Id, nil)
	check(err)
	snapshots, err := own.SnapshotsListWithResponse(background, 1, nil)
	check(err)
	noKey, err := as("none").AccountWhoamiWithResponse(background, nil)
	check(err)
	noInstance, err := own.InstancesGetWithResponse(background, 999999, nil)
	check(err)
	samePlan, err := own.InstancesResizeWithResponse(background, 1, nil, api.Resize{ServiceId: 2})
	check(err)
	wrong := "-"
	out, err := json.Marshal(map[string]any{
		"account":  whoami.JSON200.AccountId,
		"plans":    slugs,
		"charge":   charge.ChargeAmount,
		"bought":   []any{first.StatusCode(), bought.Id},
		"replayed": []any{second.StatusCode(), again.Id},
		"status":   instance.JSON200.Status,
		"snapshot": (*snapshots.JSON200)[0].SizeBytes,
		"refused": []int{
			noKey.StatusCode(),
			create(as(poor), api.InstancesCreateParams{}, body).StatusCode(),
			noInstance.StatusCode(),
			samePlan.StatusCode(),
			create(own, api.InstancesCreateParams{}, api.CreateInstance{ServiceId: 1, Hostname: &wrong}).StatusCode(),
		},
	})
	check(err)
	fmt.Println(string(out))
}
