-- Lockfence: the fence table and its routines, for PostgreSQL 14 to 18.
--
-- Run once per database, as the role that is to own the fence; running it again upgrades the routines in place.
-- Idempotent; can be sent over JDBC as one string. A service needs no right on the table, only:
--
--   GRANT USAGE ON SCHEMA lockfence TO my_service;
--   GRANT EXECUTE ON ALL ROUTINES IN SCHEMA lockfence TO my_service;
--
-- A routine whose arguments or columns change gets a new name, so that older agents go on working beside newer ones.

-- Two services that start at once must not meet in the catalog.
SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('lockfence ddl', 1819239275));

CREATE SCHEMA IF NOT EXISTS lockfence;

-- Names compare byte by byte, whatever the database's collation is and becomes. Half-filled pages keep every claim a HOT update.
CREATE TABLE IF NOT EXISTS lockfence.fence (
  resource   text COLLATE "C" PRIMARY KEY,
  lock_name  text COLLATE "C" NOT NULL,
  generation integer NOT NULL,
  token      bigint NOT NULL,
  read_token bigint NOT NULL DEFAULT 0,
  lease_id   text COLLATE "C" NOT NULL,
  holder     text NOT NULL,
  claimed_at timestamp with time zone NOT NULL
) WITH (fillfactor = 50);

-- The version of this file.
CREATE OR REPLACE FUNCTION lockfence.version() RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $lockfence$ SELECT 2 $lockfence$;

-- The advisory lock of a resource; prefix and seed keep it away from the service's own.
CREATE OR REPLACE FUNCTION lockfence.key(p_resource text) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $lockfence$
  SELECT pg_catalog.hashtextextended(('lockfence:' OPERATOR(pg_catalog.||) p_resource) COLLATE pg_catalog."C", 1819239275)
$lockfence$;

-- The number that a claim issues where the lock has none: above all that the fence has held, and by the clock, so that numbers of
-- several databases, and of a fence that was lost, go on growing as well.
CREATE OR REPLACE FUNCTION lockfence.issued(p_fence lockfence.fence) RETURNS bigint
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $lockfence$
BEGIN
  RETURN greatest(p_fence.token + 1, p_fence.read_token + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint);
END
$lockfence$;

-- What a fence that is there says of a lease.
CREATE OR REPLACE FUNCTION lockfence.judge(
  p_fence lockfence.fence, p_lock_name text, p_generation integer, p_token bigint, p_lease_id text) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $lockfence$
BEGIN
  IF p_fence.lease_id = p_lease_id THEN
    IF p_fence.generation = p_generation AND p_fence.read_token >= p_token THEN
      RETURN 'stale';
    END IF;
    RETURN 'held';
  ELSIF p_fence.lock_name IS DISTINCT FROM p_lock_name THEN
    RETURN 'other_lock';
  ELSIF (p_fence.generation, p_fence.token) = (p_generation, p_token) THEN
    RETURN 'duplicate';
  ELSIF (p_fence.generation, p_fence.token) > (p_generation, p_token) THEN
    RETURN 'stale';
  END IF;
  RETURN 'lost';
END
$lockfence$;

-- A finding as one line of fields without blanks, for the agent to read: text is hexadecimal, times are microseconds.
CREATE OR REPLACE FUNCTION lockfence.finding(p_state text, p_item bigint, p_fence lockfence.fence) RETURNS text
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $lockfence$
BEGIN
  IF p_fence.resource IS NULL THEN
    RETURN 'lockfence ' || p_state || ' ' || p_item || ' -';
  END IF;
  RETURN 'lockfence ' || p_state || ' ' || p_item
    || ' ' || p_fence.generation || ' ' || p_fence.token || ' ' || p_fence.read_token
    || ' ' || (extract(epoch FROM p_fence.claimed_at) * 1000000)::bigint
    || ' ' || (extract(epoch FROM clock_timestamp() - p_fence.claimed_at) * 1000000)::bigint
    || ' x' || encode(convert_to(p_fence.resource, 'UTF8'), 'hex')
    || ' x' || encode(convert_to(p_fence.lock_name, 'UTF8'), 'hex')
    || ' x' || encode(convert_to(p_fence.lease_id, 'UTF8'), 'hex')
    || ' x' || encode(convert_to(p_fence.holder, 'UTF8'), 'hex');
END
$lockfence$;

