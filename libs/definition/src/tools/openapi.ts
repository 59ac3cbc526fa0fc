import { list, object, pattern, text } from '../contract/building-blocks.js';
import { checkOverrides } from '../contract/operation-checks.js';
import { describeTarget, type ToolDescriptor, connection, described, toolName } from '../contract/tool-descriptor.js';
import { type PinnedDocument, trimSlash } from '../model/compiled-tool.js';
import type { DefinitionNode } from '../contract/definition-node.js';

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
          documents: list(
            'Further documents to which the document refers.',
            object(
              'A further document.',
              {
                url: pattern('Address of the document.', 'httpUrl'),
                sha256: pattern('SHA-256 of its bytes.', 'sha256'),
              },
              ['url', 'sha256'],
            ),
            100,
          ),
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
    const documents = spec.items('documents').map(pinnedDocument);
    const baseUrl = node.has('base_url') ? trimSlash(node.text('base_url')) : null;
    return {
      ...base,
      kind: 'openapi',
      spec: spec.has('url') ? pinnedDocument(spec) : null,
      documents,
      baseUrl,
      ...at.describedOperations(),
    };
  },
  check: (node, { problems }) => checkOverrides(node, problems),
  target: ['base_url', 'spec', 'auth', 'headers'],
  describe: describeTarget,
};

function pinnedDocument(node: DefinitionNode): PinnedDocument {
  return { url: node.text('url'), sha256: node.text('sha256') };
}
