import { OPERATIONS } from './generated/operations.js';
import { methodsByOperation } from './testing/called-operations.js';

/** Pages for browsers: a person is sent there, and no program reads the response. */
const FOR_BROWSERS = ['beginAuthorization', 'finishAuthorization', 'beginOidcSignIn', 'finishOidcSignIn'];
/** Methods on top of an operation that has a method of its own. */
const COMPOSED = ['runs.wait', 'versions.definition'];

describe('the methods of the client', () => {
  it('are one for each operation of the service', async () => {
    const called = await methodsByOperation();
    const targets = [...called].map(([id, methods]) => [id, methods.filter((each) => !COMPOSED.includes(each)).length]);
    const expected = Object.keys(OPERATIONS).filter((id) => !FOR_BROWSERS.includes(id));
    expect(Object.fromEntries(targets)).toEqual(Object.fromEntries(expected.map((id) => [id, 1])));
  });
});
