/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.fence.postgresql;

import io.lockfence.agent.fence.StatementKind;
import io.lockfence.agent.fence.postgresql.Tokens.Type;
import java.util.Arrays;

/**
 * Tells whether a query reads alone. One pass over its tokens.
 *
 * <p>A {@code SELECT} is a read only if each function it calls is known to change nothing. What no text shows stays unseen: functions behind views, policies,
 * operators, casts, defaults and attribute notation ({@code row.function}), and functions of the service's own that carry a built-in's name.
 */
final class QueryScan {
    /** Begin a change wherever they stand in a query; names of columns that are called so make it a write, which is no harm. */
    private static final Words CHANGES = new Words("insert update delete merge into");

    /**
     * May stand before {@code (} and can be no function of the service's: keywords that are reserved or that the grammar gives to columns alone, and those types with
     * a length that it knows.
     */
    private static final Words NOT_FUNCTIONS = new Words(
            "select from where on using and or not in exists any some all as between symmetric asymmetric",
            "group having order limit offset fetch only union intersect except distinct values when then else",
            "case end lateral grouping row array window cast treat collate returning for with variadic",
            "is isnull notnull like ilike similar join inner cross natural left right full outer",
            "numeric decimal dec varchar char character nchar bit time timestamp interval float");

    /** May be functions as well, and are none behind these. */
    private static final Words BEFORE_BY = new Words("order group partition");

