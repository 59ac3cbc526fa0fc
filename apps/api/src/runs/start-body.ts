import { ENV, type Env } from '@app/platform/config';
import { Inject, Injectable, type PipeTransform } from '@nestjs/common';
import type { ApiRequest } from '../http/api-request.js';
import { parseJsonObject, readJsonText } from '../http/json-body.js';
import { tooLarge } from '../http/request-body.js';
import { validateRequest } from '../http/request-validation.js';
import { StartRunBody } from './run.dto.js';

/** Bytes for what stands around the input. */
const ROOM = 4 * 1024;

/** The input of a run does not belong to the top level of the body. */
function belowInput(name: string): string {
  const shown = JSON.stringify(name.slice(0, 64));
  return `If it is part of the input, put it below \`input\`: {"input": {${shown}: …}}.`;
}

/** Reads the body that starts a run: an input of the size that is allowed, and room for what stands around it. */
@Injectable()
export class StartBodyPipe implements PipeTransform<ApiRequest, Promise<StartRunBody>> {
  constructor(@Inject(ENV) private readonly env: Pick<Env, 'maxInputBytes'>) {}

  /** @throws DomainError `payload_too_large`: the body, or its input as JSON; what is wrong with the body */
  async transform(request: ApiRequest): Promise<StartRunBody> {
    const { maxInputBytes: limit } = this.env;
    const given = parseJsonObject(await readJsonText(request, limit + ROOM));
    const body = validateRequest(StartRunBody, given, 'body', belowInput);
    if (Buffer.byteLength(JSON.stringify(body.input)) > limit) throw tooLarge(limit, 'input');
    return body;
  }
}
