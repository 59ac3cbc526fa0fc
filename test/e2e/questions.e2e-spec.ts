import type { JsonObject } from '@app/kernel';
import type { ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { aGroup, aMachine, aPerson } from '../support/people.js';
import { Scene } from '../support/scene.js';

interface Question {
  id: string;
  status: string;
}

const FORM: JsonObject = {
  type: 'object',
  required: ['size'],
  additionalProperties: false,
  properties: { size: { enum: ['s', 'm', 'l'] }, note: { type: 'string' } },
};

let agents = 0;
const anAskingAgent = (ask: JsonObject = {}, more: JsonObject = {}): JsonObject => ({
  name: `asking-${++agents}`,
  input: { type: 'object', properties: { who: { type: 'string' } } },
  steps: [
    {
      id: 'size',
      ask: { to: ['tailors'], title: 'Which size for ${{ input.who }}?', form: FORM, show: ['input.who'], ...ask },
    },
    { id: 'result', output: { given: '${{ steps.size.output }}' } },
  ],
  ...more,
});

describe('a question to people', () => {
  let scene: Scene;
  let tim: ApiClient;
  let eve: ApiClient;
  let stranger: ApiClient;

  beforeAll(async () => {
    scene = await Scene.start();
    tim = await aPerson(scene.stack, 'tim@example.com');
    eve = await aPerson(scene.stack, 'eve@example.com');
    stranger = await aPerson(scene.stack, 'mallory@example.com', { role: 'admin' });
    await aGroup(scene.stack, 'tailors', ['tim@example.com', 'eve@example.com']);
  });
  afterAll(() => scene.stop());

  const admin = () => scene.stack.client;

  const ask = async (definition = anAskingAgent(), body: JsonObject = {}): Promise<{ run: string; id: string }> => {
    const agent = await admin().createAgent(definition);
    const { id: run } = await tim.expect<{ id: string }>('POST', `/v1/agents/${agent}/runs`, {
      input: { who: 'Ada' },
      ...body,
    });
    return eventually(async () => {
      const shown = await admin().expect<{ status: string; approvals: Question[] }>('GET', `/v1/runs/${run}`);
      expect(shown).toMatchObject({ status: 'waiting_approval', approvals: [{ status: 'open' }] });
      return { run, id: shown.approvals[0]!.id };
    });
  };

  const decide = (person: ApiClient, { run, id }: { run: string; id: string }, body: JsonObject) =>
    person.call<JsonObject>('POST', `/v1/runs/${run}/approvals/${id}`, body);

  const ended = (run: string, as: object) => eventually(async () => expect(await admin().run(run)).toMatchObject(as));

  const overdue = (id: string) =>
    scene.stack.query(`update approvals set expires_at = clock_timestamp() - interval '1 second' where id = $1`, [id]);

  it('is an approval that one answer closes, and the answer is the output', async () => {
    const question = await ask();
    expect(await tim.expect('GET', `/v1/approvals/${question.id}`)).toMatchObject({
      kind: 'question',
      title: 'Which size for Ada?',
      form: FORM,
      answer: null,
      allowed_decisions: ['answer'],
      approvers: ['tailors'],
      required: 1,
      tool: 'size',
      show: { 'input.who': 'Ada' },
      request: null,
      can_decide: true,
      cannot_decide_reason: null,
    });
    const answer = { size: 'm', note: 'tall' };
    expect(await decide(tim, question, { decision: 'answer', answer, comment: 'sure' })).toMatchObject({
      status: 200,
      body: {
        status: 'answered',
        answer,
        decisions: [{ by: 'tim@example.com', decision: 'answer', comment: 'sure', via: 'api' }],
      },
    });
    await ended(question.run, { status: 'succeeded', output: { given: answer } });
    const { steps } = await admin().trace(question.run);
    expect(steps[1]).toMatchObject({
      type: 'approval',
      status: 'answered',
      title: 'Which size for Ada?',
      decision: 'answer',
      decided_by: ['tim@example.com'],
      comment: 'sure',
      answer,
    });
  });

  it('takes no second answer, not even the same one', async () => {
    const question = await ask();
    const answer = { decision: 'answer', answer: { size: 'l' } };
    expect(await decide(eve, question, answer)).toMatchObject({ status: 200 });
    for (const person of [eve, tim])
      expect(await decide(person, question, answer)).toMatchObject({
        status: 409,
        body: { code: 'approval_already_decided', approval_status: 'answered' },
      });
  });

  it('takes one answer of many that arrive at once', async () => {
    const question = await ask();
    const answers = await Promise.all(
      ['s', 'm', 'l'].map((size) =>
        decide(size === 'm' ? eve : tim, question, { decision: 'answer', answer: { size } }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  });

  it('is open after an answer that does not fit, which is rejected with its places', async () => {
    const question = await ask();
    expect(await decide(tim, question, { decision: 'answer', answer: { size: 'xl', colour: 'red' } })).toMatchObject({
      status: 422,
      body: {
        code: 'input_invalid',
        errors: expect.arrayContaining([expect.objectContaining({ pointer: '/answer/size' })]),
      },
    });
    expect(await decide(tim, question, { decision: 'answer', answer: 'm' })).toMatchObject({
      status: 422,
      body: { code: 'input_invalid', errors: [{ pointer: '/answer' }] },
    });
    expect(await decide(tim, question, { decision: 'answer', answer: { size: 's' } })).toMatchObject({ status: 200 });
  });

  it.each<[string, JsonObject]>([
    ['approve', { decision: 'approve' }],
    ['reject', { decision: 'reject', comment: 'no' }],
    ['edit', { decision: 'edit', request: {} }],
    ['no answer', { decision: 'answer' }],
    ['null', { decision: 'answer', answer: null }],
    ['approve with an answer', { decision: 'approve', answer: { size: 'm' } }],
  ])('is not decided by %s', async (_, body) => {
    expect(await decide(tim, await ask(), body)).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  });

  it('is answered only by the groups that it asks', async () => {
    const question = await ask();
    const refused = { status: 403, body: { code: 'not_an_approver' } };
    expect(await decide(stranger, question, { decision: 'answer', answer: { size: 'xl' } })).toMatchObject(refused);
    expect(await stranger.expect('GET', `/v1/approvals/${question.id}`)).toMatchObject({
      can_decide: false,
      cannot_decide_reason: 'not_an_approver',
    });
    expect(await tim.expect('GET', '/v1/approvals?mine=true')).toMatchObject({
      data: expect.arrayContaining([expect.objectContaining({ id: question.id, kind: 'question' })]),
    });
  });

  it('is not answered with a key of a machine, whoever its member is', async () => {
    const question = await ask();
    const machine = await aMachine(scene.stack, 'tim@example.com', 'operator');
    expect(await decide(machine, question, { decision: 'answer', answer: { size: 's' } })).toMatchObject({
      status: 403,
      body: { code: 'automation_key' },
    });
    expect(await machine.expect('GET', `/v1/approvals/${question.id}`)).toMatchObject({
      status: 'open',
      can_decide: false,
      cannot_decide_reason: 'automation_key',
    });
    expect(await machine.expect('GET', '/v1/approvals?mine=true')).toEqual({ data: [] });
    expect(await machine.expect('GET', '/v1/changes')).toMatchObject({ approvals_mine: 0 });
  });

  it('waits in mode test too', async () => {
    const question = await ask(anAskingAgent(), { mode: 'test' });
    await decide(tim, question, { decision: 'answer', answer: { size: 's' } });
    await ended(question.run, { status: 'succeeded', output: { given: { size: 's' } } });
  });

  it.each<[string, JsonObject, object]>([
    ['fails the run', {}, { status: 'failed', error: { code: 'approval_expired', step: 'size' } }],
    ['hands the run off', { on_timeout: 'hand_off' }, { status: 'handed_off', output: { to: ['tailors'] } }],
    ['continues without an answer', { on_timeout: 'continue' }, { status: 'succeeded', output: { given: null } }],
  ])('%s when it expires', async (_, rules, as) => {
    const question = await ask(anAskingAgent(rules));
    await overdue(question.id);
    await ended(question.run, as);
    expect(await admin().expect('GET', `/v1/approvals/${question.id}`)).toMatchObject({ status: 'expired' });
    const { steps } = await admin().trace(question.run);
    expect(steps[1]).toMatchObject({ type: 'approval', status: 'expired', decision: 'expire', decided_by: [] });
  });

  it('is cancelled with its run', async () => {
    const question = await ask();
    await admin().expect('POST', `/v1/runs/${question.run}/cancel`, {});
    expect(await admin().expect('GET', `/v1/approvals/${question.id}`)).toMatchObject({ status: 'cancelled' });
    expect(await decide(tim, question, { decision: 'answer', answer: { size: 'm' } })).toMatchObject({ status: 409 });
  });

  it('keeps a redacted answer out of the trace', async () => {
    const question = await ask(anAskingAgent({}, { redact: { paths: ['steps.size.output.note'] } }));
    const answer = { size: 'm', note: 'private-note' };
    const { body } = await decide(tim, question, { decision: 'answer', answer });
    expect(body.answer).toEqual({ size: 'm', note: '[redacted]' });
    await ended(question.run, { status: 'succeeded', output: { given: { size: 'm', note: '[redacted]' } } });
    expect(JSON.stringify(await admin().trace(question.run))).not.toContain('private-note');
  });
});
