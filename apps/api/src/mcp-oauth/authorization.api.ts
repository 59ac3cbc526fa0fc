import { ApiBody, ApiConsumes } from '@nestjs/swagger';
import type { RouteInput } from '../http/route-inputs.js';
import type { Answer } from '../openapi/operation.js';

const OBJECT = { type: 'object', additionalProperties: true } as const;

/** Only the standards of OAuth describe the messages of clients. */
export const oauthAnswer = (description: string, example: object): Answer => ({
  description,
  content: { 'application/json': { schema: OBJECT, example } },
});

export const oauthForm = (example: object): Omit<RouteInput, 'reads'> => ({
  parts: [
    ApiConsumes('application/x-www-form-urlencoded'),
    ApiBody({ required: true, schema: { ...OBJECT, example } }),
  ],
});
