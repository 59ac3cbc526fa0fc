import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tokens are counted over the turns of models, which are few among the steps. */
export class Usage1764300000000 implements MigrationInterface {
  readonly name = 'Usage1764300000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `create index run_steps_model_calls_ix on run_steps (workspace_id, run_id) where type = 'model_call'`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`drop index run_steps_model_calls_ix`);
  }
}