-- The fence of a resource, to explain a refusal.
CREATE OR REPLACE FUNCTION lockfence.look(p_resource text)
RETURNS TABLE (resource text, lock_name text, generation integer, token bigint, read_token bigint, lease_id text,
               holder text, claimed_us bigint, age_us bigint)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $lockfence$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT f.resource, f.lock_name, f.generation, f.token, f.read_token, f.lease_id, f.holder,
      (extract(epoch FROM f.claimed_at) * 1000000)::bigint,
      (extract(epoch FROM clock_timestamp() - f.claimed_at) * 1000000)::bigint
    FROM lockfence.fence f WHERE f.resource = p_resource;
END
$lockfence$;

-- Advances the fence to a lease; on a connection of the agent's own, as one autocommitted statement. Without a token it issues one,
-- unless the fence is at this lease, or at another attempt of it: the answer says at which.
-- Status: claimed, ours, other_lock, duplicate, behind, busy (somebody keeps the fence), standby. The other columns are the fence after it.
CREATE OR REPLACE FUNCTION lockfence.claim(
  p_resource text, p_lock_name text, p_generation integer, p_token bigint, p_lease_id text, p_holder text,
  p_durable boolean, p_wait_ms integer)
RETURNS TABLE (status text, resource text, lock_name text, generation integer, token bigint, read_token bigint, lease_id text,
               holder text, claimed_us bigint, age_us bigint)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $lockfence$
#variable_conflict use_column
DECLARE
  r lockfence.fence;
  v_token bigint := p_token;
  v_same boolean := false;
  v_status text;
  v_until timestamp with time zone := clock_timestamp() + p_wait_ms * interval '1 millisecond';
BEGIN
  IF p_token <= 0 THEN
    RAISE EXCEPTION USING ERRCODE = '22023', MESSAGE = format('lockfence: a fencing token is above 0, not %s', p_token);
  END IF;
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION USING ERRCODE = '25001', MESSAGE = 'lockfence: a claim needs READ COMMITTED: it must see the newest fence';
  END IF;
  IF pg_is_in_recovery() THEN
    v_status := 'standby';
  ELSE
    -- Without the lock: a claim that is there was committed, and a newer one that is under way may as well come after us.
    SELECT * INTO r FROM lockfence.fence f WHERE f.resource = p_resource;
    IF r.lease_id = p_lease_id AND r.lock_name = p_lock_name AND (r.generation, r.token) = (p_generation, coalesce(p_token, r.token)) THEN
      v_status := 'ours';
    ELSE
      BEGIN
        IF p_wait_ms > 0 THEN
          PERFORM set_config('lock_timeout', p_wait_ms::text, true);
          PERFORM pg_advisory_xact_lock(lockfence.key(p_resource));
        ELSIF NOT pg_try_advisory_xact_lock(lockfence.key(p_resource)) THEN
          RAISE lock_not_available;
        END IF;
        -- A statement of its own: its snapshot is younger than the lock.
        SELECT * INTO r FROM lockfence.fence f WHERE f.resource = p_resource;
        IF p_token IS NULL THEN
          -- Attempts of one lease have ids of their own, so that one which arrives late brings back no lease that was claimed over.
          v_same := left(r.lease_id, 32) = left(p_lease_id, 32);
          v_token := CASE WHEN v_same THEN r.token ELSE lockfence.issued(r) END;
        END IF;
        IF r.resource IS NULL THEN
          INSERT INTO lockfence.fence VALUES (
            p_resource, p_lock_name, p_generation, v_token, 0, p_lease_id, p_holder, clock_timestamp()) RETURNING * INTO r;
          v_status := 'claimed';
        ELSIF r.lock_name <> p_lock_name THEN
          v_status := 'other_lock';
        ELSIF (r.generation, r.token) = (p_generation, v_token) THEN
          v_status := CASE WHEN v_same OR r.lease_id = p_lease_id THEN 'ours' ELSE 'duplicate' END;
        ELSIF (r.generation, greatest(r.token, r.read_token)) >= (p_generation, v_token) THEN
          v_status := 'behind';
        ELSE
          -- Guards under the stricter isolation levels keep the row itself: what is left of the wait is for them.
          PERFORM set_config('lock_timeout',
            greatest(1, ceil(extract(epoch FROM v_until - clock_timestamp()) * 1000))::integer::text, true);
          UPDATE lockfence.fence f SET generation = p_generation, token = v_token,
              read_token = CASE WHEN f.generation = p_generation THEN f.read_token ELSE 0 END,
              lease_id = p_lease_id, holder = p_holder, claimed_at = clock_timestamp()
            WHERE f.resource = p_resource RETURNING * INTO STRICT r;
          v_status := 'claimed';
        END IF;
      EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
        SELECT * INTO r FROM lockfence.fence f WHERE f.resource = p_resource;
        v_status := 'busy';
      END;
    END IF;
    IF NOT p_durable THEN
      PERFORM set_config('synchronous_commit', 'off', true);
    ELSE
      IF current_setting('synchronous_commit') = 'off' THEN
        PERFORM set_config('synchronous_commit', 'on', true);
      END IF;
      IF v_status = 'ours' THEN
        -- A commit that wrote nothing flushes nothing. Touching the row instead would break the holder's own
        -- transactions under REPEATABLE READ, and wait for them.
        PERFORM pg_logical_emit_message(true, 'lockfence', ''::text);
      END IF;
    END IF;
  END IF;
  RETURN QUERY SELECT v_status, r.resource, r.lock_name, r.generation, r.token, r.read_token, r.lease_id, r.holder,
    (extract(epoch FROM r.claimed_at) * 1000000)::bigint,
    (extract(epoch FROM clock_timestamp() - r.claimed_at) * 1000000)::bigint;
