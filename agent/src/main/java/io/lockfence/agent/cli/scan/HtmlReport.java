/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli.scan;

import io.lockfence.agent.cli.scan.ScanResult.DriverUse;
import io.lockfence.agent.cli.scan.ScanResult.Finding;
import io.lockfence.agent.cli.scan.ScanResult.LibraryUse;
import io.lockfence.agent.cli.scan.ScanResult.LockSite;
import io.lockfence.agent.cli.scan.ScanResult.WriteSite;
import io.lockfence.agent.cli.scan.ScanResult.WriteUse;
import java.util.List;

/** A scan's result as one page that needs nothing else: no script, no font, no image, nothing from a network. */
public final class HtmlReport {
    private static final String STYLE = """
            :root{color-scheme:light dark;--line:#8884;--soft:#8882;--bad:#b3261e;--good:#1b6e3c;--maybe:#8a5a00}
            @media(prefers-color-scheme:dark){:root{--bad:#ff8a80;--good:#7fd6a0;--maybe:#ffc46b}}
            body{font:15px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem}
            h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2.2rem;border-bottom:1px solid var(--line)}
            code,pre{font:13px/1.45 ui-monospace,monospace}td code{overflow-wrap:anywhere}
            pre{background:var(--soft);padding:1rem;overflow-x:auto;border-radius:4px}
            table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.35rem .6rem;border-bottom:1px solid var(--line)}
            details{margin:.2rem 0}.bad{color:var(--bad)}.good{color:var(--good)}.maybe{color:var(--maybe)}.soft{opacity:.75}
            """;

    private final ScanResult result;
    private final StringBuilder out = new StringBuilder();

    private HtmlReport(ScanResult result) {
        this.result = result;
    }

    /** The whole page. */
    public static String of(ScanResult result) {
        HtmlReport report = new HtmlReport(result);
        report.write();
        return report.out.toString();
    }

    private void write() {
        out.append("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">")
                .append("<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">")
                .append(
                        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">")
                .append("<title>Lockfence scan</title><style>")
                .append(STYLE)
                .append("</style></head><body>\n<h1>Lockfence scan</h1>\n<p>");
        result.paths()
                .forEach(path -> out.append("<code>").append(escaped(path)).append("</code> "));
        out.append("<br><span class=\"soft\">")
                .append(result.classes())
                .append(" classes, of which ")
                .append(result.ownClasses())
                .append(" with ")
                .append(result.ownMethods())
                .append(" methods are the service's own</span></p>\n");
        findings();
        libraries();
        locks();
        outside();
        out.append("<h2>Proposed rules</h2>\n<pre>")
                .append(escaped(result.rules()))
                .append("</pre>\n");
        if (!result.notices().isEmpty()) {
            out.append("<h2>Notes</h2>\n<ul>");
            result.notices()
                    .forEach(
                            notice -> out.append("<li>").append(escaped(notice)).append("</li>\n"));
            out.append("</ul>\n");
        }
        out.append("</body></html>\n");
    }

    private void findings() {
        out.append("<h2>Findings: ").append(result.findings().size()).append("</h2>\n");
        if (result.findings().isEmpty()) {
            out.append("<p>None.</p>\n");
            return;
        }
        out.append("<table><tr><th>What looks wrong</th><th>Where</th></tr>\n");
        for (Finding finding : result.findings()) {
            out.append("<tr><td><b class=\"bad\">")
                    .append(escaped(finding.shape().title()))
                    .append("</b><br>")
                    .append(escaped(finding.what()))
                    .append("<br><span class=\"soft\">")
                    .append(escaped(finding.why()))
                    .append("</span></td><td>")
                    .append(code(finding.place().toString()))
                    .append("</td></tr>\n");
        }
        out.append("</table>\n");
    }

    private void libraries() {
        out.append("<h2>Lock libraries and databases</h2>\n");
        if (result.libraries().isEmpty() && result.databases().isEmpty()) {
            out.append("<p>None that is known.</p>\n");
            return;
        }
        out.append("<table><tr><th>Library</th><th>Version</th><th>Calls</th><th>State</th></tr>\n");
        for (LibraryUse use : result.libraries()) {
            out.append("<tr><td>")
                    .append(escaped(use.title()))
                    .append("</td><td>")
                    .append(escaped(use.version()))
                    .append("</td><td>")
                    .append(use.sites())
                    .append("</td><td class=\"")
                    .append(use.fenced() ? "good\">" : "maybe\">")
                    .append(escaped(Report.library(result, use)))
                    .append(use.present() ? "" : "; its jar was not read")
                    .append("</td></tr>\n");
        }
        for (DriverUse driver : result.databases()) {
            out.append("<tr><td>database driver ")
                    .append(escaped(driver.name()))
                    .append("</td><td>")
                    .append(escaped(driver.version()))
                    .append("</td><td></td><td class=\"")
                    .append(state(driver.fenced()))
                    .append("</td></tr>\n");
        }
        out.append("</table>\n");
    }

    private static String state(boolean fenced) {
        return (fenced ? "good\">" : "maybe\">") + Report.library(fenced);
    }

    private void locks() {
        out.append("<h2>Locks: ")
                .append(result.locks().size())
                .append("</h2>\n<table><tr><th>Lock</th><th>Where</th><th>Written under it</th></tr>\n");
        for (LockSite site : result.locks()) {
            out.append("<tr><td>")
                    .append(escaped(site.title()))
                    .append("<br>")
                    .append(site.key().equals("*") ? Report.UNNAMED : code(site.key()))
                    .append("<br><span class=\"")
                    .append(site.canBeFenced() ? "good" : "maybe")
                    .append("\">")
                    .append(escaped(Report.status(site.status())))
                    .append("</span>");
            if (site.leaseMillis() > 0) {
                out.append("<br>lease ").append(Times.text(site.leaseMillis()));
            }
            out.append("</td><td>")
                    .append(site.wrapper() ? "through " : "")
                    .append(code(site.call()))
                    .append("<br>")
                    .append(code(site.place().toString()));
            if (site.releasedElsewhere()) {
                out.append("<br><span class=\"soft\">not given back in this method</span>");
            }
            out.append("</td><td>");
            for (WriteUse use : site.within()) {
                out.append("<details><summary>")
                        .append(escaped(
                                use.write().kind().word() + ": " + use.write().call()))
                        .append(use.task() ? ", maybe on another thread" : "")
                        .append("</summary>")
                        .append(escaped(use.write().detail()))
                        .append("<br>")
                        .append(code(use.write().place().toString()))
                        .append("<br>")
                        .append(escaped(String.join(" › ", use.path())))
                        .append("</details>");
            }
            out.append("</td></tr>\n");
        }
        out.append("</table>\n");
    }

    private void outside() {
        List<WriteSite> outside = Report.outside(result);
        out.append("<h2>Writes under no lock that was found: ")
                .append(outside.size())
                .append(" of ")
                .append(result.writes().size())
                .append("</h2>\n<details><summary>All</summary><ul>");
        for (WriteSite write : outside) {
            out.append("<li>").append(escaped(Report.write(write))).append("</li>\n");
        }
        out.append("</ul></details>\n");
    }

    private static String code(String text) {
        return "<code>" + escaped(text) + "</code>";
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")
                .replace("'", "&#39;");
    }
}
