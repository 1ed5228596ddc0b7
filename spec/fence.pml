/* Lockfence, P2-P6 on one database.

   Two service instances share one lock and one protected row. Each instance does the read-compute-write that locks are for:
   lock, claim, read the row, (unlock early,) guard, write what was computed, commit, unlock. A commit asserts that nobody
   committed since the row was read: a violated assertion is a lost update.

   The world is as bad as it gets. A hold may end at any moment and its holder never notices. No local check (P5) is
   modelled, so safety rests on the claim (P3) and the guard (P4) alone. An instance may unlock before it commits, roll
   back to a savepoint, roll back whole, and call lock() again in the belief that it re-enters. The coordinator may forget
   its counter and issue its tokens again.

   Each switch below is the protocol at its default; a mutant changes one and must lose an update. Run by spec/check. */

#ifndef CLAIM
#define CLAIM 1            /* P3.  0: textbook fencing, the fence advances only with the guarded write */
#endif
#ifndef GUARD_LOCKS
#define GUARD_LOCKS 1      /* P4.  0: the guard looks at the fence but does not hold it until the commit */
#endif
#ifndef GUARD_AT_COMMIT
#define GUARD_AT_COMMIT 1  /* P4.  0: a guard at release is taken to serve for the commit as well */
#endif
#ifndef GUARD_AT_RELEASE
#define GUARD_AT_RELEASE 1 /* P4.  0: an early unlock is sent without a guard (switched off, not possible, or given up) */
#endif
#ifndef LEASE_ID
#define LEASE_ID 1         /* P2.  0: equal tokens are taken for the same lease */
#endif
#ifndef NEW_LEASE
#define NEW_LEASE 1        /* P1.  1: a hold that was lost and taken again is a new lease, the old one is dead
                                   0: it is taken for a re-entry, the old lease lives on
                                   2: the new lease takes the old one's place and claims (explicit lease times) */
#endif
#ifndef REMINT
#define REMINT 1           /* P6.  1: a token behind the fence is raised only at the lease's first claim
                                   2: also when a guard finds another lease
                                   0: never */
#endif
#ifndef REMINT_STEPS
#define REMINT_STEPS 0     /* P6.  1: asking the coordinator, and the claim with the new token, are steps of their own */
#endif
#ifndef DUPTOKEN
#define DUPTOKEN 1         /* the coordinator may forget its counter */
#endif
#ifndef SAVEPOINT
#define SAVEPOINT 1        /* a rollback to a savepoint may undo whatever the transaction holds on the fence */
#endif
#ifndef INTX
#define INTX 1             /* P3.  a claim may be made inside the transaction */
#endif
#ifndef LATE_CLAIM
#define LATE_CLAIM 0       /* P3.  1: a claim may be given up by its holder and reach the database later */
#endif
#ifndef ROUNDS
#define ROUNDS 2           /* locks that each instance takes */
#endif

/* The coordinator. */
byte holder = 0;           /* the instance that owns the lock, 0 for none */
byte counter = 0;          /* the last token issued */

/* The database. */
byte row = 0;              /* the protected row; commits count it up */
byte rowLock = 0;          /* the transaction that updated the row and is still open */
byte fenceToken = 0;       /* the fence: highest token claimed ... */
byte fenceLease = 0;       /* ... and the lease that claimed it */
byte fenceClaim = 0;       /* the transaction that holds the fence exclusively, for a claim made inside it */
byte fenceGuard[3];        /* the transactions that hold the fence shared, by a guard */

byte leases = 0;           /* lease ids issued: two leases never share one */
#if LATE_CLAIM
byte airToken = 0;         /* a claim on its way whose holder gave it up; 0 for none */
byte airLease = 0;
#endif

#define GUARDED_ELSEWHERE  (fenceGuard[3 - me] != 0)
#define FENCE_IS_FREE      (!GUARDED_ELSEWHERE && fenceClaim == 0)
#define FENCE_IS_MINE      (fenceToken == token && (fenceLease == lease || !LEASE_ID))

/* P2: a token comes in one atomic step with the hold; P1: a lease id is never used twice. */
inline beginLease() { counter++; token = counter; leases++; lease = leases }

inline writeFence() { fenceToken = token; fenceLease = lease }

/* P6: "if I still own it, a token above the fence's". */
inline raiseToken() { counter = (counter > fenceToken -> counter : fenceToken); beginLease() }

/* P3: one autocommitted statement on a connection of our own. It waits while a guard or a claim holds the fence. */
inline claim() {
  atomic { FENCE_IS_FREE ->
    if
    :: fenceToken < token -> writeFence()
    :: fenceToken >= token && FENCE_IS_MINE -> skip
    :: fenceToken >= token && !FENCE_IS_MINE ->
#if REMINT && REMINT_STEPS
       behind = true
#elif REMINT
       if :: holder == me -> raiseToken(); writeFence() :: else -> ok = false fi
#else
       ok = false
#endif
    fi }
#if REMINT && REMINT_STEPS
  if
  :: behind ->
     atomic { if :: holder == me -> raiseToken() :: else -> ok = false fi };
     if
     :: ok -> atomic { FENCE_IS_FREE -> if :: fenceToken < token -> writeFence() :: else -> ok = false fi }
     :: else
     fi
  :: else
  fi
#endif
}

