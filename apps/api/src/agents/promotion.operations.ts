import { ApiHeader } from '@nestjs/swagger';
import { AGENT_ID, IF_MATCH_HEADER, VERSION_NUMBER } from '../openapi/described-parts.js';
import { Operation } from '../openapi/operation.decorator.js';
import { PromotionResource } from './promotion.dto.js';

/** How promoting is described. */
export const PROMOTION_OPERATIONS = {
  promote: Operation(
    {
      id: 'promoteAgentVersion',
      tag: 'Agents',
      summary: 'Put a version into production',
      description:
        'Runs that are accepted from now on use it; those that were accepted before keep theirs. Where the definition of the version has a gate, its latest ' +
        'evaluation must have passed; the refusal carries `gate: {result, reasons}`. Going back to a version that was in production before needs no ' +
        'evaluation. Promoting what is in production changes nothing. Of two promotions at once one is refused (412).',
      answers: [{ description: 'The promotion.', type: PromotionResource }],
      problems: [
        'not_found',
        'agent_archived',
        'evaluation_required',
        'evaluation_in_progress',
        'gate_failed',
        'gate_inconclusive',
        'name_taken',
        'precondition_failed',
        'unknown_reference',
      ],
    },
    AGENT_ID,
    VERSION_NUMBER,
    ApiHeader({ ...IF_MATCH_HEADER, description: 'The ETag of the agent as you know it.' }),
  ),
};
