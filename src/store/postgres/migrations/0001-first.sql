-- Compatible since: 1

-- Text that stands in an index is compared byte by byte: such an index survives an update of the system's locales.
create table runs (
  number bigint generated always as identity primary key,
  id text collate "C" not null unique,
  agent text collate "C" not null,
  status text collate "C" not null,
  "trigger" text not null,
  starter text collate "C" not null,
  repeat integer not null,
  title text not null,
  guarded integer not null,
  parent bigint,
  parent_call text,
  fence bigint not null,
  last_seq bigint not null,
  attempts integer not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  total_tokens bigint not null,
  estimated integer not null,
  output text,
  error text,
  created_at bigint not null,
  updated_at bigint not null,
  ended_at bigint,
  due_at bigint,
  owner text,
  host text,
  pid bigint,
  born_at text
);

-- Work to do: ready runs of an agent, oldest first; working runs whose lease ended.
create index runs_due on runs (status, agent, due_at, number) where due_at is not null;
-- Lists show roots, newest first: all runs of a starter, those of a starter that are not over, all that are not over,
-- and those that ended in one way.
create index runs_of_starter on runs (starter, number) where parent is null;
create index runs_active_of_starter on runs (starter, number) where parent is null and ended_at is null;
create index runs_active on runs (number) where parent is null and ended_at is null;
create index runs_over on runs (status, number) where parent is null and ended_at is not null;
-- For what is kept only for a time.
create index runs_ended on runs (ended_at) where parent is null and ended_at is not null;
create index runs_of_parent on runs (parent, number) where parent is not null;

create table events (
  run bigint not null,
  seq bigint not null,
  at bigint not null,
  ask bigint,
  v integer not null,
  type text not null,
  data text,
  primary key (run, seq)
);

create table asks (
  number bigint generated always as identity primary key,
  id text collate "C" not null unique,
  owner bigint not null,
  run bigint not null,
  step text collate "C" not null,
  path text,
  starter text collate "C" not null,
  state text collate "C" not null,
  since bigint not null,
  until_at bigint not null,
  opened text not null,
  settlement text,
  ended_at bigint,
  answer_id text,
  answer_hash text
);

create index asks_of_step on asks (run, step);
create index asks_open on asks (until_at, number) where state = 'open';
create index asks_open_of_starter on asks (starter, until_at, number) where state = 'open';
create index asks_open_of_owner on asks (owner) where state = 'open';

create table mail (
  id bigint generated always as identity primary key,
  run bigint not null,
  kind text not null,
  data text not null
);

create index mail_of_run on mail (run, id);

create table keys (
  scope text collate "C" not null,
  key text collate "C" not null,
  hash text not null,
  run text collate "C" not null,
  primary key (scope, key)
);

create index keys_of_run on keys (run);

-- An entry has its id only once it is committed: see outbox.ts.
create table outbox (
  arrival bigint generated always as identity primary key,
  id bigint unique,
  at bigint not null,
  type text not null,
  ask bigint not null
);

create index outbox_new on outbox (arrival) where id is null;
create index outbox_of_ask on outbox (ask);

create table notifiers (
  name text collate "C" primary key,
  acked bigint not null,
  leased_until bigint not null
);

create table tombstones (
  run text collate "C" primary key,
  agent text not null,
  erased_at bigint not null
);
