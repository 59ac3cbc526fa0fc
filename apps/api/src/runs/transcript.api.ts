import { ApiSchema } from '@nestjs/swagger';
import { AnyValue, Flag, Id, Nested, OneOf, Text, Whole } from '../http/fields.js';
import { REVEAL, StepsAfterQuery } from './runs.api.js';

export class TranscriptQuery extends StepsAfterQuery {
  @Flag(REVEAL) reveal = false;
  @Whole({
    optional: true,
    minimum: 1,
    maximum: 100,
    default: 20,
    description: 'Maximum number of turns to return.',
    message: 'limit must be a whole number from 1 to 100',
  })
  limit = 20;
}

const TRUNCATED = { optional: true, description: '`true` if only the beginning is recorded.' } as const;

@ApiSchema({ description: 'A tool that a model may call.' })
export class OfferedTool {
  @Text({ description: 'Name.', example: 'orders_get' }) name: string;
  @Text({ description: 'Description.', example: 'Finds an order.' }) description: string;
  @AnyValue({ description: 'JSON Schema of the arguments.', example: { type: 'object' } }) input_schema: unknown;
}

@ApiSchema({ description: 'What a model gets with every request, in addition to the messages.' })
export class TurnPrompt {
  @Text({ description: 'System prompt.', example: 'You are the automation agent refund-desk.' }) system: string;
  @Nested(OfferedTool, { list: true, description: 'Tools.' }) tools: OfferedTool[];
  @AnyValue({ optional: true, description: 'JSON Schema that the answer must match.', example: { type: 'object' } })
  response_format?: unknown;
  @Flag(TRUNCATED) truncated?: boolean;
}

@ApiSchema({ description: 'A message to a model: a text, or the result of a call that the model requested.' })
export class TurnMessage {
  @OneOf(['user', 'tool'], { description: 'Sender.' }) role: string;
  @Text({ optional: true, description: 'Text; absent for `tool`.', example: 'The input, as JSON: …' }) text?: string;
  @Text({ optional: true, description: 'Id of the call in `answer`; absent for `user`.', example: 'call_1' })
  call?: string;
  @Text({ optional: true, description: 'Name of the tool; absent for `user`.', example: 'orders_get' }) name?: string;
  @AnyValue({
    optional: true,
    description: 'Result of the call; absent for `user`.',
    example: { result: { total: 40 } },
  })
  result?: unknown;
  @Flag(TRUNCATED) truncated?: boolean;
}

@ApiSchema({ description: 'A call that a model requested.' })
export class RequestedCall {
  @Text({ description: 'Id, unique in the turn.', example: 'call_1' }) id: string;
  @Text({ description: 'Name of the tool.', example: 'orders_get' }) name: string;
  @AnyValue({ description: 'Arguments.', example: { order_id: '1002' } }) input: unknown;
}

@ApiSchema({ description: 'The answer of a model.' })
export class TurnAnswer {
  @Text({ description: 'Text; empty if there is none.', example: '' }) text: string;
  @Text({
    optional: true,
    description: 'Summary of the reasoning, if the provider sent one.',
    example: 'Read it first.',
  })
  reasoning?: string;
  @Nested(RequestedCall, { list: true, description: 'Requested calls.' }) calls: RequestedCall[];
}

@ApiSchema({ description: 'One turn of a model.' })
export class TranscriptTurn {
  @Whole({ minimum: 2, description: 'Position of the step in the trace.', example: 2 }) n: number;
  @Text({ description: 'Path of the step; the same for each attempt.', example: 'turn[1]' }) path: string;
  @Whole({
    nullable: true,
    description: 'Position of the turn with the `prompt` of this turn; null if nothing is recorded.',
    example: 2,
  })
  prompt_n: number | null;
  @Nested(TurnPrompt, { nullable: true, description: 'Prompt; null unless `prompt_n` is `n`.' })
  prompt: object | null;
  @Nested(TurnMessage, {
    nullable: true,
    list: true,
    description: 'Messages since the answer of the turn before; null if they are not recorded.',
  })
  messages: object[] | null;
  @Nested(TurnAnswer, { nullable: true, description: 'Answer; null if there is none.' }) answer: TurnAnswer | null;
  @Flag({ optional: true, description: '`true` if `prompt`, `messages` or `answer` is null because it is redacted.' })
  redacted?: boolean;
}

@ApiSchema({ name: 'Transcript', description: 'The conversations of a run with models.' })
export class TranscriptResource {
  @Id('run') run: string;
  @Nested(TranscriptTurn, { list: true, description: 'Turns, ordered by `n`.' }) turns: TranscriptTurn[];
  @Whole({
    optional: true,
    description: 'Value of `after_n` for the next turns; absent if no more turns are recorded.',
    example: 2,
  })
  next_after_n?: number;
}
