import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * `origin` identifies the profile, the model and the key that made it. If it was not kept, `sealed` is null. It is
 * encrypted, so that Postgres cannot compress it.
 */
export class TurnStates1795954000000 implements MigrationInterface {
  readonly name = 'TurnStates1795954000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`create table turn_states (
      run_id text collate "C" not null,
      n integer not null,
      workspace_id text collate "C" not null,
      origin text not null,
      sealed bytea,
      constraint turn_states_pk primary key (run_id, n)
    )`);
    await queryRunner.query('alter table turn_states alter column sealed set storage external');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table turn_states');
  }
}
