import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a stop decides about runs, the runs that it holds, and the filters of the audit log. */
export class EmergencyStop1763810000000 implements MigrationInterface {
  readonly name = 'EmergencyStop1763810000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of UP) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await queryRunner.query(statement);
  }
}

const UP = [
  `alter table workspaces
    add cancel_runs boolean not null default false,
    add resumed_at timestamptz(3)`,
  // Nearly always empty: whether any workspace is stopped is asked every few seconds by every worker.
  `create index workspaces_stopped_ix on workspaces (id) where state = 'stopped'`,
  // Held runs, by workspace; a run enters it by being held and leaves it by being woken, so a run that is never held costs nothing.
  `create index runs_held_ix on runs (workspace_id, id) where status = 'queued' and wake_at = 'infinity'`,
  `create index audit_events_actor_ix on audit_events (workspace_id, actor, id)`,
  `create index audit_events_action_ix on audit_events (workspace_id, action, id)`,
];

const DOWN = [
  `drop index audit_events_action_ix, audit_events_actor_ix, runs_held_ix, workspaces_stopped_ix`,
  `alter table workspaces drop resumed_at, drop cancel_runs`,
];
