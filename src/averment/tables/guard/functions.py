"""The functions a query may call, by dialect: an allow-list, so that an unknown function is a refused one.

In: mathematics, text, dates, aggregates, windows, lists, JSON, regular expressions and statistics. Out, whatever they
are called: everything that reads files, settings, catalogues or sequences, runs SQL held in a string, sleeps, writes,
raises on purpose, makes large objects, or tells who and where the session is. Names are in lower case.
"""

from __future__ import annotations

from averment.tables.catalog import Dialect


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SHARED = """
    abs acos asin atan atan2 ceil ceiling cos degrees exp floor ln log log10 mod pi pow power radians round sign sin
    sqrt tan trunc coalesce nullif greatest least concat concat_ws lower upper length substr substring replace trim
    ltrim rtrim instr position ascii chr hex format repeat reverse lpad rpad left right count sum avg min max
    row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value cast case
    exists extract date_part
    """

_DUCKDB = """
    acosh asinh atanh add bit_count bit_length bit_position bitstring get_bit set_bit cbrt cosh sinh tanh cot divide
    even fdiv fmod multiply subtract factorial gamma lgamma gcd greatest_common_divisor lcm least_common_multiple
    isfinite isinf isnan log2 nextafter random round_even roundbankers signbit xor formatreadablesize
    formatreadabledecimalsize format_bytes pg_size_pretty wavg weighted_avg equi_width_bins width_bucket if ifnull
    isnull try_cast try typeof pg_typeof hash md5 md5_number md5_number_lower md5_number_upper sha1 sha256 uuid
    gen_random_uuid uuidv4 uuidv7 uuid_extract_timestamp uuid_extract_version enum_code enum_first enum_last
    enum_range enum_range_boundary get_type bar base64 bin unbin char_length character_length contains
    damerau_levenshtein editdist3 decode encode ends_with from_base64 from_binary from_hex hamming mismatches
    jaccard jaro_similarity jaro_winkler_similarity lcase ucase left_grapheme right_grapheme length_grapheme
    substring_grapheme len levenshtein like_escape ilike_escape not_like_escape not_ilike_escape nfc_normalize
    octet_length ord parse_dirname parse_dirpath parse_filename parse_path parse_formatted_bytes prefix suffix
    printf regexp_escape regexp_extract regexp_extract_all regexp_full_match regexp_matches regexp_replace
    regexp_split_to_array regexp_split_to_table regexp_like split split_part starts_with str_split str_split_regex
    string_split string_split_regex string_to_array strip_accents strlen strpos to_base to_base64 to_binary to_hex
    translate unhex unicode url_decode url_encode initcap like ilike age ago century current_date current_time
    current_timestamp current_localtime current_localtimestamp date date_add date_diff date_sub date_trunc datediff
    datepart datesub datetrunc dateadd day dayname dayofmonth dayofweek dayofyear days_in_month decade epoch
    epoch_ms epoch_ns epoch_us era get_current_time get_current_timestamp hour isodow isoyear julian last_day
    localtime localtimestamp make_date make_time make_timestamp make_timestamp_ms make_timestamp_ns make_timestamptz
    make_interval microsecond millennium millisecond minute month monthname nanosecond normalized_interval now
    quarter second strftime strptime try_strptime time time_bucket timestamp timezone timezone_hour timezone_minute
    to_centuries to_days to_decades to_hours to_microseconds to_millennia to_milliseconds to_minutes to_months
    to_quarters to_seconds to_timestamp to_weeks to_years today transaction_timestamp week weekday weekofyear year
    yearweek interval any_value approx_count_distinct approx_quantile approx_top_k arbitrary arg_max arg_max_null
    arg_max_nulls_last arg_min arg_min_null arg_min_nulls_last argmax argmin array_agg bit_and bit_or bit_xor
    bitstring_agg bool_and bool_or corr count_if count_star countif covar_pop covar_samp entropy favg fill first
    fsum geomean geometric_mean group_concat grouping grouping_id histogram histogram_exact kahan_sum kurtosis
    kurtosis_pop last list listagg mad max_by mean median min_by mode percentile_cont percentile_disc product
    quantile quantile_cont quantile_disc rank_dense regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope
    regr_sxx regr_sxy regr_syy reservoir_quantile sem skewness stddev stddev_pop stddev_samp string_agg
    sum_no_overflow sumkahan var_pop var_samp variance every aggregate apply array array_aggr array_aggregate
    array_append array_apply array_cat array_concat array_contains array_cosine_distance array_cosine_similarity
    array_cross_product array_distance array_distinct array_dot_product array_extract array_filter array_grade_up
    array_has array_has_all array_has_any array_indexof array_inner_product array_intersect array_length
    array_negative_dot_product array_negative_inner_product array_pop_back array_pop_front array_position
    array_prepend array_push_back array_push_front array_reduce array_resize array_reverse array_reverse_sort
    array_select array_slice array_sort array_to_string array_to_string_comma_default array_transform array_unique
    array_value array_where array_zip cardinality element_at filter flatten generate_series generate_subscripts
    grade_up list_aggr list_aggregate list_any_value list_append list_apply list_approx_count_distinct list_avg
    list_bit_and list_bit_or list_bit_xor list_bool_and list_bool_or list_cat list_concat list_contains
    list_cosine_distance list_cosine_similarity list_count list_distance list_distinct list_dot_product list_element
    list_entropy list_extract list_filter list_first list_grade_up list_has list_has_all list_has_any list_histogram
    list_indexof list_inner_product list_intersect list_kurtosis list_kurtosis_pop list_last list_mad list_max
    list_median list_min list_mode list_negative_dot_product list_negative_inner_product list_pack list_position
    list_prepend list_product list_reduce list_resize list_reverse list_reverse_sort list_select list_sem
    list_skewness list_slice list_sort list_stddev_pop list_stddev_samp list_string_agg list_sum list_transform
    list_unique list_value list_var_pop list_var_samp list_where list_zip map map_concat map_contains
    map_contains_entry map_contains_value map_entries map_extract map_extract_value map_from_entries map_keys
    map_values range reduce row struct_concat struct_contains struct_extract struct_extract_at struct_has
    struct_indexof struct_insert struct_keys struct_pack struct_position struct_update struct_values union_extract
    union_tag union_value unnest unpivot_list columns struct array_to_json from_json from_json_strict json
    json_array json_array_length json_contains json_each json_exists json_extract json_extract_path
    json_extract_path_text json_extract_string json_group_array json_group_object json_group_structure json_keys
    json_merge_patch json_object json_pretty json_quote json_structure json_transform json_transform_strict
    json_tree json_type json_valid json_value row_to_json to_json is_histogram_other_bin
    """

