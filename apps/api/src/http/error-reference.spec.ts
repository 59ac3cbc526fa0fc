import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERROR_CODES } from '@app/kernel';
import { STATUS_OF_KIND } from './problem.js';

const PAGE = join(import.meta.dirname, '../../../../docs/errors.md');
const TABLE = /(?<=<!-- codes: start -->\n\n)[^]*?(?=\n\n<!-- codes: end -->)/;

const table = [
  '| status | code | meaning | what to do |',
  '|---|---|---|---|',
  ...Object.entries(ERROR_CODES)
    .map(([code, { kind, title, remedy }]) => ({ status: STATUS_OF_KIND[kind], code, title, remedy }))
    .sort((a, b) => a.status - b.status)
    .map(({ status, code, title, remedy }) => `| ${status} | \`${code}\` | ${title} | ${remedy} |`),
].join('\n');

describe('docs/errors.md', () => {
  it('lists every error code (UPDATE_DOCS=1 writes the table)', () => {
    const page = readFileSync(PAGE, 'utf8');
    if (process.env.UPDATE_DOCS === '1')
      writeFileSync(
        PAGE,
        page.replace(TABLE, () => table),
      );
    expect(TABLE.exec(readFileSync(PAGE, 'utf8'))?.[0]).toBe(table);
  });
});
