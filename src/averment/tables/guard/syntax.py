"""The syntax a query may be made of: the kinds of nodes, function nodes and types that the guard lets into a tree.

An allow-list: a node the parser learns to make tomorrow is refused until it is written here. Which function *names* may
be called is said in ``averment.tables.guard.functions``; these are the parser's own words for their shapes.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


STRUCTURE = _words(
    """
    Select Union Except Intersect Subquery Values With CTE From Join Lateral Table TableAlias TableSample Where
    Group GroupingSets Rollup Cube Having Qualify Order Ordered Limit Fetch LimitOptions Offset Distinct Window
    WindowSpec WithinGroup Filter IgnoreNulls RespectNulls HavingMax Pivot PivotAlias PivotAny UnpivotColumns
    Describe Summarize Alias Aliases Column Identifier Star Dot Bracket Slice Paren Tuple PositionalColumn Literal
    Null Boolean RawString ByteString HexString BitString National Interval IntervalSpan Var Placeholder Parameter
    DataType DataTypeParam ColumnDef Add Sub Mul Div IntDiv Mod DPipe Neg BitwiseAnd BitwiseOr BitwiseXor BitwiseNot
    BitwiseLeftShift BitwiseRightShift EQ NEQ GT GTE LT LTE NullSafeEQ NullSafeNEQ Is Like ILike Glob SimilarTo
    Escape Between In Any All Not Overlaps Adjacent ExtendsLeft ExtendsRight Distance AtTimeZone Lambda Kwarg
    PropertyEQ Comprehension JSON JSONPath JSONPathKey JSONPathRecursive JSONPathRoot JSONPathSelector JSONPathSlice
    JSONPathSubscript JSONPathUnion JSONPathWildcard JSONKeyValue JSONValue JSONExtractQuote FormatJson OnCondition
    """
)
"""Nodes that are not functions."""

FUNCTION_NODES = _words(
    """
    And Or Xor Case If Cast TryCast Collate Exists Anonymous Count Columns Unnest Extract Overlay StrPosition Substring
    Trim CurrentDate CurrentTime CurrentTimestamp Localtime Localtimestamp Array Struct Map ToMap Pow Sqrt Cbrt Abs
    RegexpLike RegexpILike RegexpFullMatch StartsWith ArrayContainsAll ArrayContainedBy ArrayOverlaps JSONExtract
    JSONExtractScalar JSONBExtract JSONBExtractScalar JSONBContains JSONBContainsAllTopKeys JSONBContainsAnyTopKeys
    JSONBDeleteAtPath JSONBPathExists MatchAgainst FirstValue LastValue NthValue Lag Lead First Last
    """
)
"""Calls with a syntax of their own, and operators; ``Anonymous`` is every other call, judged by its name."""

TYPES = _words(
    """
    ARRAY BIGDECIMAL BIGINT BINARY BIT BLOB BOOLEAN BPCHAR CHAR DATE DATERANGE DATETIME DECIMAL DOUBLE ENUM FLOAT
    INET INT INT128 INT256 INT4RANGE INT8RANGE INTERVAL JSON JSONB LIST LONGTEXT MAP MEDIUMINT MONEY NCHAR
    NUMRANGE NVARCHAR SMALLINT STRUCT TEXT TIME TIMETZ TIMESTAMP TIMESTAMPLTZ TIMESTAMPNTZ TIMESTAMPTZ TIMESTAMP_MS
    TIMESTAMP_NS TIMESTAMP_S TINYINT TSRANGE TSTZRANGE UBIGINT UDECIMAL UINT UINT128 UNION USMALLINT UTINYINT UUID
    VARBINARY VARCHAR VECTOR YEAR NULL
    """
)
"""Types a value may be cast to; types of the user's making and the engines' object identifiers are not among them."""

WORDS_BEFORE_PARENTHESIS = _words(
    """
    in values over filter exists and or not as from join on using by select where having sets rollup cube group
    lateral any all some then else when case between like ilike is distinct union intersect except limit offset
    materialized exclude replace rename columns bernoulli system reservoir repeatable interval escape similar to
    glob pivot unpivot for into name value qualify window explain describe summarize with within ordinality array
    struct map row set first fetch next percent end sample tablesample null nulls order isnull notnull lambda return
    recursive decimal numeric varchar char character varying text bpchar timestamp timestamptz time timetz bit float
    double real enum blob list vector union int integer bigint smallint tinyint json jsonb date boolean nvarchar
    nchar if
    """
)
"""Words of the grammar that may stand before an opening parenthesis without being a function."""

SESSION_WORDS = _words(
    """
    user current_user session_user system_user current_role current_catalog current_schema current_date current_time
    current_timestamp localtime localtimestamp
    """
)
"""Words that engines read as a function without parentheses; a column of that name is always written in quotes."""
