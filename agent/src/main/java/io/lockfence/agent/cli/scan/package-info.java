/**
 * Where a service takes distributed locks, what it writes while it holds them, and what looks wrong: from its class files alone, of which nothing is
 * loaded or run. In the order of reading: {@link io.lockfence.agent.cli.scan.LockTable} and {@link io.lockfence.agent.cli.scan.EffectTable} say
 * which calls are known, {@link io.lockfence.agent.cli.scan.Simulation} follows the values and the held locks through one method,
 * {@link io.lockfence.agent.cli.scan.CallGraph} joins the methods, {@link io.lockfence.agent.cli.scan.Shapes} finds what is suspicious,
 * {@link io.lockfence.agent.cli.scan.Proposal} writes the rules.
 */
package io.lockfence.agent.cli.scan;
