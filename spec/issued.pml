/* Lockfence, P2-P4 where the lock has no numbers: the claim issues the token (docs/methods.md, "Tokens").

   Two service instances take a lock that can do nothing but be held and run out. The first claim of a lease takes a number above all that
   the fence has held; with DBS=2 the other database gets the same number, and if it is ahead, the first is raised above it, provided that
   it still holds the lease. Each instance has either database first. A claim may be held up in the network: its sender tries once
   more, or gives up, and the server gets it at any later time.

   A holder may be stopped anywhere. It looks at its deadline before each claim and before each write; a deadline passes no later than the
   hold ends. A holder reads and then writes what it has computed, or writes blindly. Four properties:

   A1  what a commit was computed from still stands (needs no clock: CLOCK=0)
   A2  no commit of an earlier hold comes after one of a later hold, blind writes too (CLOCK)
   A3  whoever the fence refuses has been claimed over by another lease; who has been claimed over raises no token
   A4  whoever the fence refuses holds the lock no more (HEALTHY): not so if a holder is stopped between the look at its deadline and
       its first claim, or if its claim is held up, for longer than the hold lasts. This is the limit that docs/methods.md names

   Each switch below is the protocol at its default; a mutant changes one and must violate one of these. Run by spec/check. */

#ifndef DBS
#define DBS 1              /* databases, all claimed before the first access */
#endif
#ifndef CRASH
#define CRASH 0            /* 1: the database may crash, and forget claims that no commit followed (DBS=1: claims are asynchronous) */
#endif
#ifndef CLOCK
#define CLOCK 1            /* 0: no deadline is looked at, and A2 is not asserted: A1 and A3 need no clock */
#endif
#ifndef RECHECK
#define RECHECK CLOCK      /* P5.  0: the deadline is not looked at between the claim and a write */
#endif
#ifndef HEALTHY
#define HEALTHY 0          /* whether A4 is asserted */
#endif
#ifndef STOPPED
#define STOPPED 1          /* 0: between the look at the deadline and the claim nothing can happen */
#endif
#ifndef HELD_UP
#define HELD_UP (DBS == 1 && !CRASH)  /* claims that issue a token may be held up in the network */
#endif
#ifndef OWN_IDS
#define OWN_IDS 1          /* 0: all attempts of a lease claim under the same id */
#endif
#ifndef SAME_LEASE
#define SAME_LEASE 1       /* 0: a claim does not know another attempt of its own lease */
#endif
#ifndef ABOVE
#define ABOVE 1            /* P2.  0: the token issued may be the very one that the fence holds */
#endif
#ifndef GUARD_LOCKS
#define GUARD_LOCKS 1      /* P4.  0: the guard looks at the fence but does not hold it until the commit */
#endif
#ifndef LEASE_ID
#define LEASE_ID 1         /* P4.  0: the guard compares tokens, not lease ids */
#endif
#ifndef SHARE
#define SHARE 1            /* 0: each database issues a number of its own */
#endif
#ifndef RAISE
#define RAISE 1            /* where the other database is ahead.  1: the first is raised as well
                                   0: only the number for the other one is */
#endif
#ifndef RAISE_IF_OURS
#define RAISE_IF_OURS 1    /* 0: the first is raised whoever holds it, if the number is higher */
#endif
#ifndef RAISES
#define RAISES 2           /* how often a lease's token is raised before it gives up */
#endif
#ifndef ROUNDS
#define ROUNDS 2           /* locks that instance 1 takes */
#endif
#ifndef ROUNDS2
#if DBS == 1
#define ROUNDS2 2          /* locks that instance 2 takes */
#else
#define ROUNDS2 1
#endif
#endif
#ifndef LOSSES
#define LOSSES 2           /* holds that run out, and crashes */
#endif

#define LEASES (ROUNDS + ROUNDS2 + 1)

