import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { parseDefinition } from '@app/definition';

describe('the sample agent', () => {
  it('is a valid definition as it stands, within the least that an operator may allow', async () => {
    const text = await readFile(join(import.meta.dirname, '..', 'sample', 'definition-reader.yaml'), 'utf8');
    const limits = { bytes: 16 * 1024, depth: 16, runSteps: 1_000 };
    expect(parseDefinition(text, 'yaml', limits)).toMatchObject({ ok: true, warnings: [] });
    // The first steps of the console tell the sample from other agents by this name.
    expect(text).toMatch(/^name: definition-reader$/m);
  });
});
