-- Compatible since: 1

create table runs (
  number integer primary key,
  id text not null unique,
  agent text not null,
  status text not null,
  "trigger" text not null,
  starter text not null,
  repeat integer not null,
  title text not null,
  guarded integer not null,
  parent integer,
  parent_call text,
  fence integer not null,
  last_seq integer not null,
  attempts integer not null,
  input_tokens integer not null,
  output_tokens integer not null,
  total_tokens integer not null,
  estimated integer not null,
  output text,
  error text,
  created_at integer not null,
  updated_at integer not null,
  ended_at integer,
  due_at integer,
  owner text,
  host text,
  pid integer,
  born_at text
) strict;

-- Work to do: ready runs of an agent, oldest first; working runs whose lease ended.
create index runs_due on runs (status, agent, due_at) where due_at is not null;
-- Lists show roots, newest first: all runs of a starter, those of a starter that are not over, all that are not over,
-- and those that ended in one way.
create index runs_of_starter on runs (starter, number) where parent is null;
create index runs_active_of_starter on runs (starter, number) where parent is null and ended_at is null;
create index runs_active on runs (number) where parent is null and ended_at is null;
create index runs_over on runs (status, number) where parent is null and ended_at is not null;
-- For what is kept only for a time.
create index runs_ended on runs (ended_at) where parent is null and ended_at is not null;
create index runs_of_parent on runs (parent) where parent is not null;

-- With a rowid: without one, a row of more than 1 kB moves to pages of its own, which made logs half as large again.
create table events (
  run integer not null,
  seq integer not null,
  at integer not null,
  type text not null,
  v integer not null,
  data text,
  ask integer
) strict;

create unique index events_of_run on events (run, seq);

create table asks (
  number integer primary key,
  id text not null unique,
  owner integer not null,
  run integer not null,
  step text not null,
  path text,
  starter text not null,
  state text not null,
  since integer not null,
  until_at integer not null,
  opened text not null,
  settlement text,
  ended_at integer,
  answer_id text,
  answer_hash text
) strict;

create index asks_of_step on asks (run, step);
create index asks_open on asks (until_at, number) where state = 'open';
create index asks_open_of_starter on asks (starter, until_at, number) where state = 'open';
create index asks_open_of_owner on asks (owner) where state = 'open';

-- autoincrement: the id of mail that was taken is never given again.
create table mail (
  id integer primary key autoincrement,
  run integer not null,
  kind text not null,
  data text not null
) strict;

create index mail_of_run on mail (run);

create table keys (
  scope text not null,
  key text not null,
  hash text not null,
  run text not null,
  primary key (scope, key)
) strict, without rowid;

create index keys_of_run on keys (run);

create table outbox (
  id integer primary key autoincrement,
  at integer not null,
  type text not null,
  ask integer not null
) strict;

create index outbox_of_ask on outbox (ask);

create table notifiers (
  name text primary key,
  acked integer not null,
  leased_until integer not null
) strict, without rowid;

create table tombstones (
  run text primary key,
  agent text not null,
  erased_at integer not null
) strict, without rowid;
