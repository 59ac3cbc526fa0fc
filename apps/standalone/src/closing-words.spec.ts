import { closingWords } from './closing-words.js';

const FACTS = { address: 'http://127.0.0.1:3000', keyFile: '.data/admin.key', dataDir: '.data' };

describe('the closing words of a start', () => {
  it('show the key of the start that made it, and only its file afterwards', () => {
    expect(closingWords({ ...FACTS, adminKey: 'aas_live_secret' })).toContain('aas_live_secret');
    expect(closingWords(FACTS)).toContain('.data/admin.key');
  });

  it('give three commands that use the key from its file', () => {
    const commands = closingWords({ ...FACTS, sampleAgent: 'agt_1' }).match(/^ {2}curl .*$/gm) ?? [];
    expect(commands).toHaveLength(3);
    expect(commands.every((command) => command.includes('$(cat .data/admin.key)'))).toBe(true);
    expect(commands.join('\n')).toContain('/v1/agents/agt_1/runs');
  });

  it('quote a path that a shell would take apart', () => {
    expect(closingWords({ ...FACTS, keyFile: "/home/ann's data/admin.key" })).toContain(
      `$(cat '/home/ann'\\''s data/admin.key')`,
    );
  });
});
