import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What turns of models cost: per turn, per run, and per agent and day. */
export class ModelCosts1764100000100 implements MigrationInterface {
  readonly name = 'ModelCosts1764100000100';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of UP) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await queryRunner.query(statement);
  }
}

const UP = [
  `alter table run_steps add column cost_micros bigint`,
  `alter table runs add column cost_partial boolean not null default false`,
  `create table model_usage (
    agent_id text collate "C" not null,
    day date not null,
    provider text not null,
    model text not null,
    currency text not null,
    workspace_id text collate "C" not null,
    turns bigint not null,
    input_tokens bigint not null,
    output_tokens bigint not null,
    cost_micros bigint not null,
    partial_turns bigint not null,
    constraint model_usage_pk primary key (agent_id, day, provider, model, currency)
  )`,
  `create index model_usage_workspace_ix on model_usage (workspace_id, day)`,
  `create table budget_reservations (
    run_id text collate "C" not null,
    path text collate "C" not null,
    agent_id text collate "C" not null,
    micros bigint not null,
    constraint budget_reservations_pk primary key (run_id, path)
  )`,
  `create index budget_reservations_agent_ix on budget_reservations (agent_id)`,
];

const DOWN = [
  `drop table budget_reservations`,
  `drop table model_usage`,
  `alter table runs drop column cost_partial`,
  `alter table run_steps drop column cost_micros`,
];
