import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What leads a version into production: evaluations with their trials, and promotions. And agents that are archived. */
export class Evaluations1764400000000 implements MigrationInterface {
  readonly name = 'Evaluations1764400000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of UP) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await queryRunner.query(statement);
  }
}

const UP = [
  // Of an archived agent: until when runs are looked for that were accepted while it was being archived.
  `alter table agents add sweep_until timestamptz`,
  `create index agents_sweep_ix on agents (sweep_until) where sweep_until is not null`,
  `create table agent_promotions (
    agent_id text collate "C" not null,
    n integer not null,
    workspace_id text collate "C" not null,
    version integer not null,
    previous_version integer not null,
    evaluation_id text collate "C",
    promoted_by text not null,
    promoted_at timestamptz(3) not null default clock_timestamp(),
    constraint agent_promotions_pk primary key (agent_id, n),
    constraint agent_promotions_agent_fk foreign key (workspace_id, agent_id) references agents (workspace_id, id),
    constraint agent_promotions_n_ck check (n >= 1),
    constraint agent_promotions_change_ck check (version <> previous_version)
  )`,
  `create index agent_promotions_version_ix on agent_promotions (agent_id, version)`,
  `create table evaluations (
    id text collate "C" not null,
    workspace_id text collate "C" not null,
    agent_id text collate "C" not null,
    version integer not null,
    baseline_version integer,
    status text not null default 'queued',
    cases jsonb not null default '{}',
    pass_rate double precision,
    confidence_low double precision,
    gate jsonb,
    cost_micros bigint not null default 0,
    currency text not null,
    created_by text not null,
    created_at timestamptz(3) not null default clock_timestamp(),
    ended_at timestamptz(3),
    settled boolean not null default false,
    looked_at timestamptz not null default clock_timestamp(),
    constraint evaluations_pk primary key (id),
    constraint evaluations_agent_fk foreign key (workspace_id, agent_id) references agents (workspace_id, id),
    constraint evaluations_status_ck check (status in ('queued', 'running', 'passed', 'failed', 'inconclusive', 'errored', 'cancelled')),
    constraint evaluations_end_ck check ((status in ('queued', 'running')) = (ended_at is null)),
    constraint evaluations_settled_ck check (not settled or ended_at is not null)
  )`,
  `create index evaluations_version_ix on evaluations (agent_id, version, id)`,
  // Safety net: one evaluation of a version at a time.
  `create unique index evaluations_open_uq on evaluations (agent_id, version) where ended_at is null`,
  `create index evaluations_due_ix on evaluations (looked_at) where not settled`,
  `create table evaluation_trials (
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
    constraint evaluation_trials_pk primary key (evaluation_id, n),
    constraint evaluation_trials_evaluation_fk foreign key (evaluation_id) references evaluations (id),
    constraint evaluation_trials_status_ck check (status in ('pending', 'running', 'passed', 'failed', 'errored', 'inconclusive', 'cancelled')),
    constraint evaluation_trials_case_ck check ((case_n is null) <> (source_run is null)),
    constraint evaluation_trials_run_ck check (status <> 'running' or run_id is not null)
  )`,
];

const DOWN = [
  `drop table evaluation_trials`,
  `drop table evaluations`,
  `drop table agent_promotions`,
  `drop index agents_sweep_ix`,
  `alter table agents drop sweep_until`,
];
