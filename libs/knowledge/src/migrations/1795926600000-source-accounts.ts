import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the account with which a person authorised a source. It is empty for a source that was authorised before. A
 * process of the previous release that renews an authorisation does not change it.
 */
export class SourceAccounts1795926600000 implements MigrationInterface {
  readonly name = 'SourceAccounts1795926600000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table knowledge_sources add column account text');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table knowledge_sources drop column account');
  }
}
