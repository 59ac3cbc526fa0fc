import type { JsonObject } from '@app/kernel';
import type { Client } from 'pg';
import { Cookbook, type CookbookAgent, json, promptOf } from '../support/cookbook.js';
import type { TurnRequest } from '../support/model-server.js';
import { aGroup, aPerson } from '../support/people.js';
import { aPdf } from '../support/site-server.js';

/** Runs agents of docs/cookbook. The definitions differ from the files only in the addresses of other services. */
describe('the cookbook agent', () => {
  let scene: Cookbook;

  beforeAll(async () => {
    scene = await Cookbook.start();
  });
  afterEach(() => scene.reset());
  afterAll(() => scene.stop());

  const passesItsGate = async (agent: CookbookAgent) =>
    expect(await scene.evaluate(agent)).toMatchObject({ gate: 'passed', failed: expect.any(Array) });

  describe('api-sync', () => {
    let agent: CookbookAgent;
    beforeAll(async () => {
      agent = await scene.create('api-sync');
    });

    it('reads the records after a failed attempt, and separates valid from invalid ones', async () => {
      const ann = { id: 1, name: ' Ann ', email: 'ANN@example.com', website: 'ann.example' };
      scene.ledger.script('/users', { status: 503 }, { body: [ann, { id: 2, name: 'Bo', email: null }] });
      expect(await scene.runTrigger(agent, 'nightly')).toMatchObject({
        status: 'succeeded',
        output: {
          status: 'ok',
          valid: [{ record_id: 1, name: 'Ann', email: 'ann@example.com', source_domain: 'ann.example' }],
          invalid: [{ record_id: 2, email: '', missing_fields: ['email'] }],
        },
      });
      const calls = scene.ledger.callsOf('/users');
      expect(calls.map(({ headers }) => headers.authorization)).toEqual(Array(2).fill('Bearer upstream-token-1'));
    });

    it('returns a failure without credentials as its result', async () => {
      const refused = { status: 401, body: 'bad api_key=abc-123 and upstream-token-1' };
      const down = { status: 500 };
      scene.ledger.script('/users', refused, { body: [] }, down, down, down);
      const { output } = await scene.runTrigger(agent, 'nightly');
      expect(output).toMatchObject({ status: 'failed', error: 'tool_error', retryable: false });
      expect(JSON.stringify(output)).not.toMatch(/abc-123|upstream-token-1/);
      const empty = await scene.runTrigger(agent, 'nightly');
      expect(empty.output).toMatchObject({ status: 'failed', message: expect.stringContaining('EMPTY_RESPONSE') });
      expect((await scene.runTrigger(agent, 'nightly')).output).toMatchObject({ status: 'failed', retryable: true });
      expect(scene.ledger.callsOf('/users')).toHaveLength(5);
    });

    it('passes its evaluation', () => passesItsGate(agent));
  });

  describe('postgres-to-hubspot', () => {
    let agent: CookbookAgent;
    let customers: Client;
    const PATH = '/crm/v3/objects/contacts';
    const contacts = (method: string) =>
      scene.ledger.calls.filter((call) => call.method === method).map(({ body }) => json(body));
    const pollNow = () =>
      scene.stack.query('update poll_watches set due_at = clock_timestamp() where agent_id = $1', [agent.id]);
    const polled = () => scene.polled(agent.id);

    beforeAll(async () => {
      customers = await scene.openDatabase();
    });

    it('creates a contact for each row, also after a failed attempt', async () => {
      await customers.query(
        `create table customers (first_name text, last_name text, email text, phone text, job_title text,
           updated_at timestamptz not null default now())`,
      );
      await customers.query(
        `insert into customers values ('Ann', 'Lee', 'ann@example.com', null, 'CFO'), ('Bo', null, 'bo@example.com', '1', null)`,
      );
      await customers.query(`insert into customers (email) values (null)`);
      scene.ledger.script(PATH, { status: 502 });
      scene.ledger.always(PATH, { status: 201, body: { id: '7' } });
      agent = await scene.create('postgres-to-hubspot');
      const runs = await scene.endedRuns(agent, 2);
      expect(runs.map(({ output }) => output)).toEqual([
        { email: 'ann@example.com', created: true },
        { email: 'bo@example.com', created: true },
      ]);
      const ann = { email: 'ann@example.com', firstname: 'Ann', lastname: 'Lee', phone: null, jobtitle: 'CFO' };
      expect(contacts('POST')).toHaveLength(3);
      expect(contacts('POST')).toContainEqual({ properties: ann });
    });

    it('updates the contact of a changed row once, and starts no run without a change', async () => {
      await polled();
      await customers.query(
        `update customers set job_title = 'CEO', updated_at = now() where email = 'ann@example.com'`,
      );
      scene.ledger.always(PATH, { status: 409, body: { category: 'CONFLICT' } });
      await pollNow();
      const [, , changed] = await scene.endedRuns(agent, 3);
      expect(changed?.output).toEqual({ email: 'ann@example.com', created: false });
      const [update] = scene.ledger.calls.filter(({ method }) => method === 'PATCH');
      expect(update).toMatchObject({ path: `${PATH}/ann%40example.com`, query: 'idProperty=email' });
      expect(json(update?.body)).toMatchObject({ properties: { firstname: 'Ann', jobtitle: 'CEO' } });
      await polled();
      await pollNow();
      await polled();
      expect(await scene.endedRuns(agent, 3)).toHaveLength(3);
    });

    it('passes its evaluation', () => passesItsGate(agent));
  });

  describe('job-application', () => {
    let apply: CookbookAgent;
    let confirm: CookbookAgent;
    const RECORD = 'recAbCdEfGhIjKlMn';
    const TABLE = '/airtable/appCareers00000001/Applications';
    const CV = { text: '{"category": "cv"}' };
    const APPLICATION = {
      email: 'ann@example.com',
      experience: '9',
      cover_letter: 'Dear <Sir>,\nI apply & hope.',
    };

    beforeAll(async () => {
      apply = await scene.create('job-application', {
        'https://api.airtable.com/v0': `${scene.ledger.url}/airtable`,
        'https://content.airtable.com/v0': `${scene.ledger.url}/files`,
      });
      confirm = await scene.create('job-application-confirm', {
        'https://api.airtable.com/v0': `${scene.ledger.url}/airtable`,
      });
    });

    const post = (agent: CookbookAgent, body: FormData | URLSearchParams, secret = 'careers-site-1') =>
      scene.post(agent, body, { 'x-site-secret': secret });
    const form = () => {
      const body = new FormData();
      body.append('name', 'Ann Lee');
      const pdf = new Blob([aPdf('Curriculum vitae').body], { type: 'application/pdf' });
      body.append('cv', pdf, 'ann.pdf');
      return body;
    };

    it('stores the application of a CV, answers with a form, and stores its corrections', async () => {
      scene.ledger.always('/tika', { body: 'Curriculum vitae of Ann Lee' });
      scene.ledger.always(TABLE, { body: { id: RECORD } });
      scene.models.respondWith(CV, { text: JSON.stringify(APPLICATION) });
      const answer = await post(apply, form());
      const page = await answer.text();
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(page).toContain(`value="${RECORD}"`);
      expect(page).toContain('Dear &#60;Sir&#62;,\nI apply &#38; hope.');
      const [tika] = scene.ledger.callsOf('/tika');
      expect(tika).toMatchObject({
        method: 'PUT',
        headers: { 'content-type': 'application/pdf', accept: 'text/plain' },
      });
      expect(tika?.body).toMatch(/^%PDF-1\.4/);
      expect(promptOf(scene.models.requests[0])).toContain('Curriculum vitae of Ann Lee');
      expect(json(scene.ledger.callsOf(TABLE)[0]?.body)).toMatchObject({
        fields: { Name: 'Ann Lee', Email: 'ann@example.com', Education: null, Experience: '9', Status: 'unconfirmed' },
      });
      const [upload] = scene.ledger.callsOf(`/files/appCareers00000001/${RECORD}/CV/uploadAttachment`);
      const { file } = json(upload?.body) as { file: string };
      expect(Buffer.from(file, 'base64').toString('latin1')).toMatch(/^%PDF-1\.4/);

      const corrected = { record: RECORD, name: 'Ann B. Lee', email: 'ann@example.com', cover_letter: 'Dear all' };
      const thanks = await post(confirm, new URLSearchParams(corrected));
      expect([thanks.status, await thanks.text()]).toEqual([200, expect.stringContaining('Thank you')]);
      const [update] = scene.ledger.callsOf(`${TABLE}/${RECORD}`);
      expect(update?.method).toBe('PATCH');
      expect(json(update?.body)).toMatchObject({ fields: { Name: 'Ann B. Lee', Education: '', Status: 'confirmed' } });
    });

    it('answers with the first form again if the document is no CV, and rejects what the site did not send', async () => {
      scene.ledger.always('/tika', { body: 'Invoice 7' });
      scene.models.respondWith({ text: '{"category": "other"}' });
      const answer = await post(apply, form());
      expect([answer.status, await answer.text()]).toEqual([422, expect.stringContaining('choose another file')]);
      expect(scene.ledger.callsOf(TABLE)).toHaveLength(0);
      expect((await post(apply, form(), 'another secret')).status).toBe(401);
      const wrong = new URLSearchParams({ record: '../other', name: 'x', email: 'a@b', cover_letter: 'x' });
      expect((await post(confirm, wrong)).status).toBe(422);
    });

    it('passes its evaluation', async () => {
      const isInvoice = (request: TurnRequest) => promptOf(request).includes('Invoice 2026-17');
      scene.models.always((request) => {
        if (isInvoice(request)) return { text: '{"category": "other"}' };
        return promptOf(request).includes('category') ? CV : { text: JSON.stringify(APPLICATION) };
      });
      await passesItsGate(apply);
    });
  });

  describe('stale-issues', () => {
    let agent: CookbookAgent;
    const PATH = '/projects/group%2Fproject/issues';
    const issue = (iid: number) => ({
      iid,
      title: `Issue ${iid}`,
      web_url: `https://gitlab.com/i/${iid}`,
      updated_at: '2026-01-02T03:04:05Z',
      labels: iid === 101 ? ['bug', 'ui'] : [],
    });
    const of = (method: string) => scene.ledger.callsOf(PATH).filter((call) => call.method === method);

    beforeAll(async () => {
      agent = await scene.create('stale-issues', { 'https://gitlab.com/api/v4': scene.ledger.url });
    });

    it('reads all pages, also after a failed attempt, and lists the issues in a new one', async () => {
      scene.ledger.script(PATH, { status: 500 });
      scene.ledger.always(PATH, {
        body: ({ method, query }) => {
          if (method === 'POST') return { iid: 500 };
          const page = new URLSearchParams(query).get('page');
          return page === '1' ? Array.from({ length: 100 }, (_, n) => issue(n + 1)) : [issue(101)];
        },
      });
      const run = await scene.runTrigger(agent, 'weekly');
      expect(run).toMatchObject({ status: 'succeeded', output: { stale: 101, report: 500 } });
      const reads = of('GET').map(({ query }) => Object.fromEntries(new URLSearchParams(query)));
      expect(reads.map(({ page }) => page)).toEqual(['1', '1', '2']);
      expect(reads[0]).toMatchObject({ state: 'opened', per_page: '100', 'not[labels]': 'triage' });
      const { started_at: started } = run;
      const days = (Date.parse(started) - Date.parse(reads[0]?.updated_before ?? '')) / 86_400_000;
      expect(Math.round(days)).toBe(30);
      const { title, labels, description } = json(of('POST')[0]?.body) as Record<string, string>;
      expect({ title, labels }).toEqual({ title: `Stale issues, ${started.slice(0, 10)}`, labels: 'triage,stale' });
      const lines = description?.trim().split('\n') ?? [];
      expect(lines[0]).toBe('Not updated for 30 days or more:');
      expect(lines).toHaveLength(103);
      expect(lines[102]).toBe('- [#101 Issue 101](https://gitlab.com/i/101), last touched on 2026-01-02 `bug` `ui`');
    });

    it('creates no issue if no issue is stale, and fails if GitLab does not answer', async () => {
      scene.ledger.script(PATH, { body: [] });
      expect(await scene.runTrigger(agent, 'weekly')).toMatchObject({ output: { stale: 0, report: null } });
      scene.ledger.always(PATH, { status: 500 });
      expect(await scene.runTrigger(agent, 'weekly')).toMatchObject({
        status: 'failed',
        error: { code: 'tool_error' },
      });
      expect(of('POST')).toHaveLength(0);
    });

    it('passes its evaluation', () => passesItsGate(agent));
  });

  describe('book-translation', () => {
    let agent: CookbookAgent;
    beforeAll(async () => {
      agent = await scene.create('book-translation');
    });

    /** Returns the response of the translation model: the name of the step and the first word of the source text. */
    const translate = (request: TurnRequest) => {
      const prompt = promptOf(request);
      const [first] = /w\d{4}/.exec(prompt) ?? ['?'];
      if (prompt.includes('technical terms')) return { text: `terms of ${first}` };
      if (prompt.includes('word for word')) return { text: `literal ${first}` };
      if (prompt.includes('List what is wrong')) return { text: `problems of ${first}` };
      return { text: `final ${first}` };
    };

    it('sends overlapping chunks through four prompts, and joins the results', async () => {
      // 1 600 words of five characters, each followed by a space. The agent splits this text into two overlapping
      // chunks. The second one begins at character 7 800.
      const text = Array.from({ length: 1_600 }, (_, n) => `w${String(n).padStart(4, '0')} `).join('');
      scene.models.respondWith({ status: 500 });
      scene.models.always(translate);
      const run = await scene.run(agent, { text });
      expect(run).toMatchObject({ status: 'succeeded', output: { chunks: 2, text: 'final w0000\nfinal w1300' } });
      const last = scene.models.requests.map(promptOf).find((prompt) => prompt.includes('problems of w1300'));
      expect(last).toContain('natural Simplified Chinese');
      expect(last).toContain('terms of w1300');
      expect(last).toContain('literal w1300');
      expect(last).toContain('w1599');
      expect(scene.models.answered).toHaveLength(8);
      expect(run.cost.amount).toBe('0.0016');
    });

    it('fails if the provider refuses the key', async () => {
      scene.models.always({ status: 401 });
      expect(await scene.run(agent, { text: 'w0000' })).toMatchObject({
        status: 'failed',
        error: { code: 'provider_error' },
      });
    });

    it('passes its evaluation', async () => {
      scene.models.always({ text: 'Führen Sie zuerst `npm install` aus.' });
      await passesItsGate(agent);
    });
  });

  describe('rss-digest', () => {
    let agent: CookbookAgent;
    const DIGEST = 'Postgres 19 is released: https://a.example/2';

    beforeAll(async () => {
      agent = await scene.create('rss-digest', {
        'https://techcrunch.com/feed/': `${scene.site.url}/rss`,
        'https://hnrss.org/frontpage': `${scene.site.url}/atom`,
        'https://www.wired.com/feed/rss': `${scene.site.url}/down`,
        'https://news.google.com/rss': `${scene.site.url}/html`,
        'techcrunch.com, hnrss.org, www.wired.com, news.google.com': '127.0.0.1',
      });
    });

    it('sends a digest of the new articles to Slack and by mail, although two feeds cannot be read', async () => {
      scene.serveFeeds(3);
      scene.models.respondWith({ text: DIGEST });
      expect(await scene.runTrigger(agent, 'morning')).toMatchObject({
        status: 'succeeded',
        output: { articles: 2, unread: [`${scene.site.url}/down`, `${scene.site.url}/html`] },
      });
      const prompt = promptOf(scene.models.requests[0]);
      for (const part of ['News of RSS', 'https://a.example/2', 'News of Atom', 'https://a.example/3'])
        expect(prompt).toContain(part);
      expect(prompt).not.toContain('Too old');
      expect(json(scene.ledger.callsOf('/slack')[0]?.body)).toEqual({ text: DIGEST });
      expect(scene.mail.mails).toMatchObject([{ to: ['digest@example.com'] }]);
      expect(scene.mail.mails[0]?.raw).toContain(DIGEST);
      expect(scene.site.answered(500)).toHaveLength(3);
    });

    it('sends nothing on a day without news, and fails if no feed can be read', async () => {
      scene.serveFeeds(72);
      expect(await scene.runTrigger(agent, 'morning')).toMatchObject({ status: 'succeeded', output: { articles: 0 } });
      scene.site.clear();
      expect(await scene.runTrigger(agent, 'morning')).toMatchObject({
        status: 'failed',
        error: { code: 'assertion_failed', step: 'some' },
      });
      expect(scene.models.requests).toHaveLength(0);
      expect([...scene.ledger.calls, ...scene.mail.mails]).toEqual([]);
    });

    it('passes its evaluation', async () => {
      scene.models.always({ text: DIGEST });
      await passesItsGate(agent);
    });
  });

  describe('executive-assistant', () => {
    let agent: CookbookAgent;
    const EVENTS = '/calendars/primary/events';
    const TRIAGE = { text: '{"response": "answer"}' };
    const sent = (text: string) => ({
      calls: [
        { name: 'mail_send', input: { to: 'ann@example.com', subject: 'Re: Lunch', text, in_reply_to: '<m1@x>' } },
      ],
    });
    const done = (learned: string[] = []) => ({ text: JSON.stringify({ outcome: 'Answered.', learned }) });
    const receive = (id: string, subject: string) =>
      scene.sender.sendUntilTaken({
        from: 'ann@example.com',
        to: 'assistant@example.com',
        subject,
        text: 'Are you free for lunch on 3 March?',
        messageId: id,
      });

    beforeAll(async () => {
      await aPerson(scene.stack, 'olga@example.com');
      await aGroup(scene.stack, 'owner', ['olga@example.com', 'admin@example.com']);
      await scene.create('executive-assistant-question');
      await scene.connect('google-calendar', ['name:executive-assistant']);
      agent = await scene.create('executive-assistant', {
        'https://www.googleapis.com/calendar/v3': `${scene.oauth.url}/api`,
      });
    });

    it('asks the owner, sends the draft as the owner changed it, and remembers what it learned', async () => {
      scene.oauth.json(EVENTS, () => ({ items: [{ summary: 'Board meeting' }] }));
      const look = { calls: [{ name: 'calendar_events', input: { day: '2026-03-03' } }] };
      const ask = { calls: [{ name: 'owner_run', input: { question: 'Do you want to have lunch with Ann?' } }] };
      scene.models.respondWith(TRIAGE, look, ask, sent('Yes, at noon.'), done(['Lunch is never before one.']));
      await receive('<m1@x>', 'Lunch');
      await scene.decide({ kind: 'question' }, { decision: 'answer', answer: { answer: 'Yes, but late.' } });
      const { request: draft } = await scene.decide(
        { kind: 'tool_call' },
        {
          decision: 'edit',
          request: { to: 'ann@example.com', subject: 'Re: Lunch', text: 'Yes, at one.', in_reply_to: '<m1@x>' },
        },
      );
      expect(draft).toMatchObject({ text: 'Yes, at noon.' });
      expect(await scene.decide({ kind: 'tool_call' }, { decision: 'approve' })).toMatchObject({
        request: { value: ['Lunch is never before one.'] },
      });
      const [run] = await scene.endedRuns(agent, 1);
      expect(run).toMatchObject({ status: 'succeeded', output: { response: 'answer', outcome: 'Answered.' } });
      const [listed] = scene.oauth.asked;
      expect(Object.fromEntries(new URLSearchParams(listed?.split('?')[1]))).toEqual({
        timeMin: '2026-03-03T00:00:00Z',
        timeMax: '2026-03-03T23:59:59Z',
        singleEvents: 'true',
        orderBy: 'startTime',
      });
      expect(scene.mail.mails).toMatchObject([{ to: ['ann@example.com'], headers: { 'in-reply-to': '<m1@x>' } }]);
      expect(scene.mail.mails[0]?.raw).toContain('Yes, at one.');
      expect(promptOf(scene.models.requests[3])).toContain('Yes, but late.');
    });

    it('sends nothing that the owner rejects, and knows what it learned before', async () => {
      scene.models.respondWith(TRIAGE, sent('Of course!'), done());
      await receive('<m2@x>', 'Lunch again');
      await scene.decide({ kind: 'tool_call' }, { decision: 'reject', comment: 'Do not answer her.' });
      const [, run] = await scene.endedRuns(agent, 2);
      expect(run).toMatchObject({ status: 'succeeded', output: { outcome: 'Answered.' } });
      const [triage, , after] = scene.models.requests.map(promptOf);
      expect(triage).toContain('Lunch is never before one.');
      expect(after).toContain('Do not answer her.');
      expect(scene.mail.mails).toEqual([]);
    });

    it('passes its evaluation', async () => {
      scene.models.always((request) => {
        if (promptOf(request).includes('newsletter click')) return { text: '{"response": "no"}' };
        return request.tools.length === 0 ? TRIAGE : sent('Yes.');
      });
      await passesItsGate(agent);
    });
  });

  describe('supervisor', () => {
    let agent: CookbookAgent;
    beforeAll(async () => {
      await scene.create('supervisor-calculator');
      await scene.create('supervisor-math');
      await scene.create('supervisor-research', { 'https://api.search.brave.com/res/v1': scene.ledger.url });
      agent = await scene.create('supervisor');
    });

    const call = (name: string, input: JsonObject) => ({ calls: [{ name, input }] });
    const QUESTION = { question: 'How many employees do Apple and Netflix have together?' };
    const find = call('research_run', { task: 'Employees of Apple and Netflix' });
    const search = call('web_search', { q: 'employees Apple Netflix' });

    it('lets one expert search and the other one calculate, and pays for both', async () => {
      scene.ledger.always('/web/search', { body: { results: ['Apple 164000', 'Netflix 14000'] } });
      const add = call('calculator_run', { operation: 'add', numbers: [164_000, 14_000] });
      const found = { text: 'Apple has 164000 employees, Netflix has 14000.' };
      const calculate = call('math_run', { task: 'Add 164000 and 14000.' });
      scene.models.respondWith(find, search, found, calculate, add, { text: '178000' }, { text: 'It is 178000.' });
      const run = await scene.run(agent, QUESTION);
      expect(run).toMatchObject({ status: 'succeeded', output: { text: 'It is 178000.' }, cost: { amount: '0.0014' } });
      expect(scene.ledger.callsOf('/web/search')).toMatchObject([
        { query: 'q=employees+Apple+Netflix', headers: { 'x-subscription-token': 'brave-token-1' } },
      ]);
      const prompts = scene.models.requests.map(promptOf);
      expect(prompts[2]).toContain('Apple 164000');
      expect(prompts[3]).toContain('Netflix has 14000.');
      expect(prompts[5]).toContain('178000');
    });

    it('learns from the expert that the search does not work', async () => {
      scene.ledger.always('/web/search', { status: 500 });
      scene.models.respondWith(find, search, { text: 'The search does not work.' }, { text: 'I do not know.' });
      const run = await scene.run(agent, QUESTION);
      expect(run).toMatchObject({ status: 'succeeded', output: { text: 'I do not know.' } });
      const prompts = scene.models.requests.map(promptOf);
      expect(prompts[2]).toContain('500');
      expect(prompts[3]).toContain('The search does not work.');
    });

    it('passes its evaluation', async () => {
      scene.models.always((request) => {
        const prompt = promptOf(request);
        if (prompt.includes('178000')) return { text: 'They have 178000 employees.' };
        return prompt.includes('Netflix has 14000') ? call('math_run', { task: 'Add 164000 and 14000.' }) : find;
      });
      await passesItsGate(agent);
    });
  });
});
