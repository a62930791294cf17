"""The whole error tree: every failure a caller can meet, with what to do about it.

Each class carries a stable ``code``, the process ``exit_code``, the HTTP ``http_status``, whether a retry may help
(``retryable``), and for tool failures the contracts' ``category``. Each instance adds a sentence for a person and a
``hint`` that says what to do next. Faces print these fields and never a traceback.

    AvermentError
    ├── UsageError                 the request itself is wrong                                exit 2
    │   ├── InvalidRequest  IntentEmpty  IntentTooLong  RowLimitOutOfRange  TimeoutOutOfRange
    │   ├── NoSources  UnknownDeliverable  InvalidSettings  RunNotFound  UnknownTool  InvalidArguments
    │   ├── MetricSqlRequired  NoFilesUploaded  InvalidDateRange  InvestigationNotComplete  MaxFilesExceeded
    │   ├── MetricUnreadable  MetricUndefined  MetricUnclear  NoDateColumn  PeriodWithoutData  JoinFansOut
    │   ├── GroupNotFound
    │   ├── SessionNotFound  SessionExpired  IllegalTransition
    │   └── TaskNotFound  ConversationNotFound  MessageReused  QuestionClosed
    ├── SourceError                a source cannot be used                                    exit 2
    │   ├── SourceNotFound  SourceEmpty  NoRows  InvalidFileType  NoHeaders  FileTooLarge
    │   ├── SourceUnreadable  SourceAmbiguous  UnsupportedSource
    │   └── SourceChanged  SourceVanished  SourceUnreachable                                  exit 1
    ├── ToolError                  a tool call failed; a reasoner may repair it               exit 1
    │   ├── SqlSyntax  TypeMismatch  MissingColumn  MissingTable
    │   └── ResourceExhausted ── QueryTimeout  RowLimitExceeded  MemoryExceeded  OutputExceeded
    ├── PlanError                  a plan that must not run: PlanCycle  PlanTooCostly  PlanInvalid    exit 1
    ├── PolicyError                refused by policy                                          exit 4
    │   ├── SqlRefused  ColumnNotAllowed  PatternBlocked  ConfirmationRequired
    │   └── AddressRefused  RobotsRefused  SandboxUnavailable
    ├── EvidenceError
    │   ├── NotEnoughEvidence                                                                 exit 3
    │   └── UnboundNumber  UnboundQuote  UntrueClaim  VerificationFailed                      exit 5
    ├── LedgerError                LedgerCorrupt (exit 5)  LedgerUnavailable                   exit 1
    ├── StorageError               DiskFull  StoreUnavailable  HomeNotWritable  StoreConflict  exit 1
    ├── ModelError                 never ends a run: the rules take over
    │   └── ModelUnavailable  ModelTimeout  ModelNonsense  ModelBudgetExceeded
    ├── WireError                  an HTTP request that is not let in, or cannot be read      exit 2
    │   ├── TokenRequired  OriginRefused  HostRefused  RouteNotFound  MethodNotAllowed
    │   └── MalformedRequest  RequestTooSlow  RequestTooLarge  TooManyRequests
    ├── MissingExtra  PluginFailed an optional package or a plugin cannot be used             exit 2
    └── RunCancelled               the user stopped the run                                   exit 130

``RunStopped`` stands outside the tree: it unwinds a run on the way to ``RunCancelled``, and no caller meets it.
"""

from __future__ import annotations

