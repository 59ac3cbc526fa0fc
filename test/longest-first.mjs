import { basename } from 'node:path';
import Sequencer from '@jest/test-sequencer';

/**
 * Kinds of tests, in the order in which they start. End-to-end tests start processes and take longest. Unit tests are
 * short, so they fill the workers at the end.
 */
const KINDS = ['.e2e-spec.ts', '.int-spec.ts', '.spec.ts'];
const BROWSER = '.browser-spec.ts';
/** Files that take a minute, although they are small or of another kind than the end-to-end tests. */
const LONGEST = [
  'console-screenshots.browser-spec.ts',
  'crash.e2e-spec.ts',
  'fair-shares.e2e-spec.ts',
  'hostile-git.int-spec.ts',
  'hostile-imap.int-spec.ts',
  'hostile-servers.int-spec.ts',
  'hostile-sources.e2e-spec.ts',
  'mutants.int-spec.ts',
  'restore-database.int-spec.ts',
  'run-machine.int-spec.ts',
  'upgrade-database.e2e-spec.ts',
];

/**
 * Determines the order in which jest starts test files: slowest first, by the times of the last run. A fresh checkout
 * has no times, so the kind of test decides, and then the file size. By file size alone, some of the longest files
 * would start last, when the other workers are idle.
 */
export default class LongestFirst extends Sequencer {
  /** The projects have the same id, which names the file by default. */
  _getCachePath({ config }) {
    return `${super._getCachePath({ config })}-${config.displayName.name}`;
  }

  sort(tests) {
    const sorted = super.sort(tests);
    if (sorted.some(({ duration }) => duration !== undefined)) return sorted;
    const isOfBrowser = ({ path }) => path.endsWith(BROWSER);
    const ordered = sorted.toSorted((a, b) => kindOf(a) - kindOf(b));
    return spread(
      ordered.filter(isOfBrowser),
      ordered.filter((test) => !isOfBrowser(test)),
    );
  }
}

/**
 * Distributes the browser tests among the end-to-end tests. A browser needs a CPU core, so several browsers at the same
 * time would slow down every test that waits for a heartbeat.
 */
function spread(browserTests, others) {
  const endToEnd = others.filter((test) => kindOf(test) <= 0).length;
  const distance = Math.max(1, Math.floor(endToEnd / Math.max(1, browserTests.length)));
  const result = [...others];
  browserTests.forEach((test, index) => result.splice(index * (distance + 1), 0, test));
  return result;
}

/** Of browser tests it is -1, because KINDS does not have them. */
function kindOf({ path }) {
  if (LONGEST.includes(basename(path))) return -2;
  return KINDS.findIndex((ending) => path.endsWith(ending));
}
