/* Lockfence, P3 over two databases under one lock.

   Before its first access to either, a lease claims both. Database 0 takes claims asynchronously (PostgreSQL,
   synchronous_commit = off): with CRASH=1 it may crash and come back without a claim that no durable commit followed.
   A holder writes one, the other, the first again, each in a transaction behind its guard; what it computes rests
   on what it has read in both, so each commit asserts that both still stand.

   With LAZY the second database is opened, and claimed, only after the first was read: then the claim of the first, which
   was asynchronous, is made durable before. Run by spec/check. */

#ifndef CRASH
#define CRASH 0            /* 1: database 0 may crash */
#endif
#ifndef DURABLE
#define DURABLE 0          /* P3.  1: claims are made durable before a second target is written */
#endif
#ifndef LAZY
#define LAZY 0             /* P3.  1: a claim that is made durable later must still be there
                                   2: it is claimed again if a crash has lost it, as if nothing had been read yet */
#endif

byte holder = 0, counter = 0, leases = 0;
byte row[2];
byte fenceToken[2], fenceLease[2];
byte durableToken, durableLease;                 /* what a crash of database 0 falls back to */
byte fenceGuard[6];
byte epoch = 0;                                  /* crashes of database 0: its transactions do not outlive one */

#define GUARD(db, instance) fenceGuard[(db) * 3 + (instance)]

inline claim(db) {
  atomic { GUARD(db, 3 - me) == 0 ->
    if
    :: fenceToken[db] < token ->
       fenceToken[db] = token; fenceLease[db] = lease;
       if :: db == 1 || DURABLE -> if :: db == 0 -> durableToken = token; durableLease = lease :: else fi :: else fi
    :: fenceToken[db] == token && fenceLease[db] == lease -> skip
    :: else -> ok = false
    fi }
}

inline makeDurable() {
  atomic { GUARD(0, 3 - me) == 0 ->
    if
    :: fenceToken[0] == token && fenceLease[0] == lease -> durableToken = token; durableLease = lease
    :: LAZY == 2 && fenceToken[0] < token ->
       fenceToken[0] = token; fenceLease[0] = lease; durableToken = token; durableLease = lease
    :: else -> ok = false
    fi }
}

inline guard(db) {
  atomic {
    if
    :: fenceToken[db] == token && fenceLease[db] == lease && (db == 1 || begun == epoch) -> GUARD(db, me) = 1
    :: else -> ok = false
    fi }
}

/* A commit of database 0 is durable, and so is every claim before it: one log. */
inline commit(db) {
  atomic {
    if
    :: ok && (db == 1 || begun == epoch) ->
       assert(row[0] == seen0 && row[1] == seen1);
       row[db] = row[db] + 1;
       if :: db == 0 -> seen0 = row[0]; durableToken = fenceToken[0]; durableLease = fenceLease[0] :: else -> seen1 = row[1] fi
    :: else -> ok = false
    fi;
    GUARD(db, me) = 0 }
}

proctype Instance(byte me) {
  byte round = 0, token, lease, seen0, seen1, begun;
  bool ok;
  do
  :: round < 2 ->
     round++; ok = true;
     atomic { holder == 0 -> holder = me; counter++; token = counter; leases++; lease = leases }
     claim(0);
#if !LAZY
     if :: ok -> claim(1) :: else fi;
#endif
     if
     :: ok ->
        atomic { begun = epoch; seen0 = row[0] }
#if LAZY
        makeDurable();
        if :: ok -> claim(1) :: else fi;
        if :: ok -> atomic { begun = epoch } :: else fi;
#endif
        if :: ok -> seen1 = row[1] :: else fi;
        if :: ok -> guard(0); commit(0) :: true fi;
        if :: ok -> guard(1); commit(1) :: true fi;
#if !LAZY
        if :: ok -> atomic { begun = epoch }; guard(0); commit(0) :: true fi
#endif
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
#if CRASH
  :: left < 3 ->
     left++;
     atomic { epoch++; fenceToken[0] = durableToken; fenceLease[0] = durableLease; fenceGuard[1] = 0; fenceGuard[2] = 0 }
#endif
  :: break
  od
}

init { atomic { run Instance(1); run Instance(2); run Misfortune() } }
