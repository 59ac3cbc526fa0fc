import { readFileSync, writeFileSync } from 'node:fs';
import { FEATURE_CONFIGS } from './settings.js';
import { renderConfigurationPage, renderEnvExample } from './testing/configuration-documents.js';

const ROOT = new URL('../../../../', import.meta.url);

/** True in `npm run configuration`, which writes the documents. Otherwise, the tests compare them with the settings. */
const isWriting = process.env.CONFIGURATION === 'write';

describe('the documents of the settings', () => {
  it.each([
    ['docs/configuration.md', renderConfigurationPage],
    ['.env.example', renderEnvExample],
  ])('%s has every setting as its feature declares it; otherwise run "npm run configuration"', (path, render) => {
    const file = new URL(path, ROOT);
    const expected = render(FEATURE_CONFIGS);
    if (isWriting) writeFileSync(file, expected);
    expect(readFileSync(file, 'utf8')).toBe(expected);
  });

  it('declare each variable once', () => {
    const names = FEATURE_CONFIGS.flatMap(({ settings }) => settings.map(({ name }) => name));
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it('describe each setting in full sentences', () => {
    const settings = FEATURE_CONFIGS.flatMap((feature) => feature.settings);
    expect(settings.filter(({ help }) => !/^[A-Z`].*\.$/s.test(help.description)).map(({ name }) => name)).toEqual([]);
  });
});
