package example;

import com.pulumi.core.Output;
import com.pulumi.core.annotations.Export;
import com.pulumi.core.annotations.Import;
import com.pulumi.core.annotations.ResourceType;
import com.pulumi.resources.CustomResource;
import com.pulumi.resources.CustomResourceOptions;
import com.pulumi.resources.ResourceArgs;

/** An instance, with the inputs and outputs that this program uses. */
@ResourceType(type = "vps:index:Instance")
public class Instance extends CustomResource {
  @Export(name = "ipv4", refs = {String.class}, tree = "[0]")
  private Output<String> ipv4;

  @Export(name = "chargeAmount", refs = {Double.class}, tree = "[0]")
  private Output<Double> chargeAmount;

  public Output<String> ipv4() {
    return ipv4;
  }

  public Output<Double> chargeAmount() {
    return chargeAmount;
  }

  public Instance(String name, Args args) {
    super("vps:index:Instance", name, args, CustomResourceOptions.Empty);
  }

  public static class Args extends ResourceArgs {
    @Import(name = "serviceId", required = true)
    private final Output<Integer> serviceId;

    @Import(name = "hostname")
    private final Output<String> hostname;

    @Import(name = "maxCharge")
    private final Output<Double> maxCharge;

    @Import(name = "deletionPolicy")
    private final Output<String> deletionPolicy;

    public Args(int serviceId, String hostname, double maxCharge, String deletionPolicy) {
      this.serviceId = Output.of(serviceId);
      this.hostname = Output.of(hostname);
      this.maxCharge = Output.of(maxCharge);
      this.deletionPolicy = Output.of(deletionPolicy);
    }
  }
}
