/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.attach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lockfence.agent.config.Mode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ChannelTest {
    private static final int MILLIS = 20_000;

    private static CompletableFuture<Void> serve(String address, Channel.Handler handler) {
        return CompletableFuture.runAsync(() -> {
            try {
                Channel.serve(address, "1.2.3", handler);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    @Test
    void aRequestGoesOverAndItsAnswerComesBack() throws Exception {
        Request request = new Request("mode: enforce # \u00e4\n", "/a path/rules.yaml", Mode.SHADOW);
        Answer answer = new Answer(Answer.Outcome.WITH_FINDINGS, List.of("one", "", "\u00fc"));
        CompletableFuture<Request> asked = new CompletableFuture<>();
        try (Channel channel = Channel.listen()) {
            CompletableFuture<Void> serving = serve(channel.address(), got -> {
                asked.complete(got);
                return answer;
            });
            try (Channel.Agent agent = channel.accept(MILLIS)) {
                assertThat(agent.version()).isEqualTo("1.2.3");
                assertThat(agent.ask(request, MILLIS)).isEqualTo(answer);
            }
            serving.get(MILLIS, TimeUnit.MILLISECONDS);
        }
        assertThat(asked.join()).isEqualTo(request);
    }

    @Test
    void nothingIsAskedWithNothing() throws Exception {
        CompletableFuture<Request> asked = new CompletableFuture<>();
        try (Channel channel = Channel.listen()) {
            CompletableFuture<Void> serving = serve(channel.address(), got -> {
                asked.complete(got);
                return new Answer(Answer.Outcome.DONE, List.of());
            });
            try (Channel.Agent agent = channel.accept(MILLIS)) {
                agent.ask(new Request(null, null, null), MILLIS);
            }
            serving.get(MILLIS, TimeUnit.MILLISECONDS);
        }
        assertThat(asked.join()).isEqualTo(new Request(null, null, null));
    }

    @Test
    void whoeverDoesNotKnowTheSecretIsSentAway() throws Exception {
        try (Channel channel = Channel.listen()) {
            int port = Integer.parseInt(channel.address().split(",")[2]);
            try (Socket stranger = new Socket(InetAddress.getLoopbackAddress(), port)) {
                stranger.getOutputStream().write("0".repeat(32).getBytes(StandardCharsets.US_ASCII));
                stranger.getOutputStream().flush();
                CompletableFuture<Void> serving =
                        serve(channel.address(), got -> new Answer(Answer.Outcome.REFUSED, List.of("no")));
                try (Channel.Agent agent = channel.accept(MILLIS)) {
                    assertThat(agent.ask(new Request(null, null, null), MILLIS).lines())
                            .containsExactly("no");
                }
                serving.get(MILLIS, TimeUnit.MILLISECONDS);
                assertThat(stranger.getInputStream().read()).isEqualTo(-1);
            }
        }
    }

    /** The command line has gone, and somebody else listens where it did. */
    @Test
    void nothingIsTakenFromWhoeverDoesNotKnowTheOtherHalf() throws Exception {
        try (ServerSocket stranger = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<Void> serving =
                    serve("1,127.0.0.1," + stranger.getLocalPort() + "," + "a".repeat(32) + "b".repeat(32), got -> {
                        throw new AssertionError("asked by a stranger: " + got);
                    });
            try (Socket agent = stranger.accept()) {
                byte[] told = agent.getInputStream().readNBytes(32);
                assertThat(new String(told, StandardCharsets.US_ASCII)).isEqualTo("a".repeat(32));
                agent.getOutputStream().write("a".repeat(32).getBytes(StandardCharsets.US_ASCII));
                agent.getOutputStream().flush();
                assertThatThrownBy(() -> serving.get(MILLIS, TimeUnit.MILLISECONDS))
                        .hasStackTraceContaining("is not the command line that asked");
            }
        }
    }

    @Test
    void nobodyIsWaitedForForEver() throws Exception {
        try (Channel channel = Channel.listen()) {
            assertThatThrownBy(() -> channel.accept(50)).isInstanceOf(SocketTimeoutException.class);
        }
    }

    @Test
    void anAnswerIsNotWaitedForForEver() throws Exception {
        CompletableFuture<Answer> late = new CompletableFuture<>();
        try (Channel channel = Channel.listen()) {
            CompletableFuture<Void> serving = serve(channel.address(), got -> late.join());
            try (Channel.Agent agent = channel.accept(MILLIS)) {
                assertThatThrownBy(() -> agent.ask(new Request(null, null, null), 50))
                        .isInstanceOf(SocketTimeoutException.class);
            }
            late.complete(new Answer(Answer.Outcome.DONE, List.of()));
            serving.exceptionally(gone -> null).get(MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    @Test
    void anAddressOfAnotherMachineOrVersionIsRefused() {
        assertThatThrownBy(() -> Channel.serve("1,192.0.2.1,80,00", "1.2.3", got -> null))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("is not this machine");
        assertThatThrownBy(() -> Channel.serve("2,127.0.0.1,80,00", "1.2.3", got -> null))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("of another version of Lockfence: use that of 1.2.3");
    }
}
