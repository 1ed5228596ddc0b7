/* SPDX-License-Identifier: Apache-2.0 */
/** All that is special to PostgreSQL 14 to 18: the fence table, its routines and their Java face, and what a statement does. */
package io.lockfence.agent.fence.postgresql;
