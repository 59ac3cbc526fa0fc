import type { MigrationInterface, QueryRunner } from 'typeorm';

export class SourceAccounts1795926600000 implements MigrationInterface {
  readonly name = 'SourceAccounts1795926600000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table knowledge_sources add column account text');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table knowledge_sources drop column account');
  }
}
