/* Lockfence, the readers of a read-write lock (DESIGN 2.3): not built yet, checked so that the fence's columns are right from the start.

   The fence has the writer's (token, lease id) and a read_token. Three instances lock for reading or for writing, claim, read
   the row, guard, and write: a writer the row, a reader something of its own that depends on the row. Either asserts
   that the row still is what was read. Run by spec/check. */

#ifndef NAIVE
#define NAIVE 0            /* 1: a reader's claim writes its token and the mark "shared" into the one (token, lease id) */
#endif

byte writer = 0;           /* the coordinator: who holds for writing ... */
bit  reader[4];            /* ... or for reading */
byte counter = 0, leases = 0;
byte row = 0;
byte fenceToken = 0, fenceLease = 0, readToken = 0;
byte fenceGuard[4];

#define SHARED 99
#define GUARDED_ELSEWHERE ((fenceGuard[1] + fenceGuard[2] + fenceGuard[3] - fenceGuard[me]) != 0)

inline beginLease() { counter++; token = counter; leases++; lease = leases }

inline claim() {
  atomic { !GUARDED_ELSEWHERE ->
#if NAIVE
    if
    :: writing -> if :: fenceToken < token -> fenceToken = token; fenceLease = lease :: else -> ok = false fi
    :: else ->
       if
       :: fenceToken < token -> fenceToken = token; fenceLease = SHARED
       :: fenceToken >= token && fenceLease == SHARED -> skip
       :: else -> ok = false
       fi
    fi
#else
    if
    :: writing -> if :: fenceToken < token && readToken < token -> fenceToken = token; fenceLease = lease :: else -> ok = false fi
    :: else -> if :: fenceToken < token -> readToken = (readToken > token -> readToken : token) :: else -> ok = false fi
    fi
#endif
  }
}

inline guard() {
  atomic {
#if NAIVE
    if
    :: writing && fenceToken == token && fenceLease == lease -> fenceGuard[me] = 1
    :: !writing && fenceLease == SHARED && fenceToken >= token -> fenceGuard[me] = 1
    :: else -> ok = false
    fi
#else
    if
    :: writing && fenceToken == token && fenceLease == lease && readToken < token -> fenceGuard[me] = 1
    :: !writing && fenceToken < token -> fenceGuard[me] = 1
    :: else -> ok = false
    fi
#endif
  }
}

proctype Instance(byte me; byte rounds) {
  byte round = 0, token, lease, seen;
  bool ok, writing;
  do
  :: round < rounds ->
     round++; ok = true;
     if
     :: atomic { writer == 0 && reader[1] + reader[2] + reader[3] == 0 -> writer = me; beginLease(); writing = true }
     :: atomic { writer == 0 -> reader[me] = 1; beginLease(); writing = false }
     fi;
     claim();
     if
     :: ok ->
        seen = row;
        guard();
        atomic { if :: ok -> assert(row == seen); if :: writing -> row = seen + 1 :: else fi :: else fi; fenceGuard[me] = 0 }
     :: else
     fi;
     atomic { if :: writer == me -> writer = 0 :: else fi; reader[me] = 0 }
  :: else -> break
  od
}

proctype Misfortune() {
  byte left = 0;
  do
  :: left < 3 -> left++; atomic { writer = 0; reader[1] = 0; reader[2] = 0; reader[3] = 0 }
  :: break
  od
}

init { atomic { run Instance(1, 2); run Instance(2, 2); run Instance(3, 1); run Misfortune() } }
