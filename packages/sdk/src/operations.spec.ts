import { OPERATIONS } from './generated/operations.js';
import { methodsByOperation } from './testing/called-operations.js';

/**
 * Operations that browsers are redirected to. Programs do not read their responses, so the client has no methods for
 * them.
 */
const FOR_BROWSERS = ['beginAuthorization', 'finishAuthorization', 'beginOidcSignIn', 'finishOidcSignIn'];
/** Methods that combine operations which also have methods of their own. */
const COMPOSED = ['runs.wait', 'versions.definition'];

describe('the methods of the client', () => {
  it('are one for each operation of the service', async () => {
    const called = await methodsByOperation();
    const targets = [...called].map(([id, methods]) => [id, methods.filter((each) => !COMPOSED.includes(each)).length]);
    const expected = Object.keys(OPERATIONS).filter((id) => !FOR_BROWSERS.includes(id));
    expect(Object.fromEntries(targets)).toEqual(Object.fromEntries(expected.map((id) => [id, 1])));
  });
});