    /** Built-ins of PostgreSQL that change nothing. Not among them, on purpose, is what runs SQL given as text (query_to_xml, ts_stat). */
    private static final Words HARMLESS_FUNCTIONS = new Words(
            // Aggregates and windows.
            "any_value array_agg avg bit_and bit_or bit_xor bool_and bool_or count every json_agg json_agg_strict jsonb_agg jsonb_agg_strict",
            "json_object_agg jsonb_object_agg json_object_agg_strict json_object_agg_unique jsonb_object_agg_strict jsonb_object_agg_unique",
            "json_arrayagg json_objectagg max min range_agg range_intersect_agg string_agg sum xmlagg corr covar_pop covar_samp regr_avgx regr_avgy",
            "regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy stddev stddev_pop stddev_samp variance var_pop var_samp mode",
            "percentile_cont percentile_disc rank dense_rank percent_rank cume_dist row_number ntile lag lead first_value last_value nth_value",
            // Conditions and types.
            "coalesce nullif greatest least num_nulls num_nonnulls pg_typeof",
            "text int int2 int4 int8 integer bigint smallint bool boolean date real float4 float8 name oid regclass regtype",
            // Strings.
            "ascii btrim char_length character_length bit_length octet_length length chr concat concat_ws format initcap left right lower upper lpad rpad",
            "ltrim rtrim trim md5 normalize overlay parse_ident position quote_ident quote_literal quote_nullable regexp_count regexp_instr regexp_like",
            "regexp_match regexp_matches regexp_replace regexp_split_to_array regexp_split_to_table regexp_substr repeat replace reverse split_part",
            "starts_with string_to_array string_to_table strpos substr substring to_ascii to_hex to_bin to_oct translate unistr casefold similar_to_escape",
            "like_escape convert convert_from convert_to encode decode get_bit get_byte set_bit set_byte bit_count sha224 sha256 sha384 sha512 crc32 crc32c",
            "unicode_assigned textlen",
            // Numbers.
            "abs cbrt ceil ceiling degrees div erf erfc exp factorial floor gcd lcm ln log log10 min_scale mod pi power pow radians round scale sign sqrt",
            "trim_scale trunc width_bucket random random_normal acos acosd asin asind atan atand atan2 atan2d cos cosd cot cotd sin sind tan tand sinh cosh",
            "tanh asinh acosh atanh gamma lgamma",
            // Dates.
            "age clock_timestamp date_add date_bin date_part date_subtract date_trunc extract isfinite justify_days justify_hours justify_interval",
            "make_date make_interval make_time make_timestamp make_timestamptz now statement_timestamp timeofday transaction_timestamp to_timestamp to_char",
            "to_date to_number current_time current_timestamp localtime localtimestamp timezone overlaps pg_sleep",
            // Identifiers, enumerations, networks, geometry.
            "gen_random_uuid uuidv4 uuidv7 uuid_extract_timestamp uuid_extract_version enum_first enum_last enum_range abbrev broadcast family host",
            "hostmask inet_merge inet_same_family masklen netmask network set_masklen area center diagonal diameter height isclosed isopen npoints",
            "pclose popen radius slope width box circle line lseg path point polygon",
            // JSON and XML.
            "to_json to_jsonb array_to_json row_to_json json_build_array jsonb_build_array json_build_object jsonb_build_object json_object jsonb_object",
            "json_array json_scalar json_serialize json json_exists json_query json_value json_table json_array_elements jsonb_array_elements",
            "json_array_elements_text jsonb_array_elements_text json_array_length jsonb_array_length json_each jsonb_each json_each_text jsonb_each_text",
            "json_extract_path jsonb_extract_path json_extract_path_text jsonb_extract_path_text json_object_keys jsonb_object_keys json_populate_record",
            "jsonb_populate_record json_populate_recordset jsonb_populate_recordset json_to_record jsonb_to_record json_to_recordset jsonb_to_recordset",
            "jsonb_set jsonb_set_lax jsonb_insert json_strip_nulls jsonb_strip_nulls jsonb_path_exists jsonb_path_match jsonb_path_query",
            "jsonb_path_query_array jsonb_path_query_first jsonb_path_exists_tz jsonb_path_match_tz jsonb_path_query_tz jsonb_path_query_array_tz",
            "jsonb_path_query_first_tz jsonb_pretty json_typeof jsonb_typeof",
            "xmlcomment xmlconcat xmlelement xmlforest xmlpi xmlroot xmlparse xmlserialize xmlexists xmltable xmlattributes xmlnamespaces xpath",
            "xpath_exists xml_is_well_formed xml_is_well_formed_document xml_is_well_formed_content xml",
            // Arrays and ranges.
            "array_append array_cat array_dims array_fill array_length array_lower array_ndims array_position array_positions array_prepend array_remove",
            "array_replace array_reverse array_sample array_shuffle array_sort array_to_string array_upper cardinality trim_array unnest isempty lower_inc",
            "upper_inc lower_inf upper_inf range_merge multirange int4range int8range numrange tsrange tstzrange daterange int4multirange int8multirange",
            "nummultirange tsmultirange tstzmultirange datemultirange generate_series generate_subscripts hashtext hashtextextended",
            // Text search.
            "array_to_tsvector get_current_ts_config numnode plainto_tsquery phraseto_tsquery websearch_to_tsquery querytree setweight strip to_tsquery",
            "to_tsvector json_to_tsvector jsonb_to_tsvector ts_delete ts_filter ts_headline ts_rank ts_rank_cd tsquery_phrase tsvector_to_array",
            // Session, catalog and size.
            "current_catalog current_database current_query current_role current_schema current_schemas current_user session_user user",
            "inet_client_addr inet_client_port inet_server_addr inet_server_port pg_backend_pid pg_blocking_pids pg_conf_load_time pg_is_in_recovery",
            "pg_postmaster_start_time version current_setting pg_client_encoding pg_encoding_to_char pg_char_to_encoding getdatabaseencoding",
            "pg_listening_channels pg_my_temp_schema pg_is_other_temp_schema pg_jit_available pg_current_wal_lsn pg_current_wal_insert_lsn",
            "pg_last_wal_receive_lsn pg_last_wal_replay_lsn pg_last_xact_replay_timestamp pg_wal_lsn_diff txid_current_if_assigned",
            "pg_current_xact_id_if_assigned txid_current_snapshot pg_current_snapshot txid_snapshot_xmin txid_snapshot_xmax pg_snapshot_xmin pg_snapshot_xmax",
            "txid_status pg_xact_status pg_xact_commit_timestamp format_type obj_description col_description shobj_description to_regclass to_regtype",
            "to_regproc to_regprocedure to_regoper to_regoperator to_regnamespace to_regrole to_regcollation has_any_column_privilege",
            "has_column_privilege has_database_privilege has_foreign_data_wrapper_privilege has_function_privilege has_language_privilege",
            "has_parameter_privilege has_schema_privilege has_sequence_privilege has_server_privilege has_table_privilege has_tablespace_privilege",
            "has_type_privilege pg_has_role row_security_active aclexplode acldefault makeaclitem pg_collation_is_visible pg_conversion_is_visible",
            "pg_function_is_visible pg_opclass_is_visible pg_operator_is_visible pg_opfamily_is_visible pg_statistics_obj_is_visible pg_table_is_visible",
            "pg_ts_config_is_visible pg_ts_dict_is_visible pg_ts_parser_is_visible pg_ts_template_is_visible pg_type_is_visible pg_get_catalog_foreign_keys",
            "pg_get_constraintdef pg_get_expr pg_get_functiondef pg_get_function_arguments pg_get_function_identity_arguments pg_get_function_result",
            "pg_get_function_arg_default pg_get_function_sqlbody pg_get_indexdef pg_get_keywords pg_get_partkeydef pg_get_partition_constraintdef",
            "pg_get_ruledef pg_get_serial_sequence pg_get_statisticsobjdef pg_get_triggerdef pg_get_userbyid pg_get_viewdef pg_index_column_has_property",
            "pg_index_has_property pg_indexam_has_property pg_options_to_table pg_settings_get_flags pg_tablespace_databases pg_tablespace_location",
            "pg_identify_object pg_describe_object pg_column_size pg_column_compression pg_database_size pg_indexes_size pg_relation_size pg_size_bytes",
            "pg_size_pretty pg_table_size pg_tablespace_size pg_total_relation_size pg_relation_filenode pg_relation_filepath pg_partition_ancestors",
            "pg_partition_root pg_partition_tree pg_sequence_last_value pg_sequence_parameters pg_show_all_settings pg_timezone_names pg_timezone_abbrevs",
            "pg_lock_status pg_stat_get_activity pg_encoding_max_length pg_safe_snapshot_blocking_pids",
            // What drivers leave of JDBC's {fn …}.
            "ucase lcase curdate curtime dayofmonth dayofweek dayofyear hour minute second month monthname quarter week year locate");

