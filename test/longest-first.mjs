import Sequencer from '@jest/test-sequencer';

/**
 * Kinds of tests, in the order in which they start. End-to-end tests start processes and take longest. Unit tests are
 * short, so they fill the workers at the end.
 */
const KINDS = ['.e2e-spec.ts', '.int-spec.ts', '.spec.ts'];
const BROWSER = '.browser-spec.ts';

/**
 * Determines the order in which jest starts test files: slowest first, by the times of the last run. A fresh checkout
 * has no times, so the kind of test decides, and then the file size. By file size alone, some of the longest files
 * would start last, when the other workers are idle.
 */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    if (sorted.some(({ duration }) => duration !== undefined)) return sorted;
    const isOfBrowser = ({ path }) => path.endsWith(BROWSER);
    const others = sorted.filter((test) => !isOfBrowser(test)).toSorted((a, b) => kindOf(a) - kindOf(b));
    return spread(sorted.filter(isOfBrowser), others);
  }
}

/**
 * Distributes the browser tests among the end-to-end tests. A browser needs a CPU core, so several browsers at the same
 * time would slow down every test that waits for a heartbeat.
 */
function spread(browserTests, others) {
  const endToEnd = others.filter((test) => kindOf(test) === 0).length;
  const distance = Math.max(1, Math.floor(endToEnd / Math.max(1, browserTests.length)));
  const result = [...others];
  browserTests.forEach((test, index) => result.splice(index * (distance + 1), 0, test));
  return result;
}

function kindOf({ path }) {
  return KINDS.findIndex((ending) => path.endsWith(ending));
}