/* The lock. */
byte holder = 0;           /* the instance that holds it, 0 for none */
byte leases = 0;           /* holds so far: a lease's number is its place among the holds */

/* The databases. An id is 2 * lease + attempt. */
byte row[DBS];
byte fenceToken[DBS], fenceId[DBS];
bool fenceGuard[DBS * 3];
#if CRASH
byte durableToken, durableId, epoch = 0;
#endif

#if HELD_UP
byte airId = 0, airAt;     /* a claim on its way; 0 for none */
#endif

/* What has happened, for the properties alone. */
bool over[LEASES];         /* leases that another one has claimed over */
byte last = 0;             /* the latest hold that has committed */

#define GUARD(db, instance) fenceGuard[(db) * 3 + (instance)]
#define LEASE_OF(i)         ((i) / 2)
#define SAME(db, i)         (fenceId[db] == (i) || (SAME_LEASE && LEASE_OF(fenceId[db]) == LEASE_OF(i)))

/* The hold is over, or will be when its deadline has passed: nothing is sent. */
inline look() { if :: holder != me -> ok = false :: else fi }

inline refused() {
#if !CRASH
  assert(over[lease]);
#endif
#if HEALTHY
  assert(holder != me);
#endif
  ok = false
}

inline write(db, t, i) {
  if :: fenceId[db] != 0 && LEASE_OF(fenceId[db]) != LEASE_OF(i) -> over[LEASE_OF(fenceId[db])] = true :: else fi;
  fenceToken[db] = t; fenceId[db] = i
}

/* The claim that issues: one autocommitted statement. */
inline issue(db) {
  if
  :: SAME(db, id) -> id = fenceId[db]
  :: else ->
     over[lease] = false;                                   /* an attempt of its own may have been */
#if ABOVE
     write(db, fenceToken[db] + 1, id)
#else
     if
     :: write(db, fenceToken[db] + 1, id)
     :: fenceToken[db] > 0 -> refused()                     /* the same number of another lease */
     fi
#endif
  fi;
  token = fenceToken[db]
}

inline claimFirst(db) {
#if HELD_UP
  if
  :: atomic { airId == 0 -> airId = id; airAt = db;
       if :: id = id + OWN_IDS :: ok = false fi }           /* once more, or not */
  :: true
  fi;
#endif
#if STOPPED
#if CLOCK
  if :: ok -> look() :: else fi;
#endif
  if :: ok -> atomic { GUARD(db, 3 - me) == 0 -> issue(db) } :: else fi
#else
  if :: ok -> atomic { if :: holder != me -> ok = false :: holder == me && GUARD(db, 3 - me) == 0 -> issue(db) fi } :: else fi
#endif
}

#if DBS == 2
/* A claim with a token: ahead is set where it is behind the fence. */
inline claimOther(db) {
  if
  :: fenceToken[db] < token -> write(db, token, id)
  :: fenceToken[db] >= token && fenceId[db] == id -> skip
  :: else -> ahead = fenceToken[db]
  fi
}

inline raise(db) {
  token = ahead + 1; ahead = 0;
#if RAISE
  if
  :: fenceId[db] == id || (!RAISE_IF_OURS && fenceToken[db] < token) -> assert(!over[lease]); write(db, token, id)
  :: else -> refused()
  fi
#endif
}
#endif

#if LEASE_ID
#define GUARDED(db) (fenceId[db] == id)
#else
#define GUARDED(db) (fenceToken[db] == token)
#endif

inline guard(db) {
  atomic {
    if
    :: GUARDED(db) -> GUARD(db, me) = GUARD_LOCKS
    :: else -> refused()
    fi }
}

#if DBS == 2
#define STANDS (row[0] == seen[0] && row[1] == seen[1])
#else
#define STANDS (row[0] == seen[0])
#endif

