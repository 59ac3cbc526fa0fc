import type { MigrationInterface, QueryRunner } from 'typeorm';

/** pgvector, where the server has it: it looks large bases up by an index. Without it everything works, by a look at all vectors. */
export class VectorExtension1766000000100 implements MigrationInterface {
  readonly name = 'VectorExtension1766000000100';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`do $$ begin
        create extension if not exists vector;
      exception when insufficient_privilege or undefined_file or feature_not_supported then null;
      end $$`);
  }

  down(): Promise<void> {
    // Whoever else uses the extension keeps it; indexes that need it go with their table.
    return Promise.resolve();
  }
}
