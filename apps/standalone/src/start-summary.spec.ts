import { startSummary } from './start-summary.js';

const FACTS = { address: 'http://127.0.0.1:3000', keyFile: '.data/admin.key', dataDir: '.data', isTerminal: true };

describe('the summary of a start', () => {
  it('shows the key at the start that created it, and only its file afterwards', () => {
    expect(startSummary({ ...FACTS, adminKey: 'aas_live_secret' })).toContain('aas_live_secret');
    expect(startSummary(FACTS)).toContain('.data/admin.key');
  });

  it('shows only the file of the key where the output is no terminal, because it may be stored in a log', () => {
    const text = startSummary({ ...FACTS, adminKey: 'aas_live_secret', isTerminal: false });
    expect(text).not.toContain('aas_live_secret');
    expect(text).toContain('Admin key  in .data/admin.key');
  });

  it('gives three commands that use the key from its file', () => {
    const commands = startSummary({ ...FACTS, sampleAgent: 'agt_1' }).match(/^ {2}curl .*$/gm) ?? [];
    expect(commands).toHaveLength(3);
    expect(commands.every((command) => command.includes('$(cat .data/admin.key)'))).toBe(true);
    expect(commands.join('\n')).toContain('/v1/agents/agt_1/runs');
  });

  it('names the command that creates a key after the restore of a backup, which contains none', () => {
    const text = startSummary({ address: FACTS.address, dataDir: FACTS.dataDir, isTerminal: true });
    expect(text).toContain('npm run keys -- create --admin creates one');
    expect(text).toContain('Bearer $AAS_API_KEY');
  });

  it('quotes a path that a shell would split', () => {
    expect(startSummary({ ...FACTS, keyFile: "/home/ann's data/admin.key" })).toContain(
      `$(cat '/home/ann'\\''s data/admin.key')`,
    );
  });

  it('shows the link to the console, if there is one', () => {
    const consoleLink = 'http://127.0.0.1:3000/console/sign-in#token';
    expect(startSummary({ ...FACTS, consoleLink })).toContain(`Console    ${consoleLink}\n`);
    expect(startSummary(FACTS)).not.toContain('Console');
  });
});
