import { object, pattern, text } from '../json-schema/building-blocks.js';
import { checkOverrides } from './contract/operation-checks.js';
import { describeTarget, type ToolDescriptor, connection, described, toolName } from './contract/tool-descriptor.js';
import { trimSlash } from '../model/compiled-tool.js';

export const openapiTool: ToolDescriptor<'openapi'> = {
  schema: object(
    'The operations of an OpenAPI document.',
    {
      name: toolName,
      type: text('openapi'),
      spec: object(
        'The document: its address and the SHA-256 of its bytes, or the document itself. If the SHA-256 does not ' +
          'match, the version is rejected.',
        {
          url: pattern('Address of the document.', 'httpUrl'),
          sha256: pattern('SHA-256 of the bytes of the document, in hexadecimal.', 'sha256'),
          document: { type: 'object', description: 'The OpenAPI document, in place of url and sha256.' },
        },
        [],
        {
          if: { required: ['document'] },
          then: { properties: { url: false, sha256: false } },
          else: { required: ['url', 'sha256'] },
        },
      ),
      base_url: pattern('URL of the server. Default: the first server of the document.', 'httpUrl'),
      ...described,
      ...connection,
    },
    ['name', 'type', 'spec', 'include'],
  ),
  compile(base, at) {
    const { node } = at;
    const spec = node.child('spec');
    const pinned = spec.has('url') ? { url: spec.text('url'), sha256: spec.text('sha256') } : null;
    const baseUrl = node.has('base_url') ? trimSlash(node.text('base_url')) : null;
    return { ...base, kind: 'openapi', spec: pinned, baseUrl, ...at.describedOperations() };
  },
  check: (node, { problems }) => checkOverrides(node, problems),
  target: ['base_url', 'spec', 'auth', 'headers'],
  describe: describeTarget,
};
