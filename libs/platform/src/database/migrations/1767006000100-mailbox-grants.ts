import type { MigrationInterface, QueryRunner } from 'typeorm';

const MAILBOXES = `type = 'channel' and principal like 'email:%' and principal <> lower(principal)`;

/**
 * The case of a mailbox does not count, as that of a user does not: grants are stored in lower case.
 * A grant that was stored otherwise stays beside its copy until the access of its base is next replaced; it grants nothing further.
 */
export class MailboxGrants1767006000100 implements MigrationInterface {
  readonly name = 'MailboxGrants1767006000100';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`insert into knowledge_grants (workspace_id, knowledge_base_id, type, principal, granted_by, granted_at)
      select workspace_id, knowledge_base_id, type, lower(principal), granted_by, granted_at from knowledge_grants where ${MAILBOXES}
      on conflict do nothing`);
  }

  /** Nothing: grants in lower case are what releases before compare with, too. */
  async down(): Promise<void> {}
}
