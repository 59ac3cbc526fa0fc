import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The trace that accepted a run goes on in the worker that carries it out. Null, and nothing written, while traces are not sent. */
export class TracesOfRuns1766200000000 implements MigrationInterface {
  readonly name = 'TracesOfRuns1766200000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table runs add traceparent text');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table runs drop traceparent');
  }
}
