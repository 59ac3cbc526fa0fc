import { readFileSync } from 'node:fs';
import { FUNCTION_NAMES } from './function-registry.js';
import { evaluated } from './testing/evaluating.js';

const PAGE = readFileSync('docs/expressions.md', 'utf8');
const FUNCTIONS = PAGE.slice(PAGE.indexOf('\n## Functions\n'), PAGE.indexOf('\n## Missing fields\n'));
const INPUT = { amount: 40, kind: 'refund' };

/** The rows of the tables of functions: the forms of a function, an example and the result of the example. */
const ROWS = [...FUNCTIONS.matchAll(/^\| (`.+`) \| .+ \| `([^`]+)` \| `([^`]+)` \|$/gm)].map(
  ([, forms = '', example = '', gives = '']) => ({ forms, example, gives }),
);

/** Returns the names of the functions in a row such as `` `s.charAt(i)`, `math.ceil(d)` ``. */
function namesIn(forms: string): string[] {
  return [...forms.matchAll(/`(?:([a-z0-9]+)\.)?(\w+)\(/g)].flatMap(([, owner, name = '']) =>
    owner === undefined || owner.length === 1 ? [name] : [`${owner}.${name}`],
  );
}

describe('the functions in docs/expressions.md', () => {
  it.each(ROWS)('$example gives $gives', ({ example, gives }) => {
    expect(evaluated(example, INPUT)).toEqual(JSON.parse(gives));
  });

  it('are all functions that an expression can call', () => {
    const documented = new Set(ROWS.flatMap(({ forms }) => namesIn(forms)));
    expect([...documented].sort()).toEqual([...FUNCTION_NAMES]);
  });
});