    /** Change no data and read none, so that a SELECT of them alone is one of literals: an unlock must pass whatever has become of its lease. */
    private static final Words ADVISORY_LOCKS = new Words(
            "pg_advisory_lock pg_advisory_lock_shared pg_advisory_xact_lock pg_advisory_xact_lock_shared pg_try_advisory_lock pg_try_advisory_lock_shared",
            "pg_try_advisory_xact_lock pg_try_advisory_xact_lock_shared pg_advisory_unlock pg_advisory_unlock_shared pg_advisory_unlock_all");

    /** Catalogs that may go without their schema's name; the large objects are the service's data, not a catalog. */
    private static final Words CATALOGS = new Words(
            "pg_aggregate pg_am pg_amop pg_amproc pg_attrdef pg_attribute pg_authid pg_auth_members pg_cast pg_class pg_collation pg_constraint",
            "pg_conversion pg_database pg_db_role_setting pg_default_acl pg_depend pg_description pg_enum pg_event_trigger pg_extension",
            "pg_foreign_data_wrapper pg_foreign_server pg_foreign_table pg_index pg_inherits pg_init_privs pg_language pg_namespace pg_opclass pg_operator",
            "pg_opfamily pg_partitioned_table pg_policy pg_proc pg_publication pg_publication_rel pg_range pg_rewrite pg_seclabel pg_sequence",
            "pg_shdepend pg_shdescription pg_statistic_ext pg_subscription pg_tablespace pg_transform pg_trigger pg_ts_config pg_ts_config_map pg_ts_dict",
            "pg_ts_parser pg_ts_template pg_type pg_user_mapping pg_available_extensions pg_cursors pg_group pg_indexes pg_locks pg_matviews",
            "pg_policies pg_prepared_statements pg_prepared_xacts pg_roles pg_rules pg_sequences pg_settings pg_shadow pg_stat_activity pg_stats pg_tables",
            "pg_timezone_abbrevs pg_timezone_names pg_user pg_views");

