import type { JsonObject, JsonValue } from '@app/kernel';
import type { ApiClient } from '../support/api-client.js';
import { Cookbook, type CookbookAgent, mailText, promptOf, turn } from '../support/cookbook.js';
import { eventually } from '../support/eventually.js';
import type { LedgerCall } from '../support/ledger.js';
import type { TurnRequest } from '../support/model-server.js';
import type { ScriptedTurn } from '../support/model-wire.js';
import { aGroup, aPerson } from '../support/people.js';

const WITHIN = { within: 180_000 };

const parameterOf = ({ query }: LedgerCall, name: string): string => new URLSearchParams(query).get(name) ?? '';

/**
 * Runs the agents of docs/cookbook that answer people. The definitions differ from the files only in the addresses of
 * their servers.
 */
describe('the cookbook agent', () => {
  let cookbook: Cookbook;
  let sue: ApiClient;

  beforeAll(async () => {
    cookbook = await Cookbook.start();
    sue = await aPerson(cookbook.stack, 'sue@example.com');
    await aGroup(cookbook.stack, 'support', ['sue@example.com']);
    await aGroup(cookbook.stack, 'editors', ['sue@example.com']);
  });
  afterEach(() => cookbook.reset());
  afterAll(() => cookbook.stop());

  const decide = (run: string, approval: string, body: JsonObject) =>
    sue.expect('POST', `/v1/runs/${run}/approvals/${approval}`, body);

  describe('support-triage', () => {
    let agent: CookbookAgent;
    let reviewer: CookbookAgent;

    beforeAll(async () => {
      reviewer = await cookbook.create('support-triage-issue');
      agent = await cookbook.create('support-triage');
    });

    const issue = (key: string): JsonObject => ({
      key,
      fields: {
        summary: `Title of ${key}`,
        description: `Problem ${key}`,
        reporter: { displayName: 'Ann', accountId: `account-${key}` },
        created: '2026-01-05T08:00:00.000+0000',
      },
    });
    /**
     * Makes Jira return these issues. The value of an issue is the text of its comment, or null if it has no comment.
     */
    const jiraHas = (comments: Record<string, string | null>): void => {
      const found = Object.keys(comments).map(issue);
      cookbook.ledger.always('/jira/rest/api/2/search/jql', {
        body: (call) => ({ issues: parameterOf(call, 'jql').startsWith('status IN') ? found : [] }),
      });
      for (const [key, body] of Object.entries(comments))
        cookbook.ledger.always(`/jira/rest/api/2/issue/${key}/comment`, {
          body: (call) =>
            call.method === 'GET'
              ? { comments: body === null ? [] : [{ author: { displayName: 'Bo' }, body }] }
              : { id: '1' },
        });
    };
    const commentsOn = (key: string): JsonValue[] =>
      cookbook.ledger
        .callsOf(`/jira/rest/api/2/issue/${key}/comment`)
        .filter(({ method }) => method === 'POST')
        .map(({ body }) => (JSON.parse(body) as JsonObject).body ?? null);
    const movesOf = (key: string) => cookbook.bodiesOf(`/jira/rest/api/2/issue/${key}/transitions`);

    /** Simulates a model that searches before it answers. It knows an answer only for the issue S-5. */
    const respond = (request: TurnRequest): ScriptedTurn => {
      const prompt = promptOf(request);
      if (request.tools.length === 0) {
        const state = /Problem S-[127]/.test(prompt)
          ? 'resolved'
          : /Problem S-[34]/.test(prompt)
            ? 'pending'
            : 'waiting';
        return turn({ state, mood: prompt.includes('Problem S-2') ? 'negative' : 'positive' });
      }
      if (!request.messages.some(({ role }) => role === 'tool'))
        return {
          calls: [
            { name: 'jira_similar', input: { words: 'reset "password"' } },
            { name: 'notion_search', input: { query: 'password' } },
          ],
        };
      return prompt.includes('Problem S-5')
        ? turn({ solved: true, summary: 'Password', answer: 'Use the link below the form.' })
        : turn({ solved: false, summary: 'An unknown device', answer: 'Which device do you use?' });
    };

    it('closes, reminds about and answers old issues after people accepted the answers', async () => {
      const reminded = 'Is there news about this issue? (automated message)';
      jiraHas({
        'S-1': 'It works, thank you!',
        'S-2': 'Fixed at last.',
        'S-3': 'Logs?',
        'S-4': reminded,
        'S-5': null,
        'S-6': null,
      });
      cookbook.models.always(respond);
      const run = await cookbook.fire(agent, 'daily');
      // Each issue has a run of its own, so both answers wait for a review at the same time.
      const opened = await eventually(async () => {
        const path = '/v1/approvals?status=open';
        const { data } = await sue.expect<{ data: { id: string; run: string; request: { key: string } }[] }>(
          'GET',
          path,
        );
        expect(data.map(({ request }) => request.key).sort()).toEqual(['S-5', 'S-6']);
        return data;
      }, WITHIN);
      for (const { id, run: review, request } of opened)
        await decide(review, id, { decision: request.key === 'S-5' ? 'approve' : 'reject' });
      expect(await cookbook.ended(run)).toMatchObject({
        status: 'succeeded',
        output: {
          issues: [
            { key: 'S-1', did: 'closed' },
            { key: 'S-2', did: 'reported' },
            { key: 'S-3', did: 'reminded' },
            { key: 'S-4', did: 'left' },
            { key: 'S-5', did: 'answered' },
            { key: 'S-6', did: 'refused' },
          ],
        },
      });
      expect(commentsOn('S-1')).toEqual([
        '[~accountid:account-S-1] We close this issue. Please leave us a review. (automated message)',
      ]);
      expect(commentsOn('S-3')).toEqual([
        '[~accountid:account-S-3] Is there news about this issue? (automated message)',
      ]);
      expect(commentsOn('S-5')).toEqual(['Use the link below the form.\n\n(automated message)']);
      for (const key of ['S-2', 'S-4', 'S-6']) expect(commentsOn(key)).toEqual([]);
      for (const key of ['S-1', 'S-5']) expect(movesOf(key)).toEqual([{ transition: { id: '31' } }]);
      for (const key of ['S-2', 'S-3', 'S-4', 'S-6']) expect(movesOf(key)).toEqual([]);
      const posted = cookbook.bodiesOf('/slack').map(({ text }) => text);
      expect(posted).toHaveLength(2);
      expect(posted).toEqual(
        expect.arrayContaining([
          expect.stringMatching(/^Solved, but the thread is negative: <.*\/browse\/S-2\|S-2> Title of S-2$/),
          expect.stringMatching(/^No solution known: .*Title of S-6\. An unknown device$/),
        ]),
      );
      const searches = cookbook.ledger.callsOf('/jira/rest/api/2/search/jql');
      expect(searches[0]?.headers.authorization).toMatch(/^Basic /);
      expect(searches.map((call) => parameterOf(call, 'jql'))).toEqual([
        'status IN ("To Do", "In Progress") AND created <= -7d ORDER BY created',
        ...Array<string>(2).fill('statusCategory = Done AND text ~ "reset \\"password\\""'),
      ]);
      expect(cookbook.bodiesOf('/notion/v1/search')).toEqual([{ query: 'password' }, { query: 'password' }]);
    });

    it('continues with the other issues when Jira refuses a change, and mails the admins when Jira fails', async () => {
      jiraHas({ 'S-1': 'It works, thank you!', 'S-7': 'It works, thank you!' });
      cookbook.ledger.always('/jira/rest/api/2/issue/S-1/transitions', {
        status: 400,
        body: { errorMessages: ['No.'] },
      });
      cookbook.models.always(respond);
      expect(await cookbook.run(agent)).toMatchObject({
        status: 'succeeded',
        output: {
          issues: [
            { key: 'S-1', did: expect.stringMatching(/^failed: /) },
            { key: 'S-7', did: 'closed' },
          ],
        },
      });
      expect(movesOf('S-7')).toHaveLength(1);
      cookbook.ledger.always('/jira/rest/api/2/search/jql', { status: 401 });
      expect(await cookbook.run(agent)).toMatchObject({
        status: 'failed',
        error: { code: 'tool_error', step: 'found' },
      });
      expect(cookbook.mail.mails).toMatchObject([
        { to: ['admin@example.com'], headers: { subject: 'support-triage failed at found' } },
      ]);
    });

    it('passes its evaluation', async () => {
      cookbook.models.always((request) => {
        if (request.tools.length === 0) return turn({ state: 'waiting', mood: 'neutral' });
        return turn({ solved: true, summary: 'Login', answer: 'Use the link below the form.' });
      });
      expect((await cookbook.evaluate(reviewer)).failed).toEqual([]);
    });
  });

  describe('email-reply-approval', () => {
    let agent: CookbookAgent;

    beforeAll(async () => {
      agent = await cookbook.create('email-reply-approval');
      const access = { agents: [agent.id], channels: ['email:hello@example.com'] };
      await cookbook.createBase(
        'company',
        { hours: '# Opening hours\n\nThe shop opens at nine in the morning.' },
        access,
      );
    });

    const receive = async (): Promise<string> => {
      const before = (await cookbook.runsOf(agent)).length;
      const sent = await cookbook.sender.send({
        from: 'ann@customer.example',
        to: 'hello@example.com',
        subject: 'Opening hours',
        text: 'When do you open?',
        messageId: `<question-${before}@customer.example>`,
      });
      expect(sent).toMatchObject({ code: 250 });
      const runs = (await cookbook.runsOf(agent)).slice(before);
      expect(runs).toHaveLength(1);
      return runs[0]?.id ?? '';
    };
    /** Waits until the run has an open question whose id is not `last`. Answers the question and returns its id. */
    const answer = async (run: string, form: JsonObject, last?: string): Promise<string> => {
      const question = await cookbook.waiting(run, last);
      await decide(run, question, { decision: 'answer', answer: form });
      return question;
    };

    it('writes the reply again as the editor requests, and sends it to the sender', async () => {
      cookbook.models.respondWith({ text: 'We open early.' }, { text: 'We open at nine.' });
      const run = await receive();
      const first = await cookbook.waiting(run);
      expect(await sue.expect('GET', `/v1/approvals/${first}`)).toMatchObject({
        title: 'Reply to ann@customer.example: Opening hours',
        show: {
          'input.text': expect.stringContaining('When do you open?'),
          'steps.write.output.text': 'We open early.',
        },
      });
      expect(cookbook.mail.mails).toEqual([]);
      await answer(run, { verdict: 'rewrite', change: 'Name the hour.' });
      await answer(run, { verdict: 'send' }, first);
      expect(await cookbook.ended(run)).toMatchObject({ status: 'succeeded', output: { sent: true, drafts: 2 } });
      expect(cookbook.mail.mails).toMatchObject([
        {
          to: ['ann@customer.example'],
          headers: {
            subject: 'Re: Opening hours',
            'in-reply-to': expect.stringMatching(/^<question-\d+@customer.example>$/),
          },
        },
      ]);
      expect(await mailText(cookbook.mail.mails[0])).toBe('We open at nine.');
      const [one, two] = cookbook.models.requests.map(promptOf);
      expect(one).toContain('The shop opens at nine in the morning.');
      expect(two).toContain('We open early.');
      expect(two).toContain('Name the hour.');
    });

    it('sends nothing that the editor discards, and a text of the editor as it is', async () => {
      cookbook.models.always({ text: 'We open early.' });
      const discarded = await receive();
      await answer(discarded, { verdict: 'discard' });
      expect(await cookbook.ended(discarded)).toMatchObject({
        status: 'succeeded',
        output: { sent: false, drafts: 1 },
      });
      expect(cookbook.mail.mails).toEqual([]);
      const edited = await receive();
      await answer(edited, { verdict: 'send', text: 'At nine. Sue' });
      expect(await cookbook.ended(edited)).toMatchObject({ output: { sent: true } });
      expect(await mailText(cookbook.mail.mails[0])).toBe('At nine. Sue');
    });

    it('is handed to the editors after five refused drafts', async () => {
      cookbook.models.always({ text: 'We open early.' });
      const run = await receive();
      let last: string | undefined;
      for (let round = 1; round <= 5; round += 1) last = await answer(run, { verdict: 'rewrite' }, last);
      expect(await cookbook.ended(run)).toMatchObject({
        status: 'handed_off',
        output: { to: ['editors'], reason: '5 drafts were refused.' },
      });
      expect(cookbook.mail.mails).toEqual([]);
    });

    it('passes its evaluation', async () => {
      cookbook.models.always({ text: 'We open early.' });
      expect((await cookbook.evaluate(agent)).failed).toEqual([]);
    });
  });

  describe('adaptive-rag', () => {
    let agent: CookbookAgent;

    beforeAll(async () => {
      agent = await cookbook.create('adaptive-rag');
      const texts = {
        memory: '# Agent memory\n\nShort-term memory of an agent is the context of the model.',
        prompts: '# Prompts\n\nA prompt with examples is a few-shot prompt.',
      };
      await cookbook.createBase('articles', texts, { agents: [agent.id] });
    });

    const kindOf = (request: TurnRequest): string => {
      const prompt = promptOf(request);
      const kinds = {
        route: 'Choose where',
        grade: 'Decide whether the document',
        write: 'Answer the question from the texts',
        check: 'Judge the answer',
        rewrite: 'Rewrite the question',
      };
      return Object.entries(kinds).find(([, start]) => prompt.includes(start))?.[0] ?? 'unknown';
    };

    it('rewrites a question that finds nothing, and writes an unsupported answer again from the same texts', async () => {
      let checks = 0;
      cookbook.models.always((request) => {
        const prompt = promptOf(request);
        switch (kindOf(request)) {
          case 'route':
            return turn({ source: 'articles' });
          case 'grade':
            return turn({ relevant: prompt.includes('Short-term memory') });
          case 'rewrite':
            return { text: 'agent memory' };
          case 'write':
            return { text: `Answer ${checks + 1}` };
          default:
            return turn({ supported: (checks += 1) > 1, useful: true });
        }
      });
      const run = await cookbook.run(agent, { question: 'How does recall happen in few-shot prompts?' });
      expect(run).toMatchObject({ status: 'succeeded', output: { answer: 'Answer 2', source: 'articles', rounds: 3 } });
      const kinds = cookbook.models.requests.map(kindOf);
      expect(kinds.filter((kind) => kind !== 'grade')).toEqual([
        'route',
        'rewrite',
        'write',
        'check',
        'write',
        'check',
      ]);
      const writes = cookbook.models.requests.filter((request) => kindOf(request) === 'write').map(promptOf);
      for (const prompt of writes) {
        expect(prompt).toContain('Short-term memory');
        expect(prompt).not.toContain('few-shot prompt.');
      }
    });

    it('answers from the web, and returns no answer if none passes its check', async () => {
      const results = [{ title: 'News', url: 'https://news.example', content: 'The Reds won by 2 to 1.' }];
      cookbook.ledger.always('/tavily/search', { body: { results } });
      let isUseful = true;
      cookbook.models.always((request) => {
        switch (kindOf(request)) {
          case 'route':
            return turn({ source: 'web' });
          case 'check':
            return turn({ supported: true, useful: isUseful });
          case 'rewrite':
            return { text: 'match result' };
          default:
            return { text: 'The Reds won.' };
        }
      });
      const input = { question: 'Who won the match?' };
      expect(await cookbook.run(agent, input)).toMatchObject({
        output: { answer: 'The Reds won.', source: 'web', rounds: 1 },
      });
      expect(cookbook.bodiesOf('/tavily/search')).toEqual([{ query: 'Who won the match?', max_results: 3 }]);
      isUseful = false;
      expect(await cookbook.run(agent, input)).toMatchObject({
        status: 'succeeded',
        output: { answer: null, source: 'web', rounds: 4 },
      });
      expect(cookbook.bodiesOf('/tavily/search').slice(1)).toEqual([
        { query: 'Who won the match?', max_results: 3 },
        ...Array<JsonObject>(3).fill({ query: 'match result', max_results: 3 }),
      ]);
      cookbook.ledger.always('/tavily/search', { status: 401 });
      expect(await cookbook.run(agent, input)).toMatchObject({ status: 'failed', error: { code: 'tool_error' } });
    });

    it('passes its evaluation', async () => {
      cookbook.models.always((request) => {
        if (kindOf(request) === 'route') return turn({ source: 'web' });
        return kindOf(request) === 'check' ? turn({ supported: true, useful: true }) : { text: 'The Reds won.' };
      });
      expect((await cookbook.evaluate(agent)).failed).toEqual([]);
    });
  });
});
