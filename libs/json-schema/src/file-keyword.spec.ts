import type { JsonValue } from '@app/kernel';
import { ANY_FILES } from './validation/schema-node.js';
import { fileFieldsIn, withoutFileKeyword } from './file-places.js';
import { schemaProblems } from './schema-problems.js';
import { schemaValidator } from './schema-validator.js';

const PDF = { contentType: 'application/pdf', bytes: 2_000 };
const files = (facts: object) => new Map([['file_a', { ...PDF, ...facts }]]);
const INVOICE = {
  type: 'object',
  properties: { invoice: { file: { accept: ['application/pdf', 'image/*'], max: '2KiB' } } },
};

describe('the keyword file', () => {
  it.each([
    [{}, []],
    [{ contentType: 'image/png' }, []],
    [{ contentType: 'image/svg+xml' }, ['/invoice']],
    [{ contentType: 'text/html' }, ['/invoice']],
    [{ bytes: 0, contentType: 'text/plain' }, ['/invoice']],
    [{ bytes: 2_048 }, []],
    [{ bytes: 2_049 }, ['/invoice']],
  ])('judges the file by what is known about it: %j', (facts, places) => {
    const errors = schemaValidator(INVOICE).validate({ invoice: { file: 'file_a' } }, undefined, files(facts));
    expect(errors.map(({ pointer }) => pointer)).toEqual(places);
    // The file is uploaded already.
    for (const error of errors) expect(error).not.toHaveProperty('suggestion');
  });

  it.each<JsonValue>([{ file: 'file_b' }, { file: 'file_a' }, { base64: 'YQ==' }, 'file_a', null, {}])(
    'refuses what no person has proven: %j',
    (invoice) => {
      const suggestion = expect.stringContaining('POST /v1/files');
      expect(schemaValidator(INVOICE).validate({ invoice })).toMatchObject([{ pointer: '/invoice', suggestion }]);
    },
  );

  it('admits every form of a file in constants of a definition', () => {
    const forms: JsonValue[] = [{ file: 'file_a' }, { fixture: 'a.pdf' }, { base64: 'YQ==' }, { text: 'a' }];
    for (const invoice of forms)
      expect(schemaValidator(INVOICE).validate({ invoice }, undefined, ANY_FILES)).toEqual([]);
  });

  it.each([
    [{ file: true }],
    [{ file: { type: 'pdf' } }],
    [{ file: { accept: ['pdf'] } }],
    [{ file: { max: '20MB' } }],
    [{ file: { max: 0 } }],
    [{ file: {}, type: 'object' }],
    [{ file: {}, maxLength: 3 }],
  ])('is not valid as %j', (invoice) => {
    const schema = { type: 'object', properties: { invoice } };
    expect(schemaProblems(schema)).toMatchObject([{ path: ['properties', 'invoice', expect.any(String)] }]);
    // A version that was stored before the keyword existed keeps its meaning.
    if (!('type' in invoice || 'maxLength' in invoice))
      expect(schemaValidator(schema).validate({ invoice: 1 })).toEqual([]);
  });

  it('may have a title and a description, and a member may have the name', () => {
    const schema = {
      type: 'object',
      properties: { file: { type: 'string' }, scan: { title: 'Scan', description: 'A scan', file: {} } },
    };
    expect(schemaProblems(schema)).toEqual([]);
    expect(schemaValidator(schema).validate({ file: 'a' })).toEqual([]);
  });

  it('is found in members and lists, and is an object for others', () => {
    const schema = {
      type: 'object',
      $defs: { scan: { file: { accept: ['image/*'] }, description: 'A scan' } },
      properties: { scans: { type: 'array', items: { $ref: '#/$defs/scan' } }, other: { type: 'string' } },
    };
    const found = fileFieldsIn(schema, { scans: [{ base64: '' }, { file: 'file_a' }], other: 'x' });
    expect(found.map(({ path }) => path.join('/'))).toEqual(['scans/0', 'scans/1']);
    expect(withoutFileKeyword(schema)).toMatchObject({
      $defs: { scan: { type: 'object', required: ['file'], description: 'A scan' } },
    });
  });
});