_SQLITE = """
    acosh asinh atanh cosh sinh tanh log2 random max min total iif ifnull if char unicode glob like likelihood
    likely unlikely printf quote soundex typeof unhex octet_length string_agg group_concat concat current_date
    current_time current_timestamp date datetime julianday strftime time timediff unixepoch json json_array
    json_array_length json_each json_extract json_group_array json_group_object json_insert json_object json_patch
    json_pretty json_quote json_remove json_replace json_set json_tree json_type json_valid jsonb jsonb_array
    jsonb_extract jsonb_group_array jsonb_group_object jsonb_insert jsonb_object jsonb_patch jsonb_remove
    jsonb_replace jsonb_set median percentile percentile_cont percentile_disc generate_series
    """

_POSTGRES = """
    acosd acosh asind asinh atan2d atand atanh cbrt cosd cosh cot cotd sind sinh tand tanh div erf erfc factorial
    gamma lgamma gcd lcm min_scale scale trim_scale random random_normal width_bucket numeric float4 float8 int2
    int4 int8 text bit_count bit_length btrim casefold char_length character_length initcap md5 normalize
    octet_length overlay quote_ident quote_literal quote_nullable regexp_count regexp_instr regexp_like regexp_match
    regexp_matches regexp_replace regexp_split_to_array regexp_split_to_table regexp_substr sha224 sha256 sha384
    sha512 split_part starts_with string_to_array string_to_table strpos to_ascii to_bin to_hex to_oct translate
    unistr encode decode get_bit get_byte convert_from convert_to crc32 crc32c unaccent hashtext similarity
    levenshtein age clock_timestamp current_date current_time current_timestamp date date_add date_bin date_subtract
    date_trunc isfinite justify_days justify_hours justify_interval localtime localtimestamp make_date make_interval
    make_time make_timestamp make_timestamptz now overlaps statement_timestamp timeofday timezone to_char to_date
    to_number to_timestamp transaction_timestamp timestamp timestamptz interval time any_value array_agg bit_and
    bit_or bit_xor bool_and bool_or corr covar_pop covar_samp every grouping json_agg json_agg_strict
    json_object_agg json_object_agg_strict json_object_agg_unique json_arrayagg json_objectagg jsonb_agg
    jsonb_agg_strict jsonb_object_agg jsonb_object_agg_strict jsonb_object_agg_unique mode percentile_cont
    percentile_disc range_agg range_intersect_agg regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope
    regr_sxx regr_sxy regr_syy stddev stddev_pop stddev_samp string_agg var_pop var_samp variance array array_append
    array_cat array_dims array_fill array_length array_lower array_ndims array_position array_positions
    array_prepend array_remove array_replace array_reverse array_sample array_shuffle array_sort array_to_json
    array_to_string array_upper cardinality generate_series generate_subscripts trim_array unnest row any all some
    json json_array json_array_elements json_array_elements_text json_array_length json_build_array
    json_build_object json_each json_each_text json_exists json_extract_path json_extract_path_text json_object
    json_object_keys json_populate_record json_populate_recordset json_query json_scalar json_serialize
    json_strip_nulls json_to_record json_to_recordset json_typeof json_value jsonb_array_elements
    jsonb_array_elements_text jsonb_array_length jsonb_build_array jsonb_build_object jsonb_concat jsonb_contains
    jsonb_each jsonb_each_text jsonb_exists jsonb_extract_path jsonb_extract_path_text jsonb_insert jsonb_object
    jsonb_object_keys jsonb_path_exists jsonb_path_exists_tz jsonb_path_match jsonb_path_match_tz jsonb_path_query
    jsonb_path_query_array jsonb_path_query_array_tz jsonb_path_query_first jsonb_path_query_first_tz
    jsonb_path_query_tz jsonb_pretty jsonb_set jsonb_set_lax jsonb_strip_nulls jsonb_to_record jsonb_to_recordset
    jsonb_typeof row_to_json to_json to_jsonb gen_random_uuid uuidv4 uuidv7 uuid_extract_timestamp
    uuid_extract_version num_nonnulls num_nulls pg_typeof pg_size_pretty pg_column_size isempty lower_inc lower_inf
    upper_inc upper_inf multirange range_merge int4range int8range numrange daterange tsrange tstzrange numnode
    plainto_tsquery phraseto_tsquery setweight strip to_tsquery to_tsvector ts_headline ts_rank ts_rank_cd
    websearch_to_tsquery tsvector_to_array array_to_tsvector abbrev broadcast family host hostmask masklen netmask
    network area center diameter point box circle
    """

