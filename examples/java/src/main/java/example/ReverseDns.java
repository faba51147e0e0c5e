package example;

import com.pulumi.core.Output;
import com.pulumi.core.annotations.Import;
import com.pulumi.core.annotations.ResourceType;
import com.pulumi.resources.CustomResource;
import com.pulumi.resources.CustomResourceOptions;
import com.pulumi.resources.ResourceArgs;

/** The PTR record of an instance's address. */
@ResourceType(type = "vps:index:ReverseDns")
public class ReverseDns extends CustomResource {
  public ReverseDns(String name, Instance instance, String ptr) {
    super("vps:index:ReverseDns", name, new Args(instance, ptr), CustomResourceOptions.Empty);
  }

  private static class Args extends ResourceArgs {
    @Import(name = "instanceId", required = true)
    private final Output<String> instanceId;

    @Import(name = "ip", required = true)
    private final Output<String> ip;

    @Import(name = "ptr", required = true)
    private final Output<String> ptr;

    Args(Instance instance, String ptr) {
      this.instanceId = instance.id();
      this.ip = instance.ipv4();
      this.ptr = Output.of(ptr);
    }
  }
}
