import { OPERATIONS } from './generated/operations.js';
import { methodsByOperation } from './testing/called-operations.js';

/**
 * Operations for which the client needs no method, because a browser is redirected to them, a sender of webhooks
 * calls them, they speak the Model Context Protocol or its OAuth, or anybody opens their address.
 */
const WITHOUT_METHOD = [
  'beginAuthorization',
  'decideAuthorization',
  'finishAuthorization',
  'beginOidcSignIn',
  'finishOidcSignIn',
  'verifyWebhook',
  'allowWebhookSender',
  'callMcpServer',
  'callAuthoringServer',
  'openFileLink',
  'authorizeMcpClient',
  'getMcpAuthorResourceMetadata',
  'getMcpAuthorizationServer',
  'getMcpResourceMetadata',
  'issueMcpToken',
  'registerMcpClient',
  'revokeMcpToken',
];
/** Methods that combine several operations. Each of these operations also has a method of its own. */
const COMPOSED = ['runs.wait', 'versions.definition'];

describe('the methods of the client', () => {
  it('are one for each operation of the service', async () => {
    const called = await methodsByOperation();
    const targets = [...called].map(([id, methods]) => [id, methods.filter((each) => !COMPOSED.includes(each)).length]);
    const expected = Object.values(OPERATIONS).filter((id: string) => !WITHOUT_METHOD.includes(id));
    expect(Object.fromEntries(targets)).toEqual(Object.fromEntries(expected.map((id) => [id, 1])));
  });
});
