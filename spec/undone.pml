/* Lockfence, P3 where a claim made inside a transaction is undone, and the lease lives on.

   Instance 1 locks, claims, reads, unlocks early, locks again in the same transaction and claims inside it; reads under the second
   lease too. Then anything may happen, in any order: rollbacks to a savepoint before the guard or between guard and claim, seen by
   Lockfence or not; a rollback of the whole transaction, after which the service goes on under the second lease *with what it
   has read*; claims made again; writes. A transaction of plain reads is committed without a guard.
   Instance 2 locks, claims, reads, writes. It may have got the lock between the two leases of instance 1, lose it, and
   claim much later: its token is then above the first lease's and below the second one's.

   A commit asserts that what its leases have read still stands. Run by spec/check. */

#ifndef RECLAIM
#define RECLAIM 1          /* P3.  1: a claim made again goes only over the lease that the undone one went over
                                   0: over any smaller token, as if the lease had not accessed anything yet */
#endif
#ifndef CHECKPREV
#define CHECKPREV 1        /* P3.  0: a claim inside the transaction trusts the memory of a guard */
#endif
#ifndef GUARD_ALL
#define GUARD_ALL 1        /* P4.  0: a claim inside the transaction is taken to serve for the guard at its commit */
#endif
#ifndef STEPS
#define STEPS 3
#endif

byte holder = 0, counter = 0, leases = 0;        /* the coordinator */
byte row = 0;                                    /* the protected data */
byte fenceToken = 0, fenceLease = 0;             /* the fence ... */
byte fenceClaim = 0;                             /* ... held exclusively by the transaction of this instance ... */
byte fenceGuard[3];                              /* ... and shared by these */
bool fenceLowered = false;

#define GUARDED_ELSEWHERE (fenceGuard[3 - me] != 0)

inline beginLease(token, lease) { counter++; token = counter; leases++; lease = leases }

inline writeFence(token, lease) {
  fenceLowered = (token < fenceToken); assert(!fenceLowered);          /* P6: Lockfence never lowers a fence */
  fenceToken = token; fenceLease = lease
}

/* P6: at the first claim only. */
inline raiseOrRefuse(token) {
  if
  :: holder == me -> counter = (counter > fenceToken -> counter : fenceToken); counter++; token = counter
  :: else -> ok = false
  fi
}

/* P3 on a connection of our own; a claim that would wait for this very transaction is refused. */
inline firstClaim(token, lease) {
  if
  :: atomic { !GUARDED_ELSEWHERE && fenceClaim == 0 && fenceGuard[me] == 0 ->
       if :: fenceToken >= token -> raiseOrRefuse(token) :: else fi;
       if :: ok -> writeFence(token, lease) :: else fi }
  :: fenceGuard[me] != 0 -> ok = false
  fi
}

/* The second lease, again, on a connection of our own. */
inline claimAgain() {
  if
  :: atomic { !GUARDED_ELSEWHERE && fenceClaim == 0 && fenceGuard[me] == 0 ->
       if
       :: fenceLease == lease2 -> skip
       :: fenceLease != lease2 && fenceToken < token2 && (!RECLAIM || fenceLease == lease1) -> writeFence(token2, lease2)
       :: else -> ok = false
       fi }
  :: fenceGuard[me] != 0 -> ok = false
  fi
}

/* P3, the exception: conditional on the fence still holding the earlier lease of this transaction's list. */
inline claimInTransaction() {
  if
  :: atomic { !GUARDED_ELSEWHERE && (fenceClaim == 0 || fenceClaim == me) ->
       if
       :: !CHECKPREV || fenceLease == lease1 ->
          if
          :: fenceToken >= token2 && !accessed2 -> raiseOrRefuse(token2)
          :: fenceToken >= token2 && accessed2 -> ok = false
          :: else
          fi;
          if :: ok -> fenceClaim = me; claimed2 = true; undoable = true; listed1 = false :: else fi
       :: else -> ok = false
       fi }
  fi
}

/* P4. */
inline guard(lease) {
  atomic { (fenceClaim == me || fenceClaim == 0);
    if
    :: (fenceClaim == me && (lease == lease2 || lease == lease1)) || fenceLease == lease -> fenceGuard[me] = 1
    :: else -> ok = false
    fi }
}

