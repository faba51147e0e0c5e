import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.ApiResponse;
import org.openapitools.client.JSON;
import org.openapitools.client.api.AccountApi;
import org.openapitools.client.api.InstancesApi;
import org.openapitools.client.api.ServicesApi;
import org.openapitools.client.api.SnapshotsApi;
import org.openapitools.client.model.CreateInstance;
import org.openapitools.client.model.CreateResult;
import org.openapitools.client.model.PublicPlan;
import org.openapitools.client.model.Resize;

/** A client that openapi-generator has generated: buys, replays, reads, and meets each refusal. */
public class Main {
    interface Call {
        void run() throws ApiException;
    }

    static ApiClient client(String url, String key) {
        ApiClient client = new ApiClient();
        client.setBasePath(url);
        client.setBearerToken(key);
        return client;
    }

    static int refusal(Call call) {
        try {
            call.run();
            return 0;
        } catch (ApiException refused) {
            return refused.getCode();
        }
    }

    public static void main(String[] args) throws Exception {
        String url = args[0], name = args[3];
        ApiClient own = client(url, args[1]);
        InstancesApi instances = new InstancesApi(own);
        CreateInstance body = new CreateInstance().serviceId(1);
        double charge = instances.instancesCreate(body, null, null, true, null).getDryRun().getChargeAmount();
        ApiResponse<CreateResult> bought = instances.instancesCreateWithHttpInfo(body, name, null, null, null);
        ApiResponse<CreateResult> again = instances.instancesCreateWithHttpInfo(body, name, null, null, null);
        int id = bought.getData().getInstance().getId();
        List<String> plans = new ServicesApi(own).servicesList(null).stream()
            .map(PublicPlan::getSlug).collect(Collectors.toList());
        System.out.println(JSON.getGson().toJson(Map.of(
            "account", new AccountApi(own).accountWhoami(null).getAccountId(),
            "plans", plans,
            "charge", charge,
            "bought", List.of(bought.getStatusCode(), id),
            "replayed", List.of(again.getStatusCode(), again.getData().getInstance().getId()),
            "status", instances.instancesGet(id, null).getStatus(),
            "snapshot", new SnapshotsApi(own).snapshotsList(1, null).get(0).getSizeBytes(),
            "refused", List.of(
                refusal(() -> new AccountApi(client(url, "none")).accountWhoami(null)),
                refusal(() -> new InstancesApi(client(url, args[2])).instancesCreate(body, null, null, null, null)),
                refusal(() -> instances.instancesGet(999_999, null)),
                refusal(() -> instances.instancesResize(1, new Resize().serviceId(2), null, null)),
                refusal(() -> instances.instancesCreate(
                    new CreateInstance().serviceId(1).hostname("-"), null, null, null, null))
            )
        )));
    }
}
