import type { MigrationInterface, QueryRunner } from 'typeorm';

const ADD = ['input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_write_tokens', 'reasoning_tokens']
  .map((name) => `add column ${name} bigint not null default 0`)
  .join(', ');

/** Runs of earlier releases have zeros. */
export class RunTokens1795926000000 implements MigrationInterface {
  readonly name = 'RunTokens1795926000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`alter table runs ${ADD}`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`alter table runs drop column input_tokens, drop column output_tokens,
      drop column cache_read_tokens, drop column cache_write_tokens, drop column reasoning_tokens`);
  }
}
