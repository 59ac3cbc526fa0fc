-- The trials of an evaluation. The evaluation itself is a record of `agents`.

create table evaluation_trials (
  evaluation_id text collate "C" not null,
  n integer not null,
  workspace_id text collate "C" not null,
  case_n integer,
  case_name text not null,
  trial integer not null,
  baseline boolean not null,
  source_run text collate "C",
  run_id text collate "C",
  status text not null default 'pending',
  duration_ms bigint,
  cost_micros bigint not null default 0,
  grade jsonb,
  -- Judgements of the judge model for the assertions that only a model can grade.
  judgements jsonb,
  judge_cost_micros bigint not null default 0,
  judged_until timestamptz,
  constraint evaluation_trials_pk primary key (evaluation_id, n),
  constraint evaluation_trials_evaluation_fk foreign key (evaluation_id) references evaluations (id),
  constraint evaluation_trials_status_ck
    check (status in ('pending', 'running', 'passed', 'failed', 'errored', 'inconclusive', 'cancelled')),
  constraint evaluation_trials_case_ck check ((case_n is null) <> (source_run is null)),
  constraint evaluation_trials_run_ck check (status <> 'running' or run_id is not null)
);