FUNCTIONS: dict[Dialect, frozenset[str]] = {
    "duckdb": _words(_SHARED + _DUCKDB),
    "sqlite": _words(_SHARED + _SQLITE),
    "postgres": _words(_SHARED + _POSTGRES),
}
"""Every function name that may stand before a parenthesis, by dialect."""

TABLE_FUNCTIONS: dict[Dialect, frozenset[str]] = {
    "duckdb": frozenset({"range", "generate_series", "unnest", "json_each", "json_tree"}),
    "sqlite": frozenset({"json_each", "json_tree", "generate_series"}),
    "postgres": _words(
        """
    generate_series unnest generate_subscripts regexp_matches regexp_split_to_table string_to_table
    json_array_elements json_array_elements_text json_each json_each_text json_object_keys json_populate_record
    json_populate_recordset json_to_record json_to_recordset jsonb_array_elements jsonb_array_elements_text
    jsonb_each jsonb_each_text jsonb_object_keys jsonb_path_query jsonb_path_query_tz jsonb_to_record
    jsonb_to_recordset
    """
    ),
}
"""Functions that may stand in FROM: they make rows from their arguments alone."""

VOLATILE = _words(
    """
    random random_normal uuid gen_random_uuid uuidv4 uuidv7 now today clock_timestamp statement_timestamp timeofday
    transaction_timestamp current_date current_time current_timestamp current_localtime current_localtimestamp
    get_current_time get_current_timestamp localtime localtimestamp array_sample array_shuffle reservoir_quantile
    ago
    """
)
"""Functions whose answer depends on the moment or on chance: running such a query again proves nothing."""
