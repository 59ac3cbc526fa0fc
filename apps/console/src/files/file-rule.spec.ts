import { fileRule, type FileRule, ruleText, sizeProblem, typeProblem } from './file-rule.js';

const ruleOf = (file: object): FileRule => fileRule({ file }) ?? { accept: ['none/none'], max: 0 };

describe('the rule of a file field', () => {
  it('is read from the keyword of the schema', () => {
    expect(fileRule({ title: 'Scan', file: {} })).toEqual({ accept: [], max: null });
    expect(fileRule({ file: { accept: 'text/csv', max: '2KiB' } })).toEqual({ accept: ['text/csv'], max: 2048 });
    for (const schema of [{ type: 'object' }, { file: 'a' }, { file: [] }, undefined, true])
      expect(fileRule(schema)).toBeUndefined();
  });

  it('is told in words', () => {
    expect(ruleText(ruleOf({ accept: ['application/pdf', 'image/*'], max: '20MiB' }))).toBe(
      'PDF, images. At most 20 MiB.',
    );
    expect(ruleText(ruleOf({ accept: ['audio/ogg'] }))).toBe('audio/ogg.');
    expect(ruleText(ruleOf({}))).toBe('');
  });

  it('refuses a size before anything is sent', () => {
    const rule = ruleOf({ max: 1_000 });
    expect(sizeProblem(rule, { name: 'a.pdf', size: 1_000 })).toBeUndefined();
    expect(sizeProblem(rule, { name: 'a.pdf', size: 4_096 })).toBe(
      'a.pdf has 4.0 KiB. Choose a file of at most 1000 B.',
    );
    expect(sizeProblem(ruleOf({}), { name: 'a.pdf', size: 1e12 })).toBeUndefined();
  });

  it.each([
    ['application/pdf', true],
    ['image/png', true],
    ['image/svg+xml', false],
    ['text/html', false],
  ])('judges the type %s as the service does', (type, fits) => {
    const file = { filename: 'a', content_type: type, bytes: 1 };
    const problem = typeProblem(ruleOf({ accept: ['application/pdf', 'image/*'] }), file);
    expect(problem === undefined).toBe(fits);
    expect(typeProblem(ruleOf({ accept: '*/*' }), file)).toBeUndefined();
  });

  it('says that an empty file is empty, instead of its type', () => {
    const empty = { filename: 'a.pdf', content_type: 'text/plain', bytes: 0 };
    expect(typeProblem(ruleOf({ accept: ['application/pdf'] }), empty)).toBe(
      'a.pdf is empty. Choose one of these types: PDF.',
    );
  });
});