    /** End the list of relations of a {@code FROM}. */
    private static final Words AFTER_FROM =
            new Words("where group having window order limit offset fetch for union intersect except returning");

    private static final Words BEFORE_RELATION = new Words("only lateral");
    private static final Words LARGE_OBJECTS = new Words("pg_largeobject pg_largeobject_metadata");
    private static final Words AFTER_FOR_UPDATE = new Words("of nowait skip limit offset fetch for");
    private static final Words LITERALS = new Words("null true false");
    private static final Words BUILT_IN_TYPES = new Words(
            "text varchar char bpchar name int int2 int4 int8 integer bigint smallint numeric decimal real float4 float8 bool boolean date time",
            "timetz timestamp timestamptz interval uuid json jsonb bytea oid regclass inet cidr xml");

    // What is open, one for each parenthesis around the current token.
    private static final int QUERY = 1;
    private static final int CTES = 2;
    private static final int FROM = 4;
    private static final int RELATION_NEXT = 8;
    private static final int RELATION_BEFORE = 16;

    /** What stood before the current token, as far as it matters. */
    private enum Before {
        OTHER,
        LITERAL,
        AS,
        CAST,
        CALL,
        LOCK,
        IS,
        IS_DISTINCT
    }

    private final Tokens t;
    private int[] levels = new int[16];
    private int depth;
    private Before before = Before.OTHER;
    /** Whether the current token is the first of the query or behind an opening parenthesis. */
    private boolean first = true;

    private boolean write;
    private boolean literal;
    /** How deep the arguments of a call of {@link #ADVISORY_LOCKS} are; 0 outside of them. */
    private int lockDepth;

    private boolean literalBeforeLock;
    private boolean relations;
    private boolean catalog = true;

    // The name that was read last.
    private int parts;
    private int schemaStart;
    private int schemaEnd;
    private int nameStart;
    private int nameEnd;
    private boolean quoted;

    // The token before the name that was read last, and the one before the current token.
    private int beforeNameStart;
    private int beforeNameEnd;
    private int previousStart;
    private int previousEnd;

    private QueryScan(Tokens tokens) {
        this.t = tokens;
    }

    /**
     * The kind of a query: a write, a read, a catalog read or a SELECT of literals. The current token is its first, and afterwards what follows it.
     *
     * @param enclosed whether it ends with the parenthesis that it begins with, not with the statement
     */
    static StatementKind scan(Tokens tokens, boolean enclosed) {
        return new QueryScan(tokens).query(enclosed);
    }

    private StatementKind query(boolean enclosed) {
        literal = t.is("select");
        while (!t.ends() && !t.is(';')) {
            boolean opens = t.is('(');
            beforeNameStart = previousStart;
            beforeNameEnd = previousEnd;
            previousStart = t.start;
            previousEnd = t.end;
            if (t.type == Type.WORD && keyword()) {
                before = Before.OTHER;
            } else if (t.type == Type.WORD || t.type == Type.QUOTED) {
                name();
            } else if (symbol() && enclosed) {
                break;
            }
            first = opens;
        }
        if (write || depth > 0) {
            return StatementKind.WRITE;
        } else if (literal) {
            return StatementKind.LITERAL_SELECT;
        }
        return relations && catalog ? StatementKind.CATALOG : StatementKind.READ;
    }