END
$lockfence$;

-- The claim of a lease whose predecessor is guarded in the service's own open transaction; on that connection, one try.
-- Status: as claim, and: not_held (the fence is not at one of the earlier leases), old_snapshot.
CREATE OR REPLACE FUNCTION lockfence.claim_in_transaction(
  p_resource text, p_lock_name text, p_generation integer, p_token bigint, p_lease_id text, p_holder text,
  p_previous_lease_ids text[])
RETURNS TABLE (status text, resource text, lock_name text, generation integer, token bigint, read_token bigint, lease_id text,
               holder text, claimed_us bigint, age_us bigint)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $lockfence$
#variable_conflict use_column
DECLARE
  r lockfence.fence;
  v_token bigint := p_token;
  v_status text;
BEGIN
  IF p_token <= 0 THEN
    RAISE EXCEPTION USING ERRCODE = '22023', MESSAGE = format('lockfence: a fencing token is above 0, not %s', p_token);
  END IF;
  IF pg_is_in_recovery() THEN
    v_status := 'standby';
  ELSIF NOT pg_try_advisory_xact_lock(lockfence.key(p_resource)) THEN
    v_status := 'busy';
  ELSE
    BEGIN
      SELECT * INTO r FROM lockfence.fence f WHERE f.resource = p_resource FOR UPDATE NOWAIT;
      IF p_token IS NULL THEN
        v_token := CASE WHEN r.lease_id = p_lease_id THEN r.token ELSE lockfence.issued(r) END;
      END IF;
      IF r.resource IS NULL THEN
        v_status := 'not_held';
      ELSIF r.lock_name <> p_lock_name THEN
        v_status := 'other_lock';
      ELSIF (r.generation, r.token) = (p_generation, v_token) THEN
        v_status := CASE WHEN r.lease_id = p_lease_id THEN 'ours' ELSE 'duplicate' END;
      ELSIF (r.generation, greatest(r.token, r.read_token)) >= (p_generation, v_token) THEN
        v_status := 'behind';
      ELSIF r.lease_id = ANY (p_previous_lease_ids) THEN
        UPDATE lockfence.fence f SET generation = p_generation, token = v_token,
            read_token = CASE WHEN f.generation = p_generation THEN f.read_token ELSE 0 END,
            lease_id = p_lease_id, holder = p_holder, claimed_at = clock_timestamp()
          WHERE f.resource = p_resource RETURNING * INTO STRICT r;
        v_status := 'claimed';
      ELSE
        v_status := 'not_held';
      END IF;
    EXCEPTION
      WHEN lock_not_available THEN v_status := 'busy';
      WHEN serialization_failure THEN v_status := 'old_snapshot';
    END;
  END IF;
  RETURN QUERY SELECT v_status, r.resource, r.lock_name, r.generation, r.token, r.read_token, r.lease_id, r.holder,
    (extract(epoch FROM r.claimed_at) * 1000000)::bigint,
    (extract(epoch FROM clock_timestamp() - r.claimed_at) * 1000000)::bigint;