/* What the lease must do before its next access. */
inline claim2() {
  if
  :: claimed2 -> skip
  :: !claimed2 && inTransaction && believesGuard -> claimInTransaction()
  :: !claimed2 && !(inTransaction && believesGuard) && accessed2 -> claimAgain(); claimed2 = ok
  :: !claimed2 && !(inTransaction && believesGuard) && !accessed2 -> firstClaim(token2, lease2); claimed2 = ok
  fi
}

proctype Twice(byte me) {
  byte token1, lease1, token2, lease2, seen1, seen2, step = 0;
  bool ok = true, wrote, inTransaction = true, believesGuard, listed1, listed2, claimed2, undoable, accessed2;

  atomic { holder == 0 -> holder = me; beginLease(token1, lease1) }
  firstClaim(token1, lease1);
  if :: ok -> seen1 = row; listed1 = true :: else goto out fi;
  if :: wrote = true :: true fi;

  if                                                                    /* unlock, behind a guard or not */
  :: guard(lease1); believesGuard = ok
  :: true
  fi;
  atomic { if :: holder == me -> holder = 0 :: else fi };
  if :: ok :: else goto out fi;
  atomic { holder == 0 -> holder = me; beginLease(token2, lease2) };     /* lock again, in the same transaction */

  do
  :: ok && step < STEPS -> step++;
     if
     :: claim2(); if :: ok -> atomic { seen2 = row; accessed2 = true; listed2 = true } :: else fi               /* a read */
     :: accessed2 -> claim2(); if :: ok -> wrote = true; listed2 = true :: else fi                              /* a write */
     :: inTransaction ->                                                 /* to a savepoint between guard and claim */
        atomic { if :: fenceClaim == me -> fenceClaim = 0 :: else fi };
        if :: undoable -> atomic { claimed2 = false; undoable = false; listed1 = true } :: true fi              /* seen, or not */
     :: inTransaction ->                                                 /* to a savepoint before the guard */
        atomic { if :: fenceClaim == me -> fenceClaim = 0 :: else fi; fenceGuard[me] = 0 };
        if :: atomic { believesGuard = false; if :: undoable -> claimed2 = false; undoable = false; listed1 = true :: else fi }
           :: true
        fi
     :: inTransaction ->                                                 /* whole; the service goes on with what it has read */
        atomic {
          if :: fenceClaim == me -> fenceClaim = 0 :: else fi; fenceGuard[me] = 0;
          if :: undoable -> claimed2 = false; undoable = false :: else fi;
          believesGuard = false; listed1 = false; listed2 = false; wrote = false; inTransaction = false }
     fi
  :: break
  od;

  if :: ok && wrote && listed1 -> guard(lease1) :: else fi;
  if :: ok && wrote && listed2 && (GUARD_ALL || !undoable) -> guard(lease2) :: else fi;
  atomic {
    if
    :: ok && wrote ->
       assert(inTransaction -> row == seen1 : true);
       assert(accessed2 -> row == seen2 : true);
       row = row + 1
    :: else
    fi;
    if :: ok && fenceClaim == me -> writeFence(token2, lease2) :: else fi;
    if :: fenceClaim == me -> fenceClaim = 0 :: else fi;
    fenceGuard[me] = 0 };
out:
  atomic { if :: fenceClaim == me -> fenceClaim = 0 :: else fi; fenceGuard[me] = 0; if :: holder == me -> holder = 0 :: else fi }
}

proctype Once(byte me) {
  byte round = 0, token, lease, seen;
  bool ok, lease1 = 0, lease2 = 0;
  do
  :: round < 2 ->
     round++; ok = true;
     atomic { holder == 0 -> holder = me; beginLease(token, lease) }
     firstClaim(token, lease);
     if
     :: ok ->
        seen = row;
        guard(lease);
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
  :: left < 3 && counter > 0 -> left++; atomic { counter = 0; holder = 0 }
  :: break
  od
}

init { atomic { run Twice(1); run Once(2); run Misfortune() } }
