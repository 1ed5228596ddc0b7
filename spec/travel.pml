/* Lockfence, P3 and P4 where the token travels: a service takes a lock, asks another one for a value (GET), and sends it what is to be stored
   (PUT); the other one has the database, and the fence.

   Requests are handled whenever the network brings them: any number of steps after they were sent, also when their service has given up
   waiting, has given the lock back, and has taken it again. The coordinator may drop a hold at any time, and lose its counter once.
   What the receiver does with a lease whose claim it has made (or has seen standing) before is not claimed again, but guarded.

   A commit asserts that the value which was computed from still stands. Run by spec/check. */

#ifndef GET_CLAIMS
#define GET_CLAIMS 1       /* P3.  0: the receiver claims with requests that write, and lets others read */
#endif
#ifndef GUARD
#define GUARD 1            /* P4.  0: the receiver claims before it handles a request, and that is all: what `fence:` does for a handler
                                   that writes to no fenced database. A limit */
#endif
#ifndef KNOWN
#define KNOWN 1            /* 1: claims of leases that the receiver knows are not made again.  0: with every request */
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif

byte holder = 0, counter = 0, leases = 0;        /* the coordinator */
byte row = 0;                                    /* the data, as who wrote it last */
byte fenceToken = 0, fenceLease = 0;             /* the fence */
bool known[2 * ROUNDS + 1];                      /* what the receiver remembers of leases */
byte losses = 1;
bool forgets = true;

#define NONE 255

/* Before the service runs: false if the fence says stale. */
inline admit(token, lease, ok) {
  atomic {
    if
    :: KNOWN && known[lease] -> ok = true
    :: else ->
       if
       :: fenceToken < token -> fenceToken = token; fenceLease = lease; known[lease] = true; ok = true
       :: fenceToken == token && fenceLease == lease -> known[lease] = true; ok = true
       :: else -> ok = false
       fi
    fi
  }
}

proctype Get(byte token; byte lease; chan answer) {
  bool ok = true;
  if :: GET_CLAIMS -> admit(token, lease, ok) :: else fi;
  if
  :: ok -> answer!row
  :: else -> answer!NONE
  fi
}

proctype Put(byte token; byte lease; byte seen) {
  bool ok;
  admit(token, lease, ok);
  if
  :: ok ->
     atomic {                                    /* guard and commit: the other models take them apart */
       if
       :: !GUARD || fenceLease == lease ->
          assert(row == seen);                   /* or an update is lost */
          row = lease
       :: else
       fi
     }
  :: else
  fi
}

proctype Service(byte me) {
  byte token, lease, seen, rounds = 0;
  chan read = [1] of { byte };
  do
  :: rounds < ROUNDS ->
     rounds++;
     atomic { holder == 0 -> holder = me; counter++; token = counter; leases++; lease = leases };
     run Get(token, lease, read);
     read?seen;
     if
     :: seen != NONE ->
        run Put(token, lease, seen)              /* it waits for the answer, or does not: the request comes when it comes */
     :: else
     fi;
     atomic { if :: holder == me -> holder = 0 :: else fi }
  :: else -> break
  od
}

active proctype Misfortune() {
  do
  :: atomic { losses > 0 && holder != 0 -> losses--; holder = 0 }
  :: atomic { forgets -> forgets = false; counter = 0 }
  :: break
  od
}

init { atomic { run Service(1); run Service(2) } }
