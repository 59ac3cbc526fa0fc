import { newId } from '@app/kernel';
import { numberedFiles } from './prompt-files.js';
import type { RunFileFacts } from './run-file-facts.js';

const [INVOICE, PHOTO, FOREIGN] = [newId('file'), newId('file'), newId('file')];
const facts = (filename: string): RunFileFacts => ({ filename, contentType: 'image/png', bytes: 9, sha256: 'x' });
const INDEX = new Map([
  [INVOICE, facts('invoice.pdf')],
  [PHOTO, facts('photo.png')],
]);
const shown = (file: number, filename: string) => ({ file, filename, content_type: 'image/png', bytes: 9 });

describe('the files in the input of a model', () => {
  it('have numbers instead of ids, and what their rows say instead of what the input says', () => {
    const invoice = { file: INVOICE, filename: 'renamed.exe', sha256: 'secret', note: 'mine' };
    const { data, files } = numberedFiles({ a: { invoice }, list: [{ file: PHOTO }, invoice] }, INDEX, true);
    expect(data).toEqual({
      a: { invoice: shown(1, 'invoice.pdf') },
      list: [shown(2, 'photo.png'), shown(1, 'invoice.pdf')],
    });
    expect(files).toMatchObject([
      { id: INVOICE, filename: 'invoice.pdf' },
      { id: PHOTO, filename: 'photo.png' },
    ]);
  });

  it('have the same numbers in every order of the members', () => {
    const numbers = (data: object) => numberedFiles({ ...data }, INDEX, true).files.map(({ id }) => id);
    const [b, long] = [{ file: INVOICE }, { file: PHOTO }];
    expect(numbers({ long, b })).toEqual([INVOICE, PHOTO]);
    expect(numbers({ b, long })).toEqual([INVOICE, PHOTO]);
  });

  it('stay plain data if the run may not use them, and an input is no file', () => {
    const data = { file: INVOICE, doc: { file: FOREIGN } };
    expect(numberedFiles(data, INDEX, true)).toEqual({ data, files: [] });
    expect(numberedFiles({ file: INVOICE }, INDEX, false).data).toEqual(shown(1, 'invoice.pdf'));
    expect(numberedFiles({ file: INVOICE, x: [{ file: PHOTO }] }, INDEX, true).data).toEqual({
      file: INVOICE,
      x: [shown(1, 'photo.png')],
    });
  });
});
