"""The store's own tables and their indexes, in the SQL of `migrations`; the columns are the fields of the rows.

Facts are appended to a table in the order of their writing, with an index by instance: so a batch touches few pages
although its facts belong to many instances. Every table of an instance begins its key with it or has an index by it.
"""

from typing import Final

from weft.store.migrations import Migration

TABLES_OF_ENGINES: Final = (
    """create table node (name {text} primary key, epoch {int} not null, batch {int} not null, until {real},
        wanted {text} not null default ''){clustered}""",
    """create table definition (process {text} not null, version {text} not null, number {int} not null,
        hash {text} not null, time {real} not null, actor {text} not null,
        payload {bytes} not null, codec {int} not null, primary key (process, version)){clustered}""",
    "create index definition_number on definition (process, number)",
    "create index definition_hash on definition (hash)",
    """create table schedule (name {text} primary key, process {text} not null, due {real}, time {real} not null,
        actor {text} not null, payload {bytes} not null, codec {int} not null){clustered}""",
    """create table key (process {text} not null, key {text} not null, instance {int} not null, until {real},
        primary key (process, key)){clustered}""",
    "create index key_until on key (until) where until is not null",
    """create table command (id {serial}, instance {int} not null, name {text} not null, time {real} not null,
        actor {text} not null, payload {bytes} not null, codec {int} not null)""",
    """create table answer (id {int} primary key, time {real} not null,
        payload {bytes} not null, codec {int} not null)""",
    "create index answer_time on answer (time)",
)

TABLES_OF_INSTANCES: Final = (
    """create table instance (id {int} primary key, process {text} not null, version {text} not null,
        hash {text} not null, state {text} not null, is_active {bool} not null, started {real} not null,
        changed {real} not null, key {text} not null, ended {real}, outcome {text} not null, error {text} not null,
        responsible {text} not null, priority {real} not null)""",
    "create index instance_active on instance (id) where is_active",
    "create index instance_process on instance (process, id)",
    "create index instance_state on instance (state, id)",
    "create index instance_process_state on instance (process, state, id, version)",
    "create index instance_key on instance (key, id) where key <> ''",
    "create index instance_started on instance (started, id)",
    "create index instance_ended on instance (ended, id) where ended is not null",
    """create table variable (instance {int} not null, name {text} not null, value {text} not null,
        primary key (instance, name)){clustered}""",
    "create index variable_value on variable (name, value, instance)",
    """create table fact (id {id}, instance {int} not null, sequence {int} not null, count {int} not null,
        time {real} not null, actor {text} not null, command {text} not null, format {int} not null,
        payload {bytes} not null, codec {int} not null)""",
    "create unique index fact_instance on fact (instance, sequence)",
    """create table snapshot (instance {int} primary key, sequence {int} not null, time {real} not null,
        format {int} not null, payload {bytes} not null, codec {int} not null)""",
    """create table timer (instance {int} not null, name {text} not null, due {real} not null,
        primary key (instance, name)){clustered}""",
    "create index timer_due on timer (due, instance, name)",
    """create table work (instance {int} not null, path {text} not null, round {int} not null, attempt {int} not null,
        task {text} not null, state {text} not null, since {real} not null, queue {text} not null,
        priority {real} not null, worker {text} not null, until {real}, claim {int} not null, needs {text} not null,
        payload {bytes} not null, codec {int} not null, primary key (instance, path, round, attempt)){clustered}""",
    """create table signal (id {int} primary key, instance {int} not null, process {text} not null,
        key {text} not null, name {text} not null, time {real} not null, actor {text} not null,
        payload {bytes} not null, codec {int} not null)""",
    "create index signal_instance on signal (instance) where instance <> 0",
    "create index signal_key on signal (process, key) where instance = 0",
    """create table blob (id {int} primary key, instance {int} not null, time {real} not null,
        payload {bytes} not null, codec {int} not null)""",
    "create index blob_instance on blob (instance)",
    """create table outbox (receiver {text} not null, instance {int} not null, path {text} not null,
        number {int} not null, time {real} not null, due {real} not null,
        payload {bytes} not null, codec {int} not null,
        primary key (instance, receiver, path, number)){clustered}""",
    "create index outbox_due on outbox (due, receiver, instance, path, number)",
    """create table inbox (sender {text} not null, instance {int} not null, path {text} not null,
        number {int} not null, time {real} not null, primary key (instance, sender, path, number)){clustered}""",
)

POSTGRES: Final = (
    "alter table node set (fillfactor = 50)",
    "alter table fact add primary key using index fact_instance",
    "create index work_offered on work (queue, priority desc, since, instance) where state = 'offered'",
    "create index work_claimed on work (until) where state in ('claimed', 'lapsed')",
    "create table slot (slot {int} primary key, node {text} not null default '')",
    "insert into slot (slot) select * from generate_series(0, 255)",
)
"""Several nodes share a database, each owns slots; and workers of other processes find work in it."""

SCHEMA: Final = (
    Migration(
        1,
        "store: the tables of engines and instances",
        (*TABLES_OF_ENGINES, *TABLES_OF_INSTANCES),
        postgres=POSTGRES,
    ),
)