END
$lockfence$;

-- The guard at commit: each fence must hold its lease, and is kept so until this transaction ends.
-- Raises LF001 stale, LF005 same token of another lease, LF006 another lock's fence, LF007 claim lost,
-- LF008 snapshot older than the newest claim (look again in a fresh transaction). What is not enforced is appended to the report instead.
CREATE OR REPLACE PROCEDURE lockfence.guard(
  p_resources text[], p_lock_names text[], p_generations integer[], p_tokens bigint[], p_lease_ids text[], p_enforced boolean[],
  INOUT p_report text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $lockfence$
DECLARE
  i record;
  r lockfence.fence;
  v_strict constant boolean := current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted');
  v_read_only constant boolean := current_setting('transaction_read_only')::boolean;
  -- Advisory locks fill the server's lock table; row locks do not, but burn multixacts.
  v_rows constant boolean := (v_strict OR cardinality(p_resources) >= 64) AND NOT v_read_only;
  v_state text;
  v_xmax text;
BEGIN
  -- A standby has nothing that could be written, and may be behind its own fence.
  IF pg_is_in_recovery() THEN
    RETURN;
  END IF;
  -- In order of the names, so that two guards never wait for each other.
  FOR i IN SELECT u.* FROM unnest(p_resources, p_lock_names, p_generations, p_tokens, p_lease_ids, p_enforced)
      WITH ORDINALITY AS u(resource, lock_name, generation, token, lease_id, enforced, item)
      ORDER BY u.resource COLLATE "C"
  LOOP
    v_state := NULL;
    r := NULL;
    IF v_rows THEN
      -- First a plain read: a transaction that the service's own conflicts have doomed fails here, with its own 40001.
      SELECT * INTO r FROM lockfence.fence f WHERE f.resource = i.resource;
      BEGIN
        SELECT * INTO r FROM lockfence.fence f WHERE f.resource = i.resource FOR SHARE;
      EXCEPTION
        WHEN serialization_failure THEN
          v_state := 'LF008';
        WHEN lock_not_available OR deadlock_detected THEN
          IF i.enforced IS NOT FALSE THEN
            RAISE;
          END IF;
          v_state := 'LF004';
      END;
    ELSE
      IF i.enforced IS NOT FALSE THEN
        PERFORM pg_advisory_xact_lock_shared(lockfence.key(i.resource));
      ELSE
        BEGIN
          PERFORM pg_advisory_xact_lock_shared(lockfence.key(i.resource));
        EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
          v_state := 'LF004';
        END;
      END IF;
      -- A statement of its own: its snapshot is younger than the lock.
      IF v_strict THEN
        -- Read-only, so the row cannot be kept; what was written before it became so counts all the same.
        SELECT f.xmax::text INTO v_xmax FROM lockfence.fence f WHERE f.resource = i.resource;
        SELECT * INTO r FROM lockfence.fence f WHERE f.resource = i.resource;
        IF pg_current_xact_id_if_assigned() IS NOT NULL AND v_xmax <> '0' THEN
          v_state := 'LF008';
        END IF;
      ELSE
        SELECT * INTO r FROM lockfence.fence f WHERE f.resource = i.resource;
      END IF;
    END IF;
    IF v_state IS NULL THEN
      IF r.resource IS NULL THEN
        v_state := CASE WHEN v_strict THEN 'LF008' ELSE 'LF007' END;
      ELSE
        v_state := CASE lockfence.judge(r, i.lock_name, i.generation, i.token, i.lease_id)
          WHEN 'held' THEN NULL
          WHEN 'stale' THEN 'LF001'
          WHEN 'duplicate' THEN 'LF005'
          WHEN 'other_lock' THEN 'LF006'
          ELSE 'LF007' END;
      END IF;
    END IF;
    IF v_state IS NULL THEN
      CONTINUE;
    END IF;
    IF i.enforced IS FALSE THEN
      p_report := concat_ws(E'\n', p_report, lockfence.finding(v_state, i.item, r));
      CONTINUE;
    END IF;
    RAISE EXCEPTION USING
      ERRCODE = v_state,
      MESSAGE = format('lockfence: the fence of %s does not hold token %s of lease %s: %s', i.resource, i.token, i.lease_id,
        CASE v_state
          WHEN 'LF008' THEN 'the snapshot of this transaction is older than the fence'
          ELSE coalesce(format('it holds token %s of lock %s, generation %s, claimed at %s by %s',
            r.token, r.lock_name, r.generation, r.claimed_at, r.holder), 'it is missing') END),
      DETAIL = lockfence.finding(v_state, i.item, r),
      HINT = CASE v_state WHEN 'LF008' THEN 'Look at the fence again in a fresh transaction.' ELSE 'Roll back.' END;
  END LOOP;
END
$lockfence$;

-- The guard before the lock is given back inside an open transaction. Polls for the wait at most, never raises.
-- Status: held, stale, lost, duplicate, other_lock, busy, old_snapshot, standby. Where it holds, the transaction's idle timeout is shortened.
CREATE OR REPLACE FUNCTION lockfence.guard_at_release(
  p_resources text[], p_lock_names text[], p_generations integer[], p_tokens bigint[], p_lease_ids text[],
  p_wait_ms integer, p_idle_ms integer)
RETURNS TABLE (item bigint, status text, resource text, lock_name text, generation integer, token bigint, read_token bigint,
               lease_id text, holder text, claimed_us bigint, age_us bigint)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $lockfence$
#variable_conflict use_column
DECLARE
  i record;
  r lockfence.fence;
  v_strict constant boolean := current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted');
  v_read_only constant boolean := current_setting('transaction_read_only')::boolean;
  v_rows constant boolean := (v_strict OR cardinality(p_resources) >= 64) AND NOT v_read_only;
  v_status text;
  v_held boolean := false;
  v_wait interval := p_wait_ms * interval '1 millisecond';
  v_limit interval := current_setting('statement_timeout')::interval;
  v_until timestamp with time zone;
  v_idle interval := current_setting('idle_in_transaction_session_timeout')::interval;
BEGIN
  -- A cancelled statement would fail the service's transaction: stay well inside its own limits.
  IF v_limit > interval '0' THEN
    v_wait := least(v_wait, v_limit / 2 - (clock_timestamp() - statement_timestamp()));
  END IF;
  v_limit := coalesce(current_setting('transaction_timeout', true), '0')::interval;
  IF v_limit > interval '0' THEN
    v_wait := least(v_wait, (v_limit - (clock_timestamp() - transaction_timestamp())) / 2);
  END IF;
  v_until := clock_timestamp() + v_wait;
  FOR i IN SELECT u.* FROM unnest(p_resources, p_lock_names, p_generations, p_tokens, p_lease_ids)
      WITH ORDINALITY AS u(resource, lock_name, generation, token, lease_id, item)
      ORDER BY u.resource COLLATE "C"
  LOOP
    v_status := NULL;
    r := NULL;
    IF pg_is_in_recovery() THEN
      v_status := 'standby';
    ELSIF v_rows THEN
      LOOP
        BEGIN
          SELECT * INTO r FROM lockfence.fence f WHERE f.resource = i.resource FOR SHARE NOWAIT;
          v_status := NULL;
        EXCEPTION
          WHEN lock_not_available THEN v_status := 'busy';
          WHEN serialization_failure THEN v_status := 'old_snapshot';
        END;
        EXIT WHEN v_status IS DISTINCT FROM 'busy' OR clock_timestamp() >= v_until;
        PERFORM pg_sleep(0.005);
      END LOOP;
    ELSE
      WHILE NOT pg_try_advisory_xact_lock_shared(lockfence.key(i.resource)) LOOP
        IF clock_timestamp() >= v_until THEN
          v_status := 'busy';
          EXIT;
        END IF;
        PERFORM pg_sleep(0.005);
      END LOOP;
      -- A statement of its own: its snapshot is younger than the lock.
      SELECT * INTO r FROM lockfence.fence f WHERE f.resource = i.resource;
    END IF;
    IF v_status IS NULL THEN
      IF r.resource IS NULL THEN
        v_status := CASE WHEN v_strict THEN 'old_snapshot' ELSE 'lost' END;
      ELSE
        v_status := lockfence.judge(r, i.lock_name, i.generation, i.token, i.lease_id);
      END IF;
    END IF;
    v_held := v_held OR v_status = 'held';
    RETURN QUERY SELECT i.item, v_status, r.resource, r.lock_name, r.generation, r.token, r.read_token, r.lease_id, r.holder,
      (extract(epoch FROM r.claimed_at) * 1000000)::bigint,
      (extract(epoch FROM clock_timestamp() - r.claimed_at) * 1000000)::bigint;
  END LOOP;
  IF v_held AND p_idle_ms > 0 AND (v_idle = interval '0' OR v_idle > p_idle_ms * interval '1 millisecond') THEN
    PERFORM set_config('idle_in_transaction_session_timeout', p_idle_ms::text, true);
  END IF;
END
$lockfence$;

-- The numbers of advisory locks: one sequence for all of the database's, since a sequence neither waits for a transaction nor is rolled back with one.
CREATE SEQUENCE IF NOT EXISTS lockfence.token AS bigint;

-- A number above all that were issued, and above the given one. It follows the clock as well, so that it goes on growing where the sequence was lost;
-- but it never hangs on the clock: one that goes back changes nothing.
CREATE OR REPLACE FUNCTION lockfence.minted(p_above bigint) RETURNS bigint
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $lockfence$
DECLARE
  v_token bigint := nextval('lockfence.token');
  v_clock constant bigint := (extract(epoch FROM clock_timestamp()) * 1000000)::bigint;
  v_least constant bigint := greatest(p_above + 1, v_clock - 1000000);
  v_until constant timestamp with time zone := clock_timestamp() + interval '1 second';
BEGIN
  WHILE v_token < v_least LOOP
    -- Only one leaps at a time, or a leap could go back behind another.
    BEGIN
      IF pg_try_advisory_xact_lock(lockfence.key('lockfence.token')) THEN
        v_token := nextval('lockfence.token');
        IF v_token < v_least THEN
          v_token := setval('lockfence.token', greatest(v_least, v_clock));
        END IF;
        -- The lock ends with this block, and not with the service's transaction; what the sequence is at stays.
        RAISE EXCEPTION USING ERRCODE = 'LF000';
      END IF;
    EXCEPTION WHEN SQLSTATE 'LF000' THEN
      RETURN v_token;
    END;
    EXIT WHEN v_token > p_above OR clock_timestamp() >= v_until;
    PERFORM pg_sleep(0.001);
    v_token := nextval('lockfence.token');
  END LOOP;
  RETURN v_token;
END
$lockfence$;

-- The advisory locks that this very session holds, with its backend: for each that is not known a number, in one step with the look at the hold.
-- The first row has no lock. Names are as rules have them: the number of the one-key form, or both of the other one. Raises nothing and waits for nobody.
CREATE OR REPLACE FUNCTION lockfence.advisory_locks(p_known text[], p_above bigint)
RETURNS TABLE (backend integer, lock_name text, shared boolean, token bigint, problem text)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $lockfence$
#variable_conflict use_variable
BEGIN
  backend := pg_backend_pid();
  IF pg_is_in_recovery() THEN
    problem := 'standby';
  ELSIF current_setting('transaction_read_only')::boolean THEN
    problem := 'read_only';
  END IF;
  RETURN NEXT;
  FOR lock_name, shared IN
    SELECT CASE l.objsubid
        WHEN 1 THEN ((l.classid::bigint << 32) | l.objid::bigint)::text
        ELSE concat(l.classid::bigint - CASE WHEN l.classid::bigint >= 2147483648 THEN 4294967296 ELSE 0 END, '/',
          l.objid::bigint - CASE WHEN l.objid::bigint >= 2147483648 THEN 4294967296 ELSE 0 END) END,
      l.mode = 'ShareLock'
    FROM pg_locks l
    WHERE l.locktype = 'advisory' AND l.granted AND l.pid = pg_backend_pid()
      AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
  LOOP
    token := NULL;
    IF NOT shared AND problem IS NULL AND p_above IS NOT NULL AND NOT lock_name = ANY (p_known) THEN
      token := lockfence.minted(p_above);
    END IF;
    RETURN NEXT;
  END LOOP;
END
$lockfence$;

-- Who may use them is the operator's to say: see the GRANTs at the top.
REVOKE ALL ON TABLE lockfence.fence FROM PUBLIC;
REVOKE ALL ON SEQUENCE lockfence.token FROM PUBLIC;
REVOKE ALL ON ALL ROUTINES IN SCHEMA lockfence FROM PUBLIC;
