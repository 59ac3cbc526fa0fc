import { ANY_FILES } from '@app/definition';
import type { JsonObject } from '@app/kernel';
import type { CallbackRequest, Question } from '../interpreter/plan.js';
import { MockedCalls } from '../records/evaluated-case.js';
import { knownAnswer } from './known-answers.js';

const FORM: JsonObject = {
  type: 'object',
  required: ['size', 'note'],
  properties: { size: { enum: ['s', 'm'] }, note: { type: 'string', default: '' } },
};
const QUESTION: Question = {
  kind: 'question',
  path: 'size',
  stepId: 'size',
  to: ['tailors'],
  title: null,
  form: FORM,
  show: {},
  timeoutMs: 1_000,
  onTimeout: 'fail',
};
const CALLBACK: CallbackRequest = { kind: 'callback', path: 'done', stepId: 'done', timeoutMs: 1_000, simulated: null };

describe('the answer that a case of an evaluation defines', () => {
  const run = (answers: Record<string, JsonObject>) => ({
    mode: 'test' as const,
    recordedCalls: undefined,
    mocks: new MockedCalls('live', {
      mock: new Map(),
      mockEach: new Map(),
      state: {},
      answers: new Map(Object.entries(answers)),
    }),
  });

  it('gets the defaults of the form, as the answer of a person does', () => {
    expect(knownAnswer(run({ size: { size: 'm' } }), QUESTION, ANY_FILES)?.outcome).toEqual({
      ok: true,
      output: { size: 'm', note: '' },
    });
  });

  it('is the body of a callback as it is', () => {
    const body = { status: 'done' };
    expect(knownAnswer(run({ done: body }), CALLBACK, ANY_FILES)?.outcome).toEqual({ ok: true, output: body });
  });
});
