/* Lockfence's limit over several databases (DESIGN 2.4): one that is opened later is fenced only from its own first access on.

   As two-databases.pml, but with LATE=1 the second database is opened, claimed and read only after a write to the
   first. Then the holder may have been superseded in between: the write to the second database rests on a value of
   the first that no longer stands, and nothing refuses it. Run by spec/check, which expects the violation. */

#ifndef ALL
#define ALL 1              /* P3.  0: each database is claimed at its own first access */
#endif
#ifndef LATE
#define LATE 0             /* 1: the second database is opened after the first was written */
#endif

byte holder = 0, counter = 0, leases = 0;
byte row[2];
byte fenceToken[2], fenceLease[2];
byte fenceGuard[6];

#define GUARD(db, instance) fenceGuard[(db) * 3 + (instance)]

inline claim(db) {
  atomic { GUARD(db, 3 - me) == 0 ->
    if
    :: fenceToken[db] < token -> fenceToken[db] = token; fenceLease[db] = lease
    :: fenceToken[db] == token && fenceLease[db] == lease -> skip
    :: else -> ok = false
    fi }
}

inline guard(db) {
  atomic { if :: fenceToken[db] == token && fenceLease[db] == lease -> GUARD(db, me) = 1 :: else -> ok = false fi }
}

/* Before the second database is opened nothing was read there. */
inline commit(db) {
  atomic {
    if
    :: ok ->
       assert(row[0] == seen0 && (row[1] == seen1 || (LATE && db == 0)));
       row[db] = row[db] + 1;
       if :: db == 0 -> seen0 = row[0] :: else -> seen1 = row[1] fi
    :: else -> ok = false
    fi;
    GUARD(db, me) = 0 }
}

proctype Instance(byte me) {
  byte round = 0, token, lease, seen0, seen1;
  bool ok;
  do
  :: round < 2 ->
     round++; ok = true;
     atomic { holder == 0 -> holder = me; counter++; token = counter; leases++; lease = leases }
     claim(0);
#if ALL
     if :: ok -> claim(1) :: else fi;
#endif
     if
     :: ok ->
        seen0 = row[0];
#if !ALL && !LATE
        claim(1);
#endif
#if !LATE
        if :: ok -> seen1 = row[1] :: else fi;
#endif
        if :: ok -> guard(0); commit(0) :: true fi;
#if LATE
        if :: ok -> claim(1) :: else fi;
        if :: ok -> seen1 = row[1] :: else fi;
#endif
        if :: ok -> guard(1); commit(1) :: true fi;
        if :: ok -> guard(0); commit(0) :: true fi
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