from averment.errors.base import (
    AvermentError,
    ErrorCategory,
)
from averment.errors.metric import (
    GroupNotFound,
    JoinFansOut,
    MetricUnclear,
    MetricUndefined,
    MetricUnreadable,
    NoDateColumn,
    PeriodWithoutData,
)
from averment.errors.model import (
    ModelBudgetExceeded,
    ModelError,
    ModelNonsense,
    ModelTimeout,
    ModelUnavailable,
    RunCancelled,
    RunStopped,
)
from averment.errors.policy import (
    AddressRefused,
    ColumnNotAllowed,
    ConfirmationRequired,
    PatternBlocked,
    PolicyError,
    RobotsRefused,
    SandboxUnavailable,
    SqlRefused,
)
from averment.errors.proof import (
    EvidenceError,
    NotEnoughEvidence,
    UnboundNumber,
    UnboundQuote,
    UntrueClaim,
    VerificationFailed,
)
from averment.errors.request import (
    ConversationNotFound,
    IllegalTransition,
    IntentEmpty,
    IntentTooLong,
    InvalidArguments,
    InvalidDateRange,
    InvalidRequest,
    InvalidSettings,
    InvestigationNotComplete,
    MaxFilesExceeded,
    MessageReused,
    MetricSqlRequired,
    MissingExtra,
    NoFilesUploaded,
    NoSources,
    PluginFailed,
    QuestionClosed,
    RowLimitOutOfRange,
    RunNotFound,
    SessionExpired,
    SessionNotFound,
    TaskNotFound,
    TimeoutOutOfRange,
    UnknownDeliverable,
    UnknownTool,
    UsageError,
)
from averment.errors.source import (
    FileTooLarge,
    InvalidFileType,
    NoHeaders,
    NoRows,
    SourceAmbiguous,
    SourceChanged,
    SourceEmpty,
    SourceError,
    SourceNotFound,
    SourceUnreachable,
    SourceUnreadable,
    SourceVanished,
    UnsupportedSource,
)
from averment.errors.storage import (
    DiskFull,
    HomeNotWritable,
    LedgerCorrupt,
    LedgerError,
    LedgerUnavailable,
    StorageError,
    StoreConflict,
    StoreUnavailable,
)
from averment.errors.tool import (
    MemoryExceeded,
    MissingColumn,
    MissingTable,
    OutputExceeded,
    PlanCycle,
    PlanError,
    PlanInvalid,
    PlanTooCostly,
    QueryTimeout,
    ResourceExhausted,
    RowLimitExceeded,
    SqlSyntax,
    ToolError,
    TypeMismatch,
)
from averment.errors.wire import (
    HostRefused,
    MalformedRequest,
    MethodNotAllowed,
    OriginRefused,
    RequestTooLarge,
    RequestTooSlow,
    RouteNotFound,
    TokenRequired,
    TooManyRequests,
    WireError,
)

__all__ = [
    "AddressRefused",
    "AvermentError",
    "ColumnNotAllowed",
    "ConfirmationRequired",
    "ConversationNotFound",
    "DiskFull",
    "ErrorCategory",
    "EvidenceError",
    "FileTooLarge",
    "GroupNotFound",
    "HomeNotWritable",
    "HostRefused",
    "IllegalTransition",
    "IntentEmpty",
    "IntentTooLong",
    "InvalidArguments",
    "InvalidDateRange",
    "InvalidFileType",
    "InvalidRequest",
    "InvalidSettings",
    "InvestigationNotComplete",
    "JoinFansOut",
    "LedgerCorrupt",
    "LedgerError",
    "LedgerUnavailable",
    "MalformedRequest",
    "MaxFilesExceeded",
    "MemoryExceeded",
    "MessageReused",
    "MethodNotAllowed",
    "MetricSqlRequired",
    "MetricUnclear",
    "MetricUndefined",
    "MetricUnreadable",
    "MissingColumn",
    "MissingExtra",
    "MissingTable",
    "ModelBudgetExceeded",
    "ModelError",
    "ModelNonsense",
    "ModelTimeout",
    "ModelUnavailable",
    "NoDateColumn",
    "NoFilesUploaded",
    "NoHeaders",
    "NoRows",
    "NoSources",
    "NotEnoughEvidence",
    "OriginRefused",
    "OutputExceeded",
    "PatternBlocked",
    "PeriodWithoutData",
    "PlanCycle",
    "PlanError",
    "PlanInvalid",
    "PlanTooCostly",
    "PluginFailed",
    "PolicyError",
    "QueryTimeout",
    "QuestionClosed",
    "RequestTooLarge",
    "RequestTooSlow",
    "ResourceExhausted",
    "RobotsRefused",
    "RouteNotFound",
    "RowLimitExceeded",
    "RowLimitOutOfRange",
    "RunCancelled",
    "RunStopped",
    "RunNotFound",
    "SandboxUnavailable",
    "SessionExpired",
    "SessionNotFound",
    "SourceAmbiguous",
    "SourceChanged",
    "SourceEmpty",
    "SourceError",
    "SourceNotFound",
    "SourceUnreachable",
    "SourceUnreadable",
    "SourceVanished",
    "SqlRefused",
    "SqlSyntax",
    "StorageError",
    "StoreConflict",
    "StoreUnavailable",
    "TaskNotFound",
    "TimeoutOutOfRange",
    "TokenRequired",
    "TooManyRequests",
    "ToolError",
    "TypeMismatch",
    "UnboundNumber",
    "UnboundQuote",
    "UntrueClaim",
    "UnknownDeliverable",
    "UnknownTool",
    "UnsupportedSource",
    "UsageError",
    "VerificationFailed",
    "WireError",
]
