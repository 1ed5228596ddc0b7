/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.lockfence.agent.config.RulesSchema;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Help.Ansi;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class SchemaTest {
    private static final Path DOCS = Path.of("../docs");

    @Test
    void theSchemaIsPrintedAsJson() {
        StringWriter out = new StringWriter();

        int code = Main.run(Ansi.OFF, new PrintWriter(out), new PrintWriter(new StringWriter()), "schema");

        JsonMapper json = JsonMapper.shared();
        assertThat(code).isZero();
        assertThat(json.readTree(out.toString())).isEqualTo(json.<JsonNode>valueToTree(RulesSchema.tree()));
    }

    @Test
    void theSchemaInTheDocumentsIsTheOneThatIsPrinted() throws IOException {
        assertThat(Files.readString(DOCS.resolve("lockfence.schema.json")))
                .as("after a change: java -jar lockfence.jar schema > docs/lockfence.schema.json")
                .isEqualTo(Schema.json());
    }

    @Test
    void theCommentThatMakesEditorsUseItIsInTheExampleTheGuideAndTheHelp() throws IOException {
        StringWriter help = new StringWriter();
        Main.run(Ansi.OFF, new PrintWriter(help), new PrintWriter(new StringWriter()), "schema", "--help");

        assertThat(help.toString()).contains(RulesSchema.COMMENT);
        assertThat(Files.readString(DOCS.resolve("rules.md"))).contains(RulesSchema.COMMENT);
        assertThat(Files.readString(DOCS.resolve("lockfence.example.yaml"))).startsWith(RulesSchema.COMMENT + "\n");
    }
}
