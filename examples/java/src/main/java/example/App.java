// An instance with a PTR record, in Java, by the Automation API.
//
// Shows: an instance, a resource that depends on it, and the charge as an output.
//
//   npm install pulumi-vps
//   mvn package dependency:copy-dependencies
//   VPS_BASE_URL=https://host/api/v1 VPS_API_KEY=vps_live_... \
//     java -cp 'target/vps-java-1.0.0.jar:target/dependency/*' example.App up
package example;

import com.pulumi.Context;
import com.pulumi.automation.LocalWorkspace;
import com.pulumi.automation.LocalWorkspaceOptions;
import com.pulumi.automation.ProjectPluginOptions;
import com.pulumi.automation.ProjectPlugins;
import com.pulumi.automation.ProjectRuntimeName;
import com.pulumi.automation.ProjectSettings;
import java.nio.file.Path;
import java.util.List;

public class App {
  private static void program(Context ctx) {
    var web = new Instance("web", new Instance.Args(1, "web.example.com", 10, "stop"));
    new ReverseDns("web", web, "web.example.com");
    ctx.export("address", web.ipv4());
    ctx.export("charge", web.chargeAmount());
  }

  /** The plugin of the npm package in this folder. */
  private static ProjectSettings settings(Path folder) {
    var plugin = folder.resolve("node_modules/pulumi-vps/plugin").toString();
    var vps = ProjectPluginOptions.builder().name("vps").path(plugin).build();
    return ProjectSettings.builder("java", ProjectRuntimeName.JAVA)
        .plugins(ProjectPlugins.builder().providers(List.of(vps)).build())
        .build();
  }

  public static void main(String[] args) throws Exception {
    var options = LocalWorkspaceOptions.builder()
        .projectSettings(settings(Path.of("").toAbsolutePath()))
        .build();
    var stack = LocalWorkspace.createOrSelectStack("java", "test", App::program, options);
    var output = switch (args[0]) {
      case "preview" -> stack.preview().standardOutput();
      case "up" -> stack.up().standardOutput();
      case "destroy" -> stack.destroy().standardOutput();
      default -> throw new IllegalArgumentException("preview, up or destroy");
    };
    System.out.println(output);
  }
}
