CREATE TABLE asks (
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

CREATE TABLE events (
  run integer not null,
  seq integer not null,
  at integer not null,
  type text not null,
  v integer not null,
  data text,
  ask integer
) strict;

CREATE TABLE keys (
  scope text not null,
  key text not null,
  hash text not null,
  run text not null,
  primary key (scope, key)
) strict, without rowid;

CREATE TABLE mail (
  id integer primary key autoincrement,
  run integer not null,
  kind text not null,
  data text not null
) strict;

CREATE TABLE migrations (number integer primary key, compatible_since integer not null) strict;

CREATE TABLE notifiers (
  name text primary key,
  acked integer not null,
  leased_until integer not null
) strict, without rowid;

CREATE TABLE outbox (
  id integer primary key autoincrement,
  at integer not null,
  type text not null,
  ask integer not null
) strict;

CREATE TABLE runs (
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

CREATE TABLE sqlite_sequence(name,seq);

CREATE TABLE tombstones (
  run text primary key,
  agent text not null,
  erased_at integer not null
) strict, without rowid;

CREATE INDEX asks_of_step on asks (run, step);

CREATE INDEX asks_open on asks (until_at, number) where state = 'open';

CREATE INDEX asks_open_of_owner on asks (owner) where state = 'open';

CREATE INDEX asks_open_of_starter on asks (starter, until_at, number) where state = 'open';

CREATE UNIQUE INDEX events_of_run on events (run, seq);

CREATE INDEX keys_of_run on keys (run);

CREATE INDEX mail_of_run on mail (run);

CREATE INDEX outbox_of_ask on outbox (ask);

CREATE INDEX runs_active on runs (number) where parent is null and ended_at is null;

CREATE INDEX runs_active_of_starter on runs (starter, number) where parent is null and ended_at is null;

CREATE INDEX runs_due on runs (status, agent, due_at) where due_at is not null;

CREATE INDEX runs_ended on runs (ended_at) where parent is null and ended_at is not null;

CREATE INDEX runs_of_parent on runs (parent) where parent is not null;

CREATE INDEX runs_of_starter on runs (starter, number) where parent is null;

CREATE INDEX runs_over on runs (status, number) where parent is null and ended_at is not null;
