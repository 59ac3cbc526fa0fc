/**
 * The tiers of the tests. `npm test` runs the first tier, and `npm run test:all` runs both. Files with arguments of
 * `npm test` run in either tier. The column "tier" of docs/guarantees.md follows these lists.
 *
 * Unit tests and the tests of test/boundaries are in the first tier. An entry of the lists is a part of a path.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The tests with Postgres that are in the second tier. */
const SECOND_OF_INTEGRATION = [
  '/hostile-',
  'libs/platform/src/sql-clients/mutated-conversations.',
  // The start command with its Postgres, backup, restore, upgrade and key rotation.
  'apps/standalone/',
  // With a MariaDB server.
  'libs/runs/src/tools/sql-tool.adapter.',
  // The tests of the end-to-end tier 1 use the queue in Postgres.
  'libs/platform/src/queue/queue-redis.',
  // Tests the tests: the model must detect mistakes in the SQL.
  'test/model/mutants.',
  'test/model/no-deadlocks.',
  // Long, and no guarantee depends on them.
  'test/integration/run-changes.',
  'test/integration/run-statistics.',
];

/** The tests with processes that are in the first tier: the shortest that prove a guarantee, and one file of the console. */
const FIRST_OF_END_TO_END = [
  // They share an API without workers, so a file takes a second. The others of these names start an API of their own.
  'test/e2e/api-agents.',
  'test/e2e/api-authentication.',
  'test/e2e/api-bulk-actions.',
  'test/e2e/api-empty-bodies.',
  'test/e2e/api-evaluations.',
  'test/e2e/api-keys.',
  'test/e2e/api-paging.',
  'test/e2e/api-promotion.',
  'test/e2e/api-runs.',
  'test/e2e/api-usage.',
  'test/e2e/api-webhooks.',
  'test/e2e/editor.',
  'test/e2e/helpful-errors.',
  'test/e2e/idempotency.',
  'test/e2e/idempotent-creations.',
  'test/e2e/knowledge-bases.',
  'test/e2e/knowledge-search.',
  'test/e2e/knowledge-sources.',
  'test/e2e/members.',
  'test/e2e/roles.',
  'test/e2e/saved-views.',
  'test/e2e/secrets.',
  'test/e2e/sessions.',
  'test/e2e/tenant-isolation.',
  'test/e2e/unknown-parameters.',
  'test/e2e/webhook-endpoints.',
  // Each proves a guarantee.
  'test/e2e/absent-storage.',
  'test/e2e/approvals.',
  'test/e2e/canary.',
  'test/e2e/connections.',
  'test/e2e/crash.',
  'test/e2e/document-files.',
  'test/e2e/egress.',
  'test/e2e/email-triggers.',
  'test/e2e/emergency-stop.',
  'test/e2e/files-from-outside.',
  'test/e2e/files.',
  'test/e2e/fixtures.',
  'test/e2e/inherited-redaction.',
  'test/e2e/knowledge-runs.',
  'test/e2e/mcp-limits.',
  'test/e2e/models.',
  'test/e2e/oauth-sources.',
  'test/e2e/policy-choke-point.',
  'test/e2e/schema-change.',
  'test/e2e/sync-control.',
  'test/e2e/telemetry.',
  'test/e2e/webhooks.',
  'test/faults/smoke/lost-answers.',
  'test/faults/smoke/lost-workers.',
  // The console, the SDK and the bundles work together.
  'test/browser/console-sign-in.',
];

const ROOT = join(import.meta.dirname, '..');
const TEST = /\.(spec|int-spec|e2e-spec|browser-spec)\.ts$/;
const END_TO_END = /\.(e2e|browser)-spec\.ts$/;
/** test/faults/run.mjs runs these files. They are in neither tier. */
const LONG = /^test\/faults\/(full|soak)\//;

/** The paths of all test files of the tiers, with slashes. */
const FILES = ['apps', 'libs', 'packages', 'test']
  .flatMap((folder) => readdirSync(join(ROOT, folder), { recursive: true }).map((name) => join(folder, name)))
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => TEST.test(path) && !LONG.test(path) && !path.includes('/node_modules/'));

const unused = [...SECOND_OF_INTEGRATION, ...FIRST_OF_END_TO_END].filter(
  (entry) => !FILES.some((path) => path.includes(entry)),
);
if (unused.length > 0) throw new Error(`test/tiers.mjs names files that do not exist: ${unused.join(', ')}`);

/** Returns the tier of a test file, 1 or 2. Returns undefined for a file that is in neither. */
export function tierOf(path) {
  if (!TEST.test(path) || LONG.test(path)) return undefined;
  if (END_TO_END.test(path)) return FIRST_OF_END_TO_END.some((entry) => path.includes(entry)) ? 1 : 2;
  const isSecond = path.endsWith('.int-spec.ts') && SECOND_OF_INTEGRATION.some((entry) => path.includes(entry));
  return isSecond ? 2 : 1;
}

/** Returns the paths of the test files of a tier. */
export function filesOfTier(tier) {
  return FILES.filter((path) => tierOf(path) === tier);
}
