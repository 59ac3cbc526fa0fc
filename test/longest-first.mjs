import { basename } from 'node:path';
import Sequencer from '@jest/test-sequencer';

/**
 * Kinds of tests, in the order in which they start. End-to-end and browser tests come last, because a jest worker keeps
 * the service that they share, and also an idle service takes processor time.
 */
const KINDS = ['.int-spec.ts', '.spec.ts', '.e2e-spec.ts', '.browser-spec.ts'];
const END_TO_END = KINDS.indexOf('.e2e-spec.ts');
const BROWSER = KINDS.indexOf('.browser-spec.ts');
/** Names of files that take half a minute or longer, although they are small. */
const LONG = new RegExp(
  `^(hostile-|mutated-|${[
    'backup-files',
    'bulk-actions',
    'console-screenshots',
    'crash',
    'fair-shares',
    'fleet',
    'follows-a-run',
    'imap-mailboxes',
    'large-files',
    'loops',
    'mutants',
    'mysql-sources',
    'no-deadlocks',
    'openapi-tools',
    'package',
    'policy-choke-point',
    'prompt-injections',
    'queue-redis',
    'restore-database',
    'run-machine',
    'standalone-stop',
    'start-and-wait',
    'upgrade-database',
  ].join('\\.|')}\\.)`,
);

/**
 * Determines the order in which jest starts the test files of a kind: slowest first, by the times of the last run. A
 * fresh checkout has no times, so the file size decides. By file size alone, some of the longest files would start last,
 * when the other workers are idle.
 */
export default class LongestFirst extends Sequencer {
  /** The projects have the same id, which names the file by default. */
  _getCachePath({ config }) {
    return `${super._getCachePath({ config })}-${config.displayName.name}`;
  }

  sort(tests) {
    const sorted = super.sort(tests);
    const hasTimes = sorted.some(({ duration }) => duration !== undefined);
    const isLong = ({ path }) => !hasTimes && LONG.test(basename(path));
    const ordered = sorted.toSorted((a, b) => kindOf(a) - kindOf(b) || isLong(b) - isLong(a));
    const of = (kind) => ordered.filter((test) => kindOf(test) === kind);
    return [...ordered.filter((test) => kindOf(test) < END_TO_END), ...spread(of(BROWSER), of(END_TO_END))];
  }
}

/**
 * Distributes the browser tests among the end-to-end tests. A browser needs a CPU core, so several browsers at the same
 * time would slow down every test that waits for a heartbeat.
 */
function spread(browserTests, endToEndTests) {
  const distance = Math.max(1, Math.floor(endToEndTests.length / Math.max(1, browserTests.length)));
  const result = [...endToEndTests];
  browserTests.forEach((test, index) => result.splice(index * (distance + 1), 0, test));
  return result;
}

function kindOf({ path }) {
  return KINDS.findIndex((ending) => path.endsWith(ending));
}
