import { skillFiles } from './skill-files.js';

const FILES = skillFiles('.');

describe('the skill for coding assistants', () => {
  it('has an overview with a name and a description, and a row for each reference', () => {
    const { 'SKILL.md': overview = '', ...references } = FILES;
    expect(overview).toMatch(/^---\nname: agent-authoring\ndescription: ".{20,1000}"\n---\n\n# /);
    expect(Object.keys(references).length).toBeGreaterThan(9);
    for (const path of Object.keys(references)) expect(overview).toContain(`](${path})`);
  });

  it('has files that a tool can return whole', () => {
    for (const [path, text] of Object.entries(FILES))
      expect([path, Buffer.byteLength(JSON.stringify(text)) < 32_000]).toEqual([path, true]);
  });

  it('links only to its own files and to the web', () => {
    for (const [path, text] of Object.entries(FILES)) {
      const folder = path.startsWith('references/') ? 'references/' : '';
      for (const [, target = ''] of text.matchAll(/\]\(([^)\s]+)\)/g))
        if (!target.startsWith('http'))
          expect([path, target, Object.keys(FILES).includes(folder + target)]).toEqual([path, target, true]);
    }
  });
});
