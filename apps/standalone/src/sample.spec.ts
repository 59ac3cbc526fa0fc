import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { parseDefinition } from '@app/agents/definition';

describe('the sample agent', () => {
  it('is a valid definition as it stands', async () => {
    const text = await readFile(join(import.meta.dirname, '..', 'sample', 'definition-reader.yaml'), 'utf8');
    expect(parseDefinition(text, 'yaml')).toMatchObject({ ok: true, warnings: [] });
  });
});
