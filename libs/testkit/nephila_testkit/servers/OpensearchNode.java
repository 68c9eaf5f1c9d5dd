// One OpenSearch node in this JVM, its modules taken from the class path: OpensearchNode HOME HTTP_PORT TRANSPORT_PORT
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.opensearch.common.logging.LogConfigurator;
import org.opensearch.common.settings.Settings;
import org.opensearch.env.Environment;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;
import org.opensearch.plugins.Plugin;

public class OpensearchNode extends Node {
  private static final List<String> MODULES =
      List.of(
          "org.opensearch.transport.Netty4Plugin",
          "org.opensearch.analysis.common.CommonAnalysisPlugin",
          "org.opensearch.painless.PainlessPlugin");

  private OpensearchNode(Environment environment, List<Class<? extends Plugin>> modules) {
    super(environment, modules, false);
  }

  public static void main(String[] told) throws Exception {
    Path home = Path.of(told[0]).toAbsolutePath();
    Settings settings = settings(home, told[1], told[2]);
    LogConfigurator.configureWithoutConfig(settings);
    Environment environment =
        InternalSettingsPreparer.prepareEnvironment(
            settings, Map.of(), home.resolve("config"), () -> "node");
    List<Class<? extends Plugin>> modules = new ArrayList<>();
    for (String module : MODULES) {
      modules.add(Class.forName(module).asSubclass(Plugin.class));
    }
    Node node = new OpensearchNode(environment, modules);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> close(node)));
    node.start();
    Thread.currentThread().join();
  }

  private static Settings settings(Path home, String http, String transport) {
    return Settings.builder()
        .put("path.home", home.toString())
        .put("path.data", home.resolve("data").toString())
        .put("path.logs", home.resolve("logs").toString())
        .put("cluster.name", "nephila")
        .put("node.name", "node")
        .put("discovery.type", "single-node")
        .put("network.host", "127.0.0.1")
        .put("http.port", http)
        .put("transport.port", transport)
        .put("http.type", "netty4")
        .put("transport.type", "netty4")
        .put("node.processors", 2)
        .put("cluster.routing.allocation.disk.threshold_enabled", false)
        .build();
  }

  private static void close(Node node) {
    try {
      node.close();
    } catch (Exception fault) {
      fault.printStackTrace();
    }
  }
}
