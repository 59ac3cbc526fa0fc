import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LANGUAGE_PLANTS } from './language-plants.js';
import { clear, jsonFrom, plant, REPOSITORY } from './plantation.js';

interface Language {
  /** Number of unwanted phrases, by folder. */
  folders: Record<string, number>;
  byPhrase: Record<string, number>;
}

const LANGUAGE = join(REPOSITORY, 'test/structure/language.mjs');

describe('the language', () => {
  let real: Language;
  let planted: Language;
  let known: Record<string, number>;
  let plantation: string;

  beforeAll(async () => {
    plantation = await plant(LANGUAGE_PLANTS);
    [real, planted] = [await jsonFrom<Language>(REPOSITORY, LANGUAGE), await jsonFrom<Language>(plantation, LANGUAGE)];
    const text = await readFile(join(REPOSITORY, 'test/structure/known-violations.json'), 'utf8');
    known = (JSON.parse(text) as { language: Record<string, number> }).language;
  });

  afterAll(() => clear(plantation));

  it('is searched in comments, strings, SQL comments, documents and names', () => {
    expect(planted.folders).toEqual({ 'libs/agents': 3, 'libs/events': 2, 'libs/runs': 2, docs: 2, docker: 2 });
  });

  it('has no folder with more phrases to rewrite than are known', () => {
    const grown = Object.entries(real.folders).filter(([folder, count]) => count > (known[folder] ?? 0));
    expect(grown).toEqual([]);
  });

  it('has no folder in the list of known phrases that is clean', () => {
    expect(Object.keys(known).filter((folder) => !(folder in real.folders))).toEqual([]);
  });
});
