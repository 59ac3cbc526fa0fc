/**
 * The test files of the second tier, by project of jest. `npm test` runs all other files, and `npm run test:all` runs
 * both tiers. Files with arguments of `npm test` run in either tier. The column "tier" of docs/guarantees.md follows
 * this list.
 */
export const SECOND_TIER = {
  integration: [
    // Hostile peers.
    'libs/connectors/src/git/hostile-git.int-spec.ts',
    'libs/platform/src/mail/hostile-relay.int-spec.ts',
    'libs/platform/src/mcp/hostile-servers.int-spec.ts',
    'libs/platform/src/sql-clients/hostile-mysql.int-spec.ts',
    'libs/platform/src/sql-clients/hostile-postgres.int-spec.ts',
    'libs/platform/src/sql-clients/mutated-conversations.int-spec.ts',
    'libs/runs/src/models/hostile-providers.int-spec.ts',
    'libs/runs/src/tools/hostile-answers.int-spec.ts',
    'libs/triggers/src/email/imap/hostile-imap.int-spec.ts',
    // Backup, restore, upgrade and key rotation.
    'apps/standalone/src/backup/backup-file.int-spec.ts',
    'apps/standalone/src/backup/restorable.int-spec.ts',
    'apps/standalone/src/backup/restore-database.int-spec.ts',
    'apps/standalone/src/backup/upgrade-postgres.int-spec.ts',
    'apps/standalone/src/commands/rotate-encryption.int-spec.ts',
    // Tests the tests: the model must detect mistakes in the SQL.
    'test/model/mutants.int-spec.ts',
    'test/model/no-deadlocks.int-spec.ts',
  ],
  e2e: [
    'test/e2e/hostile-mailboxes.e2e-spec.ts',
    'test/e2e/hostile-mails.e2e-spec.ts',
    'test/e2e/hostile-sources.e2e-spec.ts',
    'test/e2e/backup.e2e-spec.ts',
    'test/e2e/backup-files.e2e-spec.ts',
    'test/e2e/restore.e2e-spec.ts',
    'test/e2e/upgrade-database.e2e-spec.ts',
    'test/e2e/key-rotation.e2e-spec.ts',
    'test/e2e/pooler.e2e-spec.ts',
    'test/e2e/mysql-sources.e2e-spec.ts',
    'test/e2e/mcp-conformance.e2e-spec.ts',
    // Long, and no guarantee depends on them.
    'test/e2e/cookbook-data.e2e-spec.ts',
    'test/e2e/cookbook-operations.e2e-spec.ts',
    'test/e2e/cookbook-support-records.e2e-spec.ts',
    'test/e2e/file-storages.e2e-spec.ts',
    'test/e2e/large-files.e2e-spec.ts',
    'test/e2e/openapi-answers.e2e-spec.ts',
    'test/e2e/poll-triggers.e2e-spec.ts',
    'test/e2e/readme.e2e-spec.ts',
    'test/e2e/reference-mcp-servers.e2e-spec.ts',
    // Installs other runtimes.
    'packages/sdk/test/package.e2e-spec.ts',
    // Installs generators and compiles what they make.
    'test/e2e/openapi-tools.e2e-spec.ts',
  ],
  browser: [
    'test/browser/console-build.browser-spec.ts',
    'test/browser/console-bulk.browser-spec.ts',
    'test/browser/console-cli.browser-spec.ts',
    'test/browser/console-consent.browser-spec.ts',
    'test/browser/console-connections.browser-spec.ts',
    'test/browser/console-editor.browser-spec.ts',
    'test/browser/console-knowledge.browser-spec.ts',
    'test/browser/console-live.browser-spec.ts',
    'test/browser/console-screens.browser-spec.ts',
    'test/browser/console-screenshots.browser-spec.ts',
    'test/browser/console-settings.browser-spec.ts',
    'test/browser/console-usage.browser-spec.ts',
    'test/browser/guides.browser-spec.ts',
  ],
  faults: [
    'test/faults/smoke/frozen-workers.e2e-spec.ts',
    'test/faults/smoke/full-disk.e2e-spec.ts',
    'test/faults/smoke/mail-files.e2e-spec.ts',
    'test/faults/smoke/mails.e2e-spec.ts',
    'test/faults/smoke/rolling-restart.e2e-spec.ts',
    'test/faults/smoke/webhooks.e2e-spec.ts',
  ],
};
