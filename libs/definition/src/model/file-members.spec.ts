import { fileMembers } from './file-members.js';

describe('the members of a received file', () => {
  const attachment = { name: 'a.txt', size: 5, encoding: 'text', content: 'hello' };

  it('include its bytes inline', () => {
    expect(fileMembers(attachment, 'inline')).toBe(attachment);
  });

  it.each([
    ['an attachment', attachment, { name: 'a.txt', size: 5, encoding: null, content: null }],
    ['a binary response', { bytes: 1, base64: 'AA==' }, { bytes: 1, base64: null }],
    [
      'a block of MCP',
      { type: 'image', data: 'AA==', mimeType: 'image/png' },
      { type: 'image', mimeType: 'image/png' },
    ],
    [
      'a resource of MCP',
      { type: 'resource', resource: { uri: 'file:///a', blob: 'AA==' } },
      { type: 'resource', resource: { uri: 'file:///a' } },
    ],
  ])('leave out the bytes of %s by reference', (_, members, expected) => {
    expect(fileMembers(members, 'reference')).toEqual(expected);
  });
});
