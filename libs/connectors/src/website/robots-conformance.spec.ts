import { readFileSync } from 'node:fs';
import { mayRead, readRobots } from './robots-rules.js';

interface Case {
  readonly test: string;
  readonly robots: string;
  readonly agent: string;
  readonly url: string;
  readonly allowed: boolean;
}

const FILE = new URL('../../../../test/fixtures/robotstxt/cases.json', import.meta.url);

/** The numbers of cases with another result here, by the reason and by the name of the test. */
const EXCEPTIONS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'Only Google takes a line without a colon for a rule.': { ID_LineSyntax_Line: 1 },
  'Only Google cuts the name of a robot at its first space. RFC 9309 has no spaces in names.': {
    ID_UserAgentValueCaseInsensitive: 6,
    GoogleOnly_AcceptUserAgentUpToFirstSpace: 2,
  },
  'The URL is not encoded. The crawler encodes each URL before it compares it with the rules.': { ID_Encoding: 2 },
  'Only Google takes the rule of an `index.html` for a rule of its folder.': { GoogleOnly_IndexHTMLisDirectory: 1 },
};

describe('the cases of google/robotstxt', () => {
  const cases = JSON.parse(readFileSync(FILE, 'utf8')) as Case[];

  it('have these results, except for the listed numbers of cases', () => {
    const deviations: Record<string, number> = {};
    for (const { test, robots, agent, url, allowed } of cases) {
      const rules = readRobots(new URL('/robots.txt', url).href, robots);
      if (mayRead(rules, url, agent) !== allowed) deviations[test] = (deviations[test] ?? 0) + 1;
    }
    expect(deviations).toEqual(Object.assign({}, ...Object.values(EXCEPTIONS)));
    expect(cases).toHaveLength(136);
  });
});
