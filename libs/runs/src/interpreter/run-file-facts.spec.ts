import { ANY_FILES } from '@app/definition';
import { describedFiles } from './run-file-facts.js';

const ID = 'file_01kahzvk3te9d8q6f0f1v3m2sx';
const FOREIGN = 'file_01kahzvk3te9d8q6f0f1v3m2sy';
const files = new Map([[ID, { filename: 'a.pdf', contentType: 'application/pdf', bytes: 2_000, sha256: 'ab' }]]);

describe('the files of a request', () => {
  const sent = { doc: { file: ID, filename: 'renamed.pdf', bytes: 1, sha256: 'no' }, list: [{ file: ID }] };

  it('have the size and the hash of their rows, and the plan may rename them', () => {
    expect(describedFiles(sent, files, false)).toEqual({
      doc: { file: ID, filename: 'renamed.pdf', content_type: 'application/pdf', bytes: 2_000, sha256: 'ab' },
      list: [{ file: ID, filename: 'a.pdf', content_type: 'application/pdf', bytes: 2_000, sha256: 'ab' }],
    });
  });

  it('are not renamed by a model', () => {
    expect(describedFiles(sent, files, true)).toMatchObject({
      doc: { filename: 'a.pdf', content_type: 'application/pdf' },
    });
  });

  it('stay plain data if the run may not use them, and where nothing is looked up', () => {
    const foreign = { doc: { file: FOREIGN, bytes: 1 } };
    expect(describedFiles(foreign, files, true)).toBe(foreign);
    expect(describedFiles(sent, ANY_FILES, true)).toBe(sent);
  });
});
