/* Lockfence, P3 and P4 for two leases in one transaction: lock, write, unlock, lock again, write, commit.

   The first lease claims on a connection of our own. The transaction reads, may write, and unlocks early behind a guard.
   It may then lock again. Where it still holds a guard, a claim on another connection would wait for this very transaction, so
   the second lease claims inside it. A rollback to a savepoint may undo guard and claim at any of these places.
   The writes are inserts: no row lock of the database helps. As in fence.pml nothing is checked locally. Run by spec/check. */

#ifndef EARLY
#define EARLY 0            /* P4.  1: the guard has an early way out where nothing was written yet */
#endif
#ifndef GUARDFIRST
#define GUARDFIRST 0       /* P4.  1: an autocommit write is wrapped as guard, write, commit */
#endif
#ifndef RESTORE
#define RESTORE 1          /* P3.  0: the first lease leaves the list for good with the second one's claim in the transaction */
#endif
#ifndef KEEPL1
#define KEEPL1 0           /* P3.  1: the first lease also leaves the list when the second one claims on a connection of our own */
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif

byte holder = 0, counter = 0;                    /* the coordinator */
byte row = 0;                                    /* the protected data */
byte fenceToken = 0, fenceLease = 0;             /* the fence ... */
byte fenceClaim = 0;                             /* ... held exclusively by the transaction of this instance ... */
byte leases = 0;
byte fenceGuard[3];                              /* ... and shared by these */

#define GUARDED_ELSEWHERE (fenceGuard[3 - me] != 0)

inline beginLease(token, lease) { counter++; token = counter; leases++; lease = leases }

/* P4. A claim inside this transaction satisfies the guard of the second lease, and of the first one if it was claimed over it. */
inline guard(token, lease) {
  atomic {
    if
    :: EARLY && !wrote -> skip
    :: else ->
       (fenceClaim == me || fenceClaim == 0);
       if
       :: ((fenceClaim == me && lease == lease2) || (fenceToken == token && fenceLease == lease)
           || (fenceClaim == me && lease == lease1 && claimedOver1)) -> fenceGuard[me] = 1
       :: else -> ok = false
       fi
    fi }
}

/* P3 on a connection of our own: it would wait for this transaction's own guard as well. P6 at the first claim only. */
inline claim(token, lease) {
  atomic { !GUARDED_ELSEWHERE && fenceClaim == 0 && fenceGuard[me] == 0 ->
    if
    :: fenceToken < token -> fenceToken = token; fenceLease = lease
    :: fenceToken == token && fenceLease == lease -> skip
    :: else ->
       if
       :: firstClaim && holder == me ->
          counter = (counter > fenceToken -> counter : fenceToken); counter++; token = counter;
          fenceToken = token; fenceLease = lease
       :: else -> ok = false
       fi
    fi }
}

/* P3, the exception: only over a lease of this transaction's list, which then leaves the list. */
inline claimInTransaction() {
  atomic { !GUARDED_ELSEWHERE && fenceClaim == 0 ->
    if
    :: fenceToken == token1 && fenceLease == lease1 ->
       fenceClaim = me; claimed2 = true; claimedOver1 = true; listed1 = false
    :: else -> ok = false
    fi }
}

/* Undoes guard and claim; the first lease is on the list again. */
inline rollbackToSavepoint() {
  atomic {
    fenceGuard[me] = 0;
    if
    :: fenceClaim == me ->
       fenceClaim = 0; claimed2 = false; claimedOver1 = false;
       if :: RESTORE -> listed1 = true :: else fi
    :: else
    fi }
}

inline commitOrRollback() {
  atomic {
    if :: ok && wrote -> assert(row == seen); row = seen + 1 :: else fi;
    if :: ok && fenceClaim == me -> fenceToken = token2; fenceLease = lease2 :: else fi;
    if :: fenceClaim == me -> fenceClaim = 0 :: else fi;
    fenceGuard[me] = 0 }
}

proctype Instance(byte me) {
  byte round = 0, token1, lease1, token2, lease2, seen;
  bool ok, wrote, released, listed1, listed2, claimed2, firstClaim, claimedOver1;
  do
  :: round < ROUNDS ->
     round++; ok = true; wrote = false; released = false; listed1 = false; listed2 = false; claimed2 = false;
     lease2 = 0; token2 = 0; firstClaim = true; claimedOver1 = false;
     atomic { holder == 0 -> holder = me; beginLease(token1, lease1) }
     claim(token1, lease1); firstClaim = false;
     if
     :: ok ->
        seen = row; listed1 = true;
#if GUARDFIRST
        guard(token1, lease1);
        if :: ok -> wrote = true :: else fi;
        atomic { if :: ok -> assert(row == seen); row = seen + 1 :: else fi; fenceGuard[me] = 0 }
#else
        if :: wrote = true :: true fi;
        if
        :: ok ->                                                      /* unlock before the commit */
           guard(token1, lease1); atomic { if :: holder == me -> holder = 0 :: else fi; released = true }
           if :: rollbackToSavepoint() :: true fi;
           if
           :: ok ->                                                   /* lock again, in the same transaction */
              atomic { holder == 0 -> holder = me; beginLease(token2, lease2); listed2 = true }
              if
              :: ok && fenceGuard[me] == 1 -> claimInTransaction()
              :: ok && fenceGuard[me] == 0 ->
                 firstClaim = true; claim(token2, lease2); firstClaim = false; claimed2 = true;
                 if :: KEEPL1 -> listed1 = false :: else fi
              :: else
              fi;
              if :: wrote = true :: true fi;
              if
              :: ok ->
                 rollbackToSavepoint();
                 if :: ok && !claimed2 -> claim(token2, lease2); claimed2 = true :: else fi
              :: true
              fi
           :: true
           fi
        :: true
        fi;
        if :: ok && listed1 -> guard(token1, lease1) :: else fi;
        if :: ok && listed2 -> guard(token2, lease2) :: else fi;
        commitOrRollback()
#endif
     :: else
     fi;
     atomic { if :: holder == me && (!released || listed2) -> holder = 0 :: else fi }
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

init { atomic { run Instance(1); run Instance(2); run Misfortune() } }
