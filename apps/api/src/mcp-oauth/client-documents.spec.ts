import type { JsonValue } from '@app/kernel';
import { clientDocument } from './client-documents.service.js';

describe('the metadata document of a client', () => {
  const document = { client_id: 'https://client.example/c.json', redirect_uris: ['https://client.example/callback'] };

  it('counts as a program on the computer of the person if a redirect address is on loopback', () => {
    expect(clientDocument(document)).toEqual({ ...document, application_type: 'web' });
    const native = { ...document, redirect_uris: ['http://127.0.0.1/callback'], application_type: 'web' };
    expect(clientDocument(native)).toEqual({ ...native, application_type: 'native' });
  });

  it('keeps a secret, so that the authorization server refuses it, and no unknown member', () => {
    const more = { ...document, client_secret: 'a secret', grant_types: ['password'], scope: 'all' };
    expect(clientDocument(more)).toEqual({ ...document, client_secret: 'a secret', application_type: 'web' });
  });

  it.each<JsonValue>([
    null,
    [],
    {},
    { redirect_uris: [] },
    { redirect_uris: 'https://client.example/callback' },
    { redirect_uris: ['https://client.example/callback', 'http://client.example/'] },
    { redirect_uris: [1] },
  ])('cannot be %j', (given) => {
    expect(() => clientDocument(given)).toThrow();
  });
});
