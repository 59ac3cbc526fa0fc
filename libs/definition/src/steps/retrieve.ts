import { object, text, whole } from '../contract/building-blocks.js';
import { stepSchema, type StepDescriptor } from '../contract/step-descriptor.js';

const DEFAULT_TOP_K = 8;

/**
 * The output is `{passages}`. A passage has the form `{document: {id, title, url, version}, chunk, heading, text,
 * score, start, end}`.
 */
export const retrieveStep: StepDescriptor<'retrieve'> = {
  schema: stepSchema('Searches a knowledge base.', {
    retrieve: object(
      'The search.',
      {
        base: text('Id or unique name of the knowledge base.'),
        query: text('Text to search for. May contain `${{ CEL }}`.'),
        top_k: whole('Maximum number of passages.', 1, 50, { default: DEFAULT_TOP_K }),
      },
      ['base', 'query'],
    ),
  }),
  compile(base, at) {
    const node = at.node.child('retrieve');
    const query = at.template(node.text('query'), node.pathOf('query'));
    const topK = node.numberOr('top_k', DEFAULT_TOP_K);
    return { ...base, kind: 'retrieve', base: node.text('base'), query, topK };
  },
  check: null,
  outputType: () => ({ passages: 'list' }),
  blocks: null,
  isBlock: false,
  ends: false,
  isInstant: false,
  isRepeatable: true,
};
