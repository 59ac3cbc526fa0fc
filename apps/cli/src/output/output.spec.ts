import { parse } from 'yaml';
import { escapedJson, escapedText } from './escaped-text.js';
import { type Format, Output, type View, yamlText } from './output.js';

interface Row {
  id: string;
  name: string;
}

class Recorder {
  text = '';
  write(text: string, done: () => void): boolean {
    this.text += text;
    done();
    return true;
  }
}

const VIEW: View<Row> = {
  columns: [
    ['ID', (row) => row.id],
    ['NAME', (row) => row.name],
  ],
  nameOf: (row) => row.id,
};
const ROWS: Row[] = [
  { id: 'run_1', name: 'first' },
  { id: 'run_22', name: 'second, which is a long name that no pipe may cut off '.repeat(5).trim() },
];

async function listed(format: Format, rows: Row[] = ROWS): Promise<string> {
  const stdout = new Recorder();
  await new Output(stdout, new Recorder(), { format, isQuiet: false, isColored: false }).list(rows, VIEW);
  return stdout.text;
}

describe('output', () => {
  it('prints a list as the array of its rows in JSON', async () => {
    expect(JSON.parse(await listed('json'))).toEqual(ROWS);
    expect(JSON.parse(await listed('json', []))).toEqual([]);
  });

  it('prints a list as the sequence of its rows in YAML', async () => {
    expect(parse(await listed('yaml'))).toEqual(ROWS);
    expect(parse(await listed('yaml', []))).toEqual([]);
  });

  it('prints one name a line', async () => {
    expect(await listed('name')).toBe('run_1\nrun_22\n');
    expect(await listed('name', [])).toBe('');
  });

  it('prints a table that a pipe gets whole', async () => {
    const [title, first, second] = (await listed('table')).split('\n');
    expect(title).toBe('ID      NAME');
    expect(first).toBe('run_1   first');
    expect(second).toBe(`run_22  ${ROWS[1]?.name ?? ''}`);
  });

  it('prints each row when it arrives', async () => {
    const stdout = new Recorder();
    const seen: string[] = [];
    async function* rows(): AsyncGenerator<Row> {
      for (let n = 0; n < 3; n += 1) {
        yield { id: `run_${n}`, name: '' };
        seen.push(stdout.text);
      }
    }
    await new Output(stdout, new Recorder(), { format: 'name', isQuiet: false, isColored: false }).list(rows(), VIEW);
    expect(seen).toEqual(['run_0\n', 'run_0\nrun_1\n', 'run_0\nrun_1\nrun_2\n']);
  });

  it('keeps words from standard output, and leaves them out where it should be quiet', () => {
    const [stdout, stderr] = [new Recorder(), new Recorder()];
    const output = new Output(stdout, stderr, { format: 'table', isQuiet: true, isColored: false });
    output.words('something happens');
    output.report('something is wrong');
    expect([stdout.text, stderr.text]).toEqual(['', 'something is wrong\n']);
  });
});

describe('control characters', () => {
  const hostile = 'a\u001b]0;title\u0007b\u009b31m\u202ec\r\nd\u2028e\u007f';
  const isClean = (text: string): boolean => escapedText(text) === text;

  it.each(['table', 'json', 'yaml', 'name'] as const)('are escaped in %s', async (format) => {
    const text = await listed(format, [{ id: hostile, name: hostile }]);
    expect(text.split('\n').every(isClean)).toBe(true);
  });

  it('keep their value in JSON and YAML', async () => {
    const rows = [{ id: hostile, name: hostile }];
    expect(JSON.parse(await listed('json', rows))).toEqual(rows);
    expect(parse(await listed('yaml', rows))).toEqual(rows);
    expect(JSON.parse(escapedJson(JSON.stringify({ [hostile]: 1 })))).toEqual({ [hostile]: 1 });
    expect(parse(await yamlText({ [hostile]: ['plain', hostile] }))).toEqual({ [hostile]: ['plain', hostile] });
  });
});
