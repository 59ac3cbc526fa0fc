import Sequencer from '@jest/test-sequencer';

/** End-to-end tests start processes and take longest. Unit tests are short and fill the workers at the end. */
const KINDS = ['.e2e-spec.ts', '.int-spec.ts', '.spec.ts'];

/**
 * The order in which jest starts test files: slowest first, by the times of the last run. A fresh checkout has no
 * times; by file size alone, jest would start some of the longest files last, when the other workers are idle.
 */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    if (sorted.some(({ duration }) => duration !== undefined)) return sorted;
    return sorted.toSorted((a, b) => kindOf(a) - kindOf(b));
  }
}

function kindOf({ path }) {
  return KINDS.findIndex((ending) => path.endsWith(ending));
}