/* P3, the exception: a claim inside the transaction. It takes the fence exclusively; the commit makes it visible. */
inline claimInTransaction() {
  atomic { FENCE_IS_FREE -> if :: fenceToken < token -> fenceClaim = me :: else -> ok = false fi }
}

/* P4: the fence must hold this lease, and is held shared until the transaction ends. */
inline guard() {
  atomic { (fenceClaim == me || fenceClaim == 0);
    if
#if CLAIM
    :: fenceClaim == me || FENCE_IS_MINE -> fenceGuard[me] = GUARD_LOCKS
#if REMINT == 2
    :: !(fenceClaim == me || FENCE_IS_MINE) && holder == me && !GUARDED_ELSEWHERE ->
       raiseToken(); writeFence(); fenceGuard[me] = GUARD_LOCKS
#endif
#else
    :: fenceToken <= token && !GUARDED_ELSEWHERE -> fenceToken = token; fenceGuard[me] = GUARD_LOCKS
#endif
    :: else -> ok = false
    fi;
    guarded = true }
}

inline unlock() { if :: holder == me -> holder = 0 :: else fi }

inline endTransaction() {
  if :: rowLock == me -> rowLock = 0 :: else fi;
  if :: fenceClaim == me -> fenceClaim = 0 :: else fi;
  fenceGuard[me] = 0
}

/* The write is here, and what the transaction read must still stand. */
inline commitOrRollback() {
  atomic {
    if
    :: ok -> assert(row == seen); row = seen + 1; if :: fenceClaim == me -> writeFence() :: else fi
    :: else
    fi;
    endTransaction() }
}

proctype Instance(byte me) {
  byte round = 0, token, lease, seen;
  bool ok, guarded, released;
#if REMINT_STEPS
  bool behind;
#endif
  do
  :: round < ROUNDS ->
     round++; ok = true; guarded = false; released = false;
#if REMINT_STEPS
     behind = false;
#endif
     atomic { holder == 0 -> holder = me; beginLease() }
#if CLAIM
     if
     :: true -> claim()
#if INTX
     :: true -> claimInTransaction()
#endif
#if LATE_CLAIM
     :: atomic { airLease == 0 -> airToken = token; airLease = lease; ok = false }
#endif
     fi;
#endif
     if
     :: ok ->
        seen = row;                                         /* everything computed from here on rests on this */
        if                                                  /* P1: the hold was lost, and lock() takes it again */
        :: atomic { holder == 0 && ok -> holder = me;
#if NEW_LEASE == 1
             ok = false                                     /* what was read under the old lease dooms its transaction */
#elif NEW_LEASE == 2
             beginLease()
#endif
           }
#if NEW_LEASE == 2
           claim()
#endif
        :: true
        fi;
        if                                                  /* update the row, or roll back whole */
        :: ok -> if :: atomic { rowLock == 0 -> rowLock = me } :: ok = false fi
        :: else
        fi;
        if                                                  /* unlock before the commit */
#if GUARD_AT_RELEASE
        :: ok -> guard(); atomic { unlock(); released = true }
#else
        :: ok -> atomic { unlock(); released = true }
#endif
        :: true
        fi;
#if SAVEPOINT
        if                                                  /* the write stays, what came after the savepoint goes */
        :: ok -> atomic { fenceGuard[me] = 0; if :: fenceClaim == me -> fenceClaim = 0 :: else fi }
        :: true
        fi;
#endif
        if :: ok && (GUARD_AT_COMMIT || !guarded) -> guard() :: else fi;
        commitOrRollback()
     :: else
     fi;
     atomic { if :: !released && holder == me -> holder = 0 :: else fi }
  :: else -> break
  od
}

/* Leases run out, and the coordinator loses what it knew. */
proctype Misfortune() {
  byte left = 0;
  do
  :: left < 3 -> left++; atomic { holder = 0 }
#if DUPTOKEN
  :: left < 3 && counter > 0 -> left++; atomic { counter = 0; holder = 0 }
#endif
#if LATE_CLAIM
  :: atomic { airLease != 0 && fenceGuard[1] == 0 && fenceGuard[2] == 0 && fenceClaim == 0 ->
       if :: fenceToken < airToken -> fenceToken = airToken; fenceLease = airLease :: else fi;
       airToken = 0; airLease = 0 }
#endif
  :: break
  od
}

init { atomic { run Instance(1); run Instance(2); run Misfortune() } }