    /** Passes over a keyword that changes what is expected; false if the word is none. */
    private boolean keyword() {
        int level = levels[depth];
        if (t.is("select") || t.is("values")) {
            literal &= first && depth == 0;
            levels[depth] = QUERY;
        } else if (t.is("table")) {
            // TABLE t: a relation without FROM.
            levels[depth] = QUERY;
            catalog = false;
        } else if (t.is("with") && first) {
            levels[depth] = CTES;
        } else if (t.is("from") && (level & QUERY) != 0 && before != Before.IS_DISTINCT) {
            literal = false;
            levels[depth] = level | FROM | RELATION_NEXT;
        } else if (t.is("join") && (level & FROM) != 0) {
            levels[depth] = (level | RELATION_NEXT) & ~RELATION_BEFORE;
        } else if (t.is("for")) {
            locking();
            return true;
        } else if (t.in(CHANGES)) {
            write = true;
        } else if ((level & FROM) != 0 && t.in(AFTER_FROM)) {
            levels[depth] = QUERY;
        } else if ((level & RELATION_NEXT) == 0 || !t.in(BEFORE_RELATION)) {
            return false;
        }
        t.next();
        return true;
    }

    /** {@code FOR UPDATE} and its kin lock alone. */
    private void locking() {
        literal = false;
        levels[depth] &= ~(FROM | RELATION_NEXT | RELATION_BEFORE);
        t.next();
        if (t.is("no")) {
            t.next();
            if (t.is("key")) {
                t.next();
            }
        }
        if (t.is("update")) {
            t.next();
            write |= !(t.ends() || t.is(';') || t.is(')') || t.in(AFTER_FOR_UPDATE));
        }
    }

    private void name() {
        int level = levels[depth];
        read();
        if (t.is('(')) {
            boolean lock = lockDepth == 0 && advisoryLock();
            literal &= lock;
            boolean list = parts == 1 && (level & (CTES | RELATION_BEFORE)) != 0
                    || before == Before.AS
                    || before == Before.CAST;
            if (list) {
                // The columns of an alias, or the length of a type.
                levels[depth] &= ~RELATION_BEFORE;
            } else {
                write |= !harmless();
                if ((level & RELATION_NEXT) != 0) {
                    levels[depth] = (level | RELATION_BEFORE) & ~RELATION_NEXT;
                }
            }
            before = lock && !list ? Before.LOCK : Before.CALL;
        } else if ((level & RELATION_NEXT) != 0) {
            literal = false;
            relations = true;
            catalog &= catalogRelation();
            levels[depth] = (level | RELATION_BEFORE) & ~RELATION_NEXT;
            before = Before.OTHER;
        } else {
            word(level);
        }
    }

    /** A word that is neither called nor a relation. */
    private void word(int level) {
        boolean plain = parts == 1 && !quoted;
        if (plain && (named("as") || named("tablesample"))) {
            literal &= named("as");
            before = Before.AS;
        } else if (plain && before == Before.AS && (named("not") || named("materialized"))) {
            literal = false;
        } else if (plain && named("is")) {
            literal = false;
            before = Before.IS;
        } else if (plain && before == Before.IS && named("not")) {
            literal = false;
        } else if (plain && before == Before.IS && named("distinct")) {
            before = Before.IS_DISTINCT;
        } else if (plain && (named("with") || named("ordinality"))) {
            // f(…) WITH ORDINALITY alias (…): what follows still names the relation before.
            literal = false;
            before = Before.OTHER;
        } else {
            levels[depth] = level & ~RELATION_BEFORE;
            if (plain && before != Before.AS && in(LITERALS) || plain && before == Before.CAST && in(BUILT_IN_TYPES)) {
                before = Before.LITERAL;
            } else {
                // An alias: only if nothing but the next column or the end follows.
                literal &= parts == 1
                        && (before == Before.AS || before == Before.LITERAL)
                        && (t.ends() || t.is(',') || t.is(';'));
                before = Before.OTHER;
            }
        }
    }