inline commit(db) {
  atomic {
#if CRASH
    if :: begun != epoch -> ok = false :: else fi;
#endif
    if
    :: ok ->
       assert(blind || STANDS);
#if CLOCK
       assert(last <= lease);
       last = lease;
#endif
       row[db] = row[db] + 1; seen[db] = row[db];
#if CRASH
       durableToken = fenceToken[0]; durableId = fenceId[0]
#endif
    :: else
    fi;
    GUARD(db, me) = 0 }
}

proctype Instance(byte me) {
  byte round = 0, token, lease, id, seen[DBS];
  bool ok, blind;
#if DBS == 2
  byte first, ahead, raises;
#endif
#if CRASH
  byte begun;
#endif
  do
  :: round < (me == 1 -> ROUNDS : ROUNDS2) ->
     round++; ok = true;
     atomic { holder == 0 -> holder = me; leases++; lease = leases; id = 2 * lease;
#if DBS == 2
       if :: first = 0 :: first = 1 fi;
       ahead = 0; raises = 0;
#endif
#if CLOCK
       if :: blind = false :: blind = true fi
#endif
     };
#if DBS == 2
     claimFirst(first);
     if :: ok && !SHARE -> claimFirst(1 - first) :: else fi;
     do
     :: ok && SHARE ->                                      /* before each claim, and each raise, the deadline is looked at */
#if STOPPED
        if :: CLOCK -> look() :: else fi;
        if :: ok -> atomic { GUARD(1 - first, 3 - me) == 0 -> claimOther(1 - first) } :: else fi;
#else
        atomic { if :: holder != me -> ok = false :: holder == me && GUARD(1 - first, 3 - me) == 0 -> claimOther(1 - first) fi };
#endif
        if
        :: !ok -> break
        :: ok && ahead == 0 -> break
        :: ok && ahead > 0 && raises == RAISES -> ok = false
        :: ok && ahead > 0 && raises < RAISES ->
           raises++;
#if STOPPED
           if :: CLOCK -> look() :: else fi;
           if :: ok -> atomic { GUARD(first, 3 - me) == 0 -> raise(first) } :: else fi
#else
           atomic { if :: holder != me -> ok = false :: holder == me && GUARD(first, 3 - me) == 0 -> raise(first) fi }
#endif
        fi
     :: else -> break
     od;
#else
     claimFirst(0);
#endif
     if
     :: ok ->
#if CRASH
        atomic { begun = epoch; seen[0] = row[0] }
#else
        seen[0] = row[0];
#endif
#if DBS == 2
        seen[1] = row[1];
#endif
#if RECHECK
        look();
#endif
        if :: ok -> guard(0); commit(0) :: true fi;
#if DBS == 2
        if :: ok -> guard(1); commit(1) :: true fi;
#endif
     :: else
     fi;
     atomic { if :: holder == me -> holder = 0 :: else fi; seen[0] = 0;
#if DBS == 2
       seen[1] = 0; first = 0; ahead = 0; raises = 0;
#endif
       token = 0; id = 0; ok = false; blind = false }
  :: else -> break
  od
}

proctype Misfortune() {
  byte left = 0;
  do
  :: left < LOSSES -> left++; atomic { holder = 0 }
#if HELD_UP
  :: atomic { airId != 0 && GUARD(airAt, 1) == 0 && GUARD(airAt, 2) == 0 ->
       if :: SAME(airAt, airId) -> skip :: else -> write(airAt, fenceToken[airAt] + 1, airId) fi;
       airId = 0; airAt = 0 }
#endif
#if CRASH
  :: left < LOSSES -> left++;
     atomic { epoch++; fenceToken[0] = durableToken; fenceId[0] = durableId; GUARD(0, 1) = 0; GUARD(0, 2) = 0 }
#endif
  :: break
  od
}

init {
  atomic {
#if DBS == 2
    if :: true :: fenceToken[0] = 2 :: fenceToken[1] = 2 fi;          /* earlier holders have used one more than the other */
#endif
    run Instance(1); run Instance(2); run Misfortune() } }
