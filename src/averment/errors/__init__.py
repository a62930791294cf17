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
    ├── RunInterrupted             its process ended before the run did                       exit 1
    └── RunCancelled               the user stopped the run                                   exit 130

``RunStopped`` stands outside the tree: it unwinds a run on the way to ``RunCancelled``, and no caller meets it.
"""

from __future__ import annotations

from averment.errors.tree import *
from averment.errors.tree import ErrorCategory

# Every class of that module is an error of the tree.
__all__ = ["ErrorCategory"]
__all__ += [name for name, kind in globals().items() if getattr(kind, "__module__", "").startswith(f"{__name__}.")]
