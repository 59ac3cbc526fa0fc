import { keys } from './keys.js';
import { type OperatorCommand, perform } from './operator-command.js';
import { workspaces } from './workspaces.js';

/** Runs a command whose arguments make it end before it connects to a database. */
async function call<T extends object>(command: OperatorCommand<T>, line: string) {
  const said = { status: -1, out: '', error: '' };
  const terminal = { out: (text: string) => (said.out += text), error: (text: string) => (said.error += text) };
  said.status = await perform(command, line.split(' ').filter(Boolean), terminal, { DATABASE_URL: 'nothing' });
  return said;
}

describe('a command of the operator', () => {
  it.each<[string, string]>([
    ['create --email a@b.de', '--role'],
    ['create --role boss --email a@b.de', '--role'],
    ['create --role viewer', '--email'],
    ['create --admin --role viewer', 'contradict'],
    ['create --admin --kind prod', '--kind'],
    ['create --admin --colour red', '--colour'],
    ['create --admin --email', '--email'],
    ['delete --admin', 'delete'],
    ['--admin', 'command'],
  ])('explains the wrong call keys %s', async (line, mistake) => {
    const said = await call(keys, line);
    expect(said).toMatchObject({ status: 2, out: '', error: expect.stringContaining(keys.usage) });
    expect(said.error.slice(0, -keys.usage.length)).toContain(mistake);
  });

  it.each<[string, string]>([
    ['create --admin-email a@b.de', '--name'],
    ['create --name acme', '--admin-email'],
    ['delete', 'delete'],
    ['list --name acme', 'list'],
  ])('explains the wrong call workspaces %s', async (line, mistake) => {
    const said = await call(workspaces, line);
    expect(said).toMatchObject({ status: 2, out: '', error: expect.stringContaining(workspaces.usage) });
    expect(said.error.slice(0, -workspaces.usage.length)).toContain(mistake);
  });

  it('explains itself when asked, and when called with nothing', async () => {
    expect(await call(keys, '--help')).toEqual({ status: 0, out: `${keys.usage}\n`, error: '' });
    expect((await call(workspaces, '')).status).toBe(2);
  });
});