    /** Passes over anything else; true if it closed the outermost parenthesis. */
    private boolean symbol() {
        int level = levels[depth];
        boolean closed = false;
        boolean lock = before == Before.LOCK && t.is('(');
        boolean lockEnds = lockDepth > 0 && depth == lockDepth && t.is(')');
        if (t.is('(')) {
            literal &= lock;
            if ((level & CTES) != 0 && before != Before.AS && before != Before.CALL && before != Before.LOCK) {
                // The query that the common tables are for.
                levels[depth] = QUERY;
            }
            if (++depth == levels.length) {
                levels = Arrays.copyOf(levels, 2 * depth);
            }
            levels[depth] = 0;
            if ((level & RELATION_NEXT) != 0) {
                // A join in parentheses, unless a SELECT follows.
                levels[depth] = FROM | RELATION_NEXT;
                levels[depth - 1] = (level | RELATION_BEFORE) & ~RELATION_NEXT;
            }
        } else if (t.is(')')) {
            depth = Math.max(0, depth - 1);
            closed = depth == 0;
        } else if (t.is(',') && (level & FROM) != 0) {
            levels[depth] = (level | RELATION_NEXT) & ~RELATION_BEFORE;
        } else if ((level & RELATION_NEXT) != 0) {
            // Nothing that we know to stand for a relation.
            catalog = false;
        }
        boolean cast = t.type == Type.SYMBOL && t.end - t.start == 2;
        if (lock || lockEnds) {
            // Whatever its arguments are computed from, unless that is read somewhere.
            literal = lock ? literal : literalBeforeLock && !relations;
            literalBeforeLock = literal;
            lockDepth = lock ? depth : 0;
            before = lock ? Before.OTHER : Before.LITERAL;
            t.next();
            return closed;
        }
        boolean value = t.type == Type.STRING || t.type == Type.NUMBER || t.type == Type.PARAMETER;
        literal &= value || cast || t.is(',') || t.is('-') || t.is('+');
        before = cast ? Before.CAST : value ? Before.LITERAL : Before.OTHER;
        t.next();
        return closed;
    }

    /** Reads a name with what qualifies it; the token is the one behind it. */
    private void read() {
        parts = 0;
        do {
            if (parts > 0) {
                t.next();
                if (t.type != Type.WORD && t.type != Type.QUOTED) {
                    // table.* and what else is no name.
                    parts++;
                    quoted = true;
                    return;
                }
            }
            schemaStart = nameStart;
            schemaEnd = nameEnd;
            nameStart = t.start;
            nameEnd = t.end;
            quoted = t.type == Type.QUOTED || parts > 0 && quoted;
            parts++;
            t.next();
        } while (t.is('.'));
    }

    private boolean harmless() {
        if (quoted || parts > 2) {
            return false;
        } else if (parts == 1) {
            return in(NOT_FUNCTIONS) || in(HARMLESS_FUNCTIONS) || in(ADVISORY_LOCKS) || keywordInPlace();
        }
        return inSchema("pg_catalog")
                ? in(HARMLESS_FUNCTIONS) || in(ADVISORY_LOCKS)
                : inSchema("information_schema") && named("_pg_expandarray");
    }

    private boolean advisoryLock() {
        return !quoted && in(ADVISORY_LOCKS) && (parts == 1 || parts == 2 && inSchema("pg_catalog"));
    }

    /** Keywords that a function may be called by, where they can only be keywords. */
    private boolean keywordInPlace() {
        if (named("over") || named("filter")) {
            return t.is(beforeNameStart, beforeNameEnd, ")");
        } else if (named("by")) {
            return t.in(beforeNameStart, beforeNameEnd, BEFORE_BY);
        } else if (named("rollup") || named("cube")) {
            return t.is(beforeNameStart, beforeNameEnd, "by");
        } else if (named("sets")) {
            return t.is(beforeNameStart, beforeNameEnd, "grouping");
        }
        return (named("first") || named("next")) && t.is(beforeNameStart, beforeNameEnd, "fetch");
    }

    private boolean catalogRelation() {
        if (quoted || parts > 2) {
            return false;
        } else if (parts == 1) {
            return in(CATALOGS);
        }
        return inSchema("information_schema") || inSchema("pg_catalog") && !in(LARGE_OBJECTS);
    }

    private boolean named(String word) {
        return t.is(nameStart, nameEnd, word);
    }

    private boolean in(Words words) {
        return t.in(nameStart, nameEnd, words);
    }

    private boolean inSchema(String schema) {
        return t.is(schemaStart, schemaEnd, schema);
    }
}
