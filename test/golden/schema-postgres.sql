table asks (
  number bigint not null generated always as identity,
  id text collate "C" not null,
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

table events (
  run bigint not null,
  seq bigint not null,
  at bigint not null,
  ask bigint,
  v integer not null,
  type text not null,
  data text
);

table keys (
  scope text collate "C" not null,
  key text collate "C" not null,
  hash text not null,
  run text collate "C" not null
);

table mail (
  id bigint not null generated always as identity,
  run bigint not null,
  kind text not null,
  data text not null
);

table migrations (
  number integer not null,
  compatible_since integer not null
);

table notifiers (
  name text collate "C" not null,
  acked bigint not null,
  leased_until bigint not null
);

table outbox (
  arrival bigint not null generated always as identity,
  id bigint,
  at bigint not null,
  type text not null,
  ask bigint not null
);

table runs (
  number bigint not null generated always as identity,
  id text collate "C" not null,
  agent text collate "C" not null,
  status text collate "C" not null,
  trigger text not null,
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

table tombstones (
  run text collate "C" not null,
  agent text not null,
  erased_at bigint not null
);

CREATE UNIQUE INDEX asks_id_key ON asks USING btree (id);
CREATE INDEX asks_of_step ON asks USING btree (run, step);
CREATE INDEX asks_open ON asks USING btree (until_at, number) WHERE (state = 'open'::text);
CREATE INDEX asks_open_of_owner ON asks USING btree (owner) WHERE (state = 'open'::text);
CREATE INDEX asks_open_of_starter ON asks USING btree (starter, until_at, number) WHERE (state = 'open'::text);
CREATE UNIQUE INDEX asks_pkey ON asks USING btree (number);
CREATE UNIQUE INDEX events_pkey ON events USING btree (run, seq);
CREATE INDEX keys_of_run ON keys USING btree (run);
CREATE UNIQUE INDEX keys_pkey ON keys USING btree (scope, key);
CREATE INDEX mail_of_run ON mail USING btree (run, id);
CREATE UNIQUE INDEX mail_pkey ON mail USING btree (id);
CREATE UNIQUE INDEX migrations_pkey ON migrations USING btree (number);
CREATE UNIQUE INDEX notifiers_pkey ON notifiers USING btree (name);
CREATE UNIQUE INDEX outbox_id_key ON outbox USING btree (id);
CREATE INDEX outbox_new ON outbox USING btree (arrival) WHERE (id IS NULL);
CREATE INDEX outbox_of_ask ON outbox USING btree (ask);
CREATE UNIQUE INDEX outbox_pkey ON outbox USING btree (arrival);
CREATE INDEX runs_active ON runs USING btree (number) WHERE ((parent IS NULL) AND (ended_at IS NULL));
CREATE INDEX runs_active_of_starter ON runs USING btree (starter, number) WHERE ((parent IS NULL) AND (ended_at IS NULL));
CREATE INDEX runs_due ON runs USING btree (status, agent, due_at, number) WHERE (due_at IS NOT NULL);
CREATE INDEX runs_ended ON runs USING btree (ended_at) WHERE ((parent IS NULL) AND (ended_at IS NOT NULL));
CREATE UNIQUE INDEX runs_id_key ON runs USING btree (id);
CREATE INDEX runs_of_parent ON runs USING btree (parent, number) WHERE (parent IS NOT NULL);
CREATE INDEX runs_of_starter ON runs USING btree (starter, number) WHERE (parent IS NULL);
CREATE INDEX runs_over ON runs USING btree (status, number) WHERE ((parent IS NULL) AND (ended_at IS NOT NULL));
CREATE UNIQUE INDEX runs_pkey ON runs USING btree (number);
CREATE UNIQUE INDEX tombstones_pkey ON tombstones USING btree (run);
