/* Lockfence, snapshots older than the claim (P4, refusal LF008): REPEATABLE READ and SERIALIZABLE.

   A transaction may take its snapshot before it locks (its first statement ran before lock()), or after. All that it reads, the
   plain read of a guard too, is as of the snapshot. What it writes are inserts, so the database's own conflict detection
   stays silent. A guard that locks the fence row (SELECT ... FOR SHARE) fails where that row changed after the snapshot,
   by another's claim or by our own: looked at again in a fresh transaction, either means that the snapshot is no good.
   Run by spec/check. */

#ifndef ROWLOCK
#define ROWLOCK 1          /* P4.  0: the guard is the plain read behind an advisory lock that READ COMMITTED uses */
#endif
#ifndef OWN_CLAIM
#define OWN_CLAIM 1        /* P4.  0: the guard forgives a change of the fence that is our own claim */
#endif

byte holder = 0, counter = 0, leases = 0;
byte row = 0;
byte fenceToken = 0, fenceLease = 0, fenceVersion = 0;
byte fenceGuard[3];

#define GUARDED_ELSEWHERE (fenceGuard[3 - me] != 0)

inline takeSnapshot() { atomic { seen = row; seenLease = fenceLease; seenVersion = fenceVersion; snapshot = true } }

inline claim() {
  atomic { !GUARDED_ELSEWHERE ->
    if
    :: fenceToken < token -> fenceToken = token; fenceLease = lease; fenceVersion++
    :: else -> ok = false
    fi }
}

inline guard() {
  atomic {
    if
#if ROWLOCK && OWN_CLAIM
    :: fenceVersion == seenVersion && fenceLease == lease -> fenceGuard[me] = 1
#elif ROWLOCK
    :: fenceLease == lease -> fenceGuard[me] = 1
#else
    :: seenLease == lease || (seenLease != lease && fenceLease == lease) -> fenceGuard[me] = 1
#endif
    :: else -> ok = false
    fi }
}

proctype Instance(byte me) {
  byte round = 0, token, lease, seen, seenLease, seenVersion;
  bool ok, snapshot;
  do
  :: round < 3 ->
     round++; ok = true; snapshot = false;
     if :: takeSnapshot() :: true fi;                       /* a statement before lock() */
     atomic { holder == 0 -> holder = me; counter++; token = counter; leases++; lease = leases }
     claim();
     if
     :: ok ->
        if :: !snapshot -> takeSnapshot() :: else fi;       /* the first statement under the lock */
        guard();
        atomic { if :: ok -> assert(row == seen); row = seen + 1 :: else fi; fenceGuard[me] = 0 }
     :: else
     fi;
     atomic { if :: holder == me -> holder = 0 :: else fi }
  :: else -> break
  od
}

proctype Misfortune() {
  byte left = 0;
  do
  :: left < 3 -> left++; atomic { holder = 0 }
  :: break
  od
}

init { atomic { run Instance(1); run Instance(2); run Misfortune() } }
