import type { MigrationInterface, QueryRunner } from 'typeorm';

/** `prompt_n` is the turn of the run whose row has the same `prompt`, so that a run stores each prompt once. */
export class TurnMessages1796000800000 implements MigrationInterface {
  readonly name = 'TurnMessages1796000800000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`create table turn_messages (
      run_id text collate "C" not null,
      n integer not null,
      workspace_id text collate "C" not null,
      prompt_n integer not null,
      prompt jsonb,
      added jsonb not null,
      constraint turn_messages_pk primary key (run_id, n)
    )`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table turn_messages');
  }
}
