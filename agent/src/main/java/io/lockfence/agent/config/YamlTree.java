/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import io.lockfence.agent.config.YamlNode.Entry;
import io.lockfence.agent.config.YamlNode.Items;
import io.lockfence.agent.config.YamlNode.Table;
import io.lockfence.agent.config.YamlNode.Text;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.common.Anchor;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.parser.ParserImpl;
import org.snakeyaml.engine.v2.scanner.StreamReader;

/**
 * Builds the tree of a YAML file from the parser's events, with its limits: what a rules file needs is four levels deep and has few
 * aliases, and more than that is a mistake or an attack.
 */
final class YamlTree {
    private static final int MAX_DEPTH = 16;
    private static final int MAX_ALIASES = 50;
    private static final String QUOTE = "put text with any of { } [ ] * & ! % @ : # in quotes";

    private final ParserImpl parser;
    private final Map<String, YamlNode> anchors = new HashMap<>();
    private int aliases;

    private YamlTree(String text) {
        LoadSettings settings = LoadSettings.builder()
                .setCodePointLimit(Integer.MAX_VALUE)
                .setUseMarks(true)
                .build();
        parser = new ParserImpl(settings, new StreamReader(settings, text));
    }

    /** What makes it impossible to read on. */
    static final class Unreadable extends Exception {
        private static final long serialVersionUID = 1;
        private final transient Problem problem;

        Unreadable(Problem problem) {
            super(problem.what());
            this.problem = problem;
        }

        Problem problem() {
            return problem;
        }
    }

    /**
     * The root of the file; null if it holds nothing but comments.
     *
     * @throws Unreadable if it is not YAML, or beyond the limits
     */
    static YamlNode of(String text) throws Unreadable {
        try {
            return new YamlTree(text).document();
        } catch (MarkedYamlEngineException e) {
            Mark mark = e.getProblemMark().or(e::getContextMark).orElse(null);
            throw unreadable(mark, "not YAML: " + said(e), hint(e));
        } catch (YamlEngineException e) {
            throw unreadable((Mark) null, "not YAML: " + Problem.shown(String.valueOf(e.getMessage())), QUOTE);
        }
    }

    private static String said(MarkedYamlEngineException e) {
        String context = e.getContext();
        return Problem.line((context == null ? "" : context + ", ") + e.getProblem());
    }

    private static String hint(MarkedYamlEngineException e) {
        String said = said(e);
        if (said.contains("TAB")) {
            return "indent with spaces";
        }
        if (said.contains("quoted scalar")) {
            return "close the quotes";
        }
        if (said.contains("stream end")) {
            return "close the bracket";
        }
        return said.contains("block end") ? "check the indentation, and " + QUOTE : QUOTE;
    }

    private static Unreadable unreadable(Mark mark, String what, String expected) {
        return new Unreadable(
                mark == null
                        ? Problem.of(what, expected)
                        : new Problem(mark.getLine() + 1, mark.getColumn() + 1, what, expected, ""));
    }

    private static Unreadable unreadable(Event at, String what, String expected) {
        return unreadable(at.getStartMark().orElse(null), what, expected);
    }

    private YamlNode document() throws Unreadable {
        parser.next(); // the stream's start
        if (parser.checkEvent(Event.ID.StreamEnd)) {
            return null;
        }
        parser.next(); // the document's start
        YamlNode root = node(parser.next(), 1);
        parser.next(); // the document's end
        if (!parser.checkEvent(Event.ID.StreamEnd)) {
            throw unreadable(parser.next(), "a second document", "a rules file is one document: remove '---'");
        }
        return root;
    }

    private YamlNode node(Event event, int depth) throws Unreadable {
        if (depth > MAX_DEPTH) {
            throw unreadable(event, "nested more than " + MAX_DEPTH + " deep", "a rules file needs four levels");
        }
        if (event instanceof AliasEvent alias) {
            return aliased(alias);
        }
        Optional<String> tag = event instanceof ScalarEvent scalar
                ? scalar.getTag()
                : event instanceof CollectionStartEvent collection ? collection.getTag() : Optional.empty();
        if (tag.isPresent()) {
            throw unreadable(
                    event,
                    "a tag (" + Problem.shown(tag.get()) + ")",
                    "rules have no tags: put text with '!' in quotes");
        }
        Mark mark = event.getStartMark().orElseThrow();
        YamlNode node = content(event, depth, mark.getLine() + 1, mark.getColumn() + 1);
        Anchor anchor = ((NodeEvent) event).getAnchor().orElse(null);
        if (anchor != null) {
            anchors.put(anchor.getValue(), node);
        }
        return node;
    }

    private YamlNode content(Event event, int depth, int line, int column) throws Unreadable {
        if (event instanceof ScalarEvent scalar) {
            return new Text(scalar.getValue(), scalar.isPlain(), line, column);
        }
        if (event.getEventId() == Event.ID.SequenceStart) {
            List<YamlNode> items = new ArrayList<>();
            while (!parser.checkEvent(Event.ID.SequenceEnd)) {
                items.add(node(parser.next(), depth + 1));
            }
            parser.next();
            return new Items(items, line, column);
        }
        List<Entry> entries = new ArrayList<>();
        while (!parser.checkEvent(Event.ID.MappingEnd)) {
            YamlNode key = node(parser.next(), depth + 1);
            entries.add(new Entry(key, node(parser.next(), depth + 1)));
        }
        parser.next();
        return new Table(entries, line, column);
    }

    private YamlNode aliased(AliasEvent alias) throws Unreadable {
        String name = alias.getAlias().getValue();
        YamlNode node = anchors.get(name);
        if (node == null) {
            throw unreadable(
                    alias,
                    "'*" + Problem.shown(name) + "' refers to an anchor that does not stand before it",
                    "put text that starts with '*' in quotes");
        }
        aliases++;
        if (aliases > MAX_ALIASES) {
            throw unreadable(alias, "more than " + MAX_ALIASES + " aliases", "write the rules out");
        }
        return node;
    }
}
