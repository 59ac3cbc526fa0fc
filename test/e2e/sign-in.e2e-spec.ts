import { createHash, randomBytes } from 'node:crypto';
import { simpleParser } from 'mailparser';
import { DataSource } from 'typeorm';
import { PrintedLinksService } from '@app/workspace';
import { startApi, type TestApi } from '../support/api.js';
import type { TestTenant } from '../support/http-api.js';
import { ConsoleClient } from '../support/console-client.js';
import { eventually } from '../support/eventually.js';
import { MailServer } from '../support/mail-server.js';

describe('sign-in', () => {
  let api: TestApi;
  let relay: MailServer;
  let tenant: TestTenant;
  let email: string;
  let member: string;

  beforeAll(async () => {
    relay = await MailServer.start();
    api = await startApi({
      env: { RATE_LIMIT_SIGN_IN: '0', SMTP_RELAY_URL: relay.url, PUBLIC_URL: 'http://aas.test' },
    });
  });
  beforeEach(async () => {
    relay.reset();
    tenant = await api.newTenant();
    email = `${randomBytes(4).toString('hex')}@example.com`;
    member = (await call('POST', '/v1/members', { email, role: 'operator' })).body.id;
  });
  afterAll(async () => {
    await api.close();
    await relay.close();
  });

  const call = (method: string, path: string, body?: unknown) => api.call(method, path, { key: tenant.adminKey, body });
  const query = <T>(sql: string, values: unknown[]): Promise<T> =>
    api.app.get(DataSource, { strict: false }).query<T>(sql, values);
  const aConsole = () => new ConsoleClient(api);
  const tokenOf = (url: string): string => url.slice(url.indexOf('#') + 1);
  const invite = async () => (await call('POST', `/v1/members/${member}/invitations`)).body;
  const auditOf = async (action: string): Promise<Record<string, unknown>[]> =>
    (await call('GET', `/v1/audit-events?action=${action}`)).body.data;
  const refusal = ({ status, body }: { status: number; body: { code: string } }) => `${status} ${body.code}`;

  /** Returns the last mail to the address: its text, its code and the token of its link. */
  const mailTo = async (address: string): Promise<{ text: string; code: string; token: string }> => {
    const raw = await eventually(() => {
      const mail = relay.mails.findLast(({ to }) => to.includes(address));
      expect(mail).toBeDefined();
      return mail?.raw ?? '';
    });
    const { text = '' } = await simpleParser(raw);
    const codes = text.match(/\d{6,}/g) ?? [];
    expect(codes).toEqual([expect.stringMatching(/^\d{6}$/)]);
    const link = /http:\/\/aas\.test\/console\/sign-in#([A-Za-z0-9_-]{43})\s/.exec(text);
    expect(text.indexOf(codes[0] ?? '')).toBeLessThan(link?.index ?? 0);
    relay.reset();
    return { text, code: codes[0] ?? '', token: link?.[1] ?? '' };
  };
  const askMail = async (page = aConsole(), address = email) => {
    expect((await page.call('POST', '/auth/email', { email: address })).status).toBe(204);
    return { page, mail: await mailTo(address) };
  };
  const another = (code: string): string => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

  describe('by the link of the command line', () => {
    const printed = () => api.app.get(PrintedLinksService, { strict: false }).createFor(email);

    it('works once, and only by POST', async () => {
      const { token } = await printed();
      expect((await aConsole().call('GET', '/auth/link')).status).toBe(405);
      const page = aConsole();
      const answer = await page.call('POST', '/auth/link', { token });
      expect(answer).toMatchObject({ status: 200, body: { member: email, role: 'operator', key: null } });
      expect(answer.body.session.method).toBe('link');
      expect((await page.call('GET', '/v1/me')).body).toEqual(answer.body);
      expect(refusal(await aConsole().call('POST', '/auth/link', { token }))).toBe('401 invalid_sign_in');
      expect(await auditOf('session.began')).toMatchObject([{ actor: email, detail: { method: 'link' } }]);
      expect(await auditOf('session.refused')).toMatchObject([{ actor: email, detail: { method: 'link' } }]);
    });

    it('works for one of several who use it at the same time', async () => {
      const { token } = await printed();
      const tries = await Promise.all(
        Array.from({ length: 6 }, () => aConsole().call('POST', '/auth/link', { token })),
      );
      expect(tries.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401, 401]);
    });

    it('expires after 15 minutes, with the answer of an unknown link', async () => {
      const { token } = await printed();
      await api.execute(`update sign_in_tokens set expires_at = expires_at - interval '15 minutes'`);
      const [late, unknown] = [token, randomBytes(32).toString('base64url')].map((each) =>
        aConsole().call('POST', '/auth/link', { token: each }),
      );
      const answers = await Promise.all([late, unknown]);
      const texts = answers.map((answer) => JSON.stringify({ ...answer?.body, request_id: '' }));
      expect(texts[0]).toBe(texts[1]);
      expect(answers[0]?.body.code).toBe('invalid_sign_in');
    });
  });

  describe('by an invitation', () => {
    it('is mailed, works once, and records the invitation', async () => {
      const { url, mailed, expires_at: expiresAt } = await invite();
      expect(mailed).toBe(true);
      expect(url).toMatch(/^http:\/\/aas\.test\/console\/sign-in#[A-Za-z0-9_-]{43}$/);
      const days = (new Date(expiresAt).getTime() - Date.now()) / 86_400_000;
      expect(Math.round(days)).toBe(7);
      const { text } = await simpleParser(relay.mails[0]?.raw ?? '');
      expect(text).toContain(url);
      const lastSignedIn = async () => (await call('GET', `/v1/members/${member}`)).body.last_signed_in_at;
      expect(await lastSignedIn()).toBeNull();
      const answer = await aConsole().call('POST', '/auth/link', { token: tokenOf(url) });
      expect(answer.body.session.method).toBe('invitation');
      expect(await lastSignedIn()).toMatch(/^\d{4}-.*Z$/);
      expect(refusal(await aConsole().call('POST', '/auth/link', { token: tokenOf(url) }))).toBe('401 invalid_sign_in');
      expect(await auditOf('member.invited')).toMatchObject([{ target: member, detail: { email } }]);
      expect(JSON.stringify(await auditOf('member.invited'))).not.toContain(tokenOf(url));
    });

    it('is void after the next one', async () => {
      const [first, second] = [await invite(), await invite()];
      expect((await aConsole().call('POST', '/auth/link', { token: tokenOf(first.url) })).status).toBe(401);
      expect((await aConsole().call('POST', '/auth/link', { token: tokenOf(second.url) })).status).toBe(200);
    });

    it('ends with the member, and is for members of the workspace only', async () => {
      const { url } = await invite();
      const other = await api.newTenant();
      const path = `/v1/members/${member}/invitations`;
      expect((await api.call('POST', path, { key: other.adminKey })).status).toBe(404);
      await call('DELETE', `/v1/members/${member}`);
      expect((await aConsole().call('POST', '/auth/link', { token: tokenOf(url) })).status).toBe(401);
    });

    it('is reported as not mailed if the relay refuses it', async () => {
      relay.behaviour = { refuse: 550 };
      expect((await invite()).mailed).toBe(false);
    });
  });

  describe('by e-mail', () => {
    it('works with the code in the browser that asked', async () => {
      const { page, mail } = await askMail();
      const elsewhere = await aConsole().call('POST', '/auth/email/verify', { email, code: mail.code });
      expect(refusal(elsewhere)).toBe('401 invalid_sign_in');
      const answer = await page.call('POST', '/auth/email/verify', {
        email: ` ${email.toUpperCase()}`,
        code: mail.code,
      });
      expect(answer).toMatchObject({ status: 200, body: { member: email, session: { method: 'email' } } });
      expect((await aConsole().call('POST', '/auth/link', { token: mail.token })).status).toBe(401);
      expect((await page.call('POST', '/auth/email/verify', { email, code: mail.code })).status).toBe(401);
    });

    it('works with the link in any browser, which ends the code', async () => {
      const { page, mail } = await askMail();
      const answer = await aConsole().call('POST', '/auth/link', { token: mail.token });
      expect(answer.body.session.method).toBe('email');
      expect((await page.call('POST', '/auth/email/verify', { email, code: mail.code })).status).toBe(401);
    });

    it('ends the code and the link after ten wrong codes', async () => {
      const { page, mail } = await askMail();
      const wrong = another(mail.code);
      for (let tried = 0; tried < 10; tried++) {
        expect((await page.call('POST', '/auth/email/verify', { email, code: wrong })).status).toBe(401);
      }
      expect((await page.call('POST', '/auth/email/verify', { email, code: mail.code })).status).toBe(401);
      expect((await aConsole().call('POST', '/auth/link', { token: mail.token })).status).toBe(401);
      expect(await auditOf('session.refused')).toHaveLength(12);
    });

    it('allows nine wrong codes, also at the same time', async () => {
      const { page, mail } = await askMail();
      const verify = (code: string) => page.call('POST', '/auth/email/verify', { email, code });
      await Promise.all(Array.from({ length: 9 }, () => verify(another(mail.code))));
      expect((await verify(mail.code)).status).toBe(200);
    });

    it('ends the earlier mails to the browser with each further mail', async () => {
      const { page, mail: first } = await askMail();
      const { mail: second } = await askMail(page);
      expect((await aConsole().call('POST', '/auth/link', { token: first.token })).status).toBe(401);
      expect((await page.call('POST', '/auth/email/verify', { email, code: first.code })).status).toBe(401);
      expect((await page.call('POST', '/auth/email/verify', { email, code: second.code })).status).toBe(200);
    });

    it('keeps five mails to different browsers, and ends the oldest with a further one', async () => {
      const asked: Awaited<ReturnType<typeof askMail>>[] = [];
      while (asked.length < 6) asked.push(await askMail());
      const verify = async ({ page, mail }: (typeof asked)[number]) =>
        (await page.call('POST', '/auth/email/verify', { email, code: mail.code })).status;
      expect(await Promise.all(asked.map(verify))).toEqual([401, 200, 200, 200, 200, 200]);
    });

    it('counts each wrong code once, also at the same time, up to the limit of the member', async () => {
      const countOf = async (): Promise<number> => {
        const sum = 'select sum(wrong_codes)::int as n from sign_in_tokens where member_id = $1';
        return (await query<{ n: number }[]>(sum, [member]))[0]?.n ?? 0;
      };
      const asked = [await askMail(), await askMail(), await askMail(), await askMail()];
      const guess = ({ page, mail }: (typeof asked)[number]) =>
        page.call('POST', '/auth/email/verify', { email, code: another(mail.code) });
      await Promise.all([...asked, ...asked].map(guess));
      expect(await countOf()).toBe(8);
      await query(
        `insert into sign_in_tokens (hash, kind, workspace_id, member_id, expires_at, code_mac, browser_hash, wrong_codes)
          select '', 'email', workspace_id, id, clock_timestamp(), '', '', 90 from members where id = $1`,
        [member],
      );
      // All attempts begin before the first one is counted.
      const waiting = 'select count(*)::int as n from pg_locks where not granted';
      const guesses = await api.app.get(DataSource, { strict: false }).transaction(async (manager) => {
        await manager.query('select from sign_in_tokens where member_id = $1 for update', [member]);
        const sent = asked.map(guess);
        await eventually(async () =>
          expect((await manager.query<{ n: number }[]>(waiting))[0]?.n).toBeGreaterThanOrEqual(asked.length),
        );
        return sent;
      });
      await Promise.all(guesses);
      expect(await countOf()).toBe(100);
      const rights = asked.map(({ page, mail }) => page.call('POST', '/auth/email/verify', { email, code: mail.code }));
      expect((await Promise.all(rights)).map(({ status }) => status)).toEqual([401, 401, 401, 401]);
    });

    it('sends nothing to an unknown address, with the same answer', async () => {
      const page = aConsole();
      const unknown = await page.call('POST', '/auth/email', { email: 'who@example.com' });
      expect(unknown.status).toBe(204);
      expect(unknown.headers.getSetCookie()).toEqual([expect.stringMatching(/^aas_sign_in=/)]);
      await askMail();
      expect(relay.mails).toEqual([]);
      expect(refusal(await page.call('POST', '/auth/email', { email: 'not an address' }))).toBe('400 invalid_request');
    });

    it('goes to the workspace that the person used last, and switches to the others', async () => {
      const other = await api.newTenant();
      await api.call('POST', '/v1/members', { key: other.adminKey, body: { email, role: 'admin' } });
      const first = await askMail();
      const signedIn = await first.page.call('POST', '/auth/email/verify', { email, code: first.mail.code });
      expect(signedIn.body.workspace.id).toBe(tenant.workspaceId);
      expect(signedIn.body.workspaces).toMatchObject([
        { id: tenant.workspaceId, current: true },
        { id: other.workspaceId, current: false },
      ]);
      const { cookieHeader } = first.page;
      const switched = await first.page.call('POST', '/v1/sessions/switch', { workspace: other.workspaceId });
      expect(switched).toMatchObject({ status: 200, body: { role: 'admin', workspace: { id: other.workspaceId } } });
      expect(switched.body.session.expires_at).toBe(signedIn.body.session.expires_at);
      const previous = await aConsole().call('GET', '/v1/me', undefined, { Cookie: cookieHeader });
      expect(refusal(previous)).toBe('401 invalid_session');
      const again = await askMail();
      const next = await again.page.call('POST', '/auth/email/verify', { email, code: again.mail.code });
      expect(next.body.workspace.id).toBe(other.workspaceId);
      const stranger = await api.newTenant();
      const refused = await again.page.call('POST', '/v1/sessions/switch', { workspace: stranger.workspaceId });
      expect(refusal(refused)).toBe('404 not_found');
    });
  });

  describe('of a command line', () => {
    const verifier = randomBytes(32).toString('base64url');
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const authorize = async (key = tenant.adminKey) => {
      const page = aConsole();
      await page.signIn(key);
      const { status, body } = await page.call('POST', '/auth/cli', { challenge, name: 'laptop' });
      expect(status).toBe(200);
      return body.code as string;
    };
    const redeem = (code: string, proof = verifier) =>
      api.call('POST', '/auth/cli/token', { body: { code, verifier: proof } });

    it('gets a key with the role of the person, once', async () => {
      const code = await authorize(await tenant.key('builder'));
      expect(refusal(await redeem(code, randomBytes(32).toString('base64url')))).toBe('401 invalid_sign_in');
      const { status, body } = await redeem(code);
      expect(status).toBe(200);
      expect(body.key).toMatchObject({ name: 'CLI on laptop', role: 'builder', kind: 'live', scopes: null });
      const days = (new Date(body.key.expires_at).getTime() - Date.now()) / 86_400_000;
      expect(Math.round(days)).toBe(90);
      const me = await api.call('GET', '/v1/me', { key: body.api_key });
      expect(me.body).toMatchObject({ member: 'builder@example.com', key: { name: 'CLI on laptop' } });
      expect(refusal(await redeem(code))).toBe('401 invalid_sign_in');
    });

    it('gets no more than the key of the session has', async () => {
      const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
      const scopes = ['agents:read'];
      const wanted = { name: 'k', kind: 'test', role: 'viewer', member: 'admin@example.com', scopes };
      const made = await call('POST', '/v1/api-keys', { ...wanted, expires_at: expiresAt });
      const { body } = await redeem(await authorize(made.body.key));
      expect(body.key).toMatchObject({ role: 'viewer', kind: 'test', scopes, expires_at: expiresAt });
    });

    describe('in the session of a key', () => {
      const statusOf = async (key: string): Promise<number> => (await api.call('GET', '/v1/me', { key })).status;
      const aKey = async (): Promise<{ id: string; key: string }> => {
        const body = { name: 'k', kind: 'live', role: 'operator', member: 'admin@example.com' };
        return (await call('POST', '/v1/api-keys', body)).body;
      };
      const keyOfCli = async (key: string) => (await redeem(await authorize(key))).body;

      it('loses its key when that key is revoked, as do the keys that it authorised itself', async () => {
        const { id, key } = await aKey();
        const child = await keyOfCli(key);
        const grandchild = await keyOfCli(child.api_key);
        const pending = await authorize(key);
        expect(await Promise.all([child, grandchild].map((each) => statusOf(each.api_key)))).toEqual([200, 200]);
        expect((await call('DELETE', `/v1/api-keys/${id}`)).status).toBe(204);
        expect(await Promise.all([child, grandchild].map((each) => statusOf(each.api_key)))).toEqual([401, 401]);
        expect(refusal(await redeem(pending))).toBe('401 invalid_sign_in');
        const deleted = (await auditOf('api_key.delete')).map(({ target }) => target);
        expect(deleted.sort()).toEqual([id, child.key.id, grandchild.key.id].sort());
      });

      it('keeps its key for the grace time of a rotation', async () => {
        const { id, key } = await aKey();
        const child = await keyOfCli(key);
        const rotate = (grace: number) => call('POST', `/v1/api-keys/${id}/rotate`, { grace_seconds: grace });
        const rotated = (await rotate(3_600)).body;
        expect(await statusOf(child.api_key)).toBe(200);
        const { expires_at: expiresAt } = (await call('GET', `/v1/api-keys/${child.key.id}`)).body;
        expect(new Date(expiresAt).getTime()).toBeLessThanOrEqual(Date.now() + 3_600_000);
        const late = await keyOfCli(key);
        expect(new Date(late.key.expires_at).getTime()).toBeLessThanOrEqual(Date.now() + 3_600_000);
        const current = await keyOfCli(rotated.key);
        await rotate(0);
        const texts = [key, child.api_key, late.api_key, rotated.key, current.api_key];
        expect(await Promise.all(texts.map(statusOf))).toEqual(texts.map(() => 401));
      });

      it('keeps its key when another key of the member is revoked', async () => {
        const [{ key }, other] = [await aKey(), await aKey()];
        const child = await keyOfCli(key);
        await call('DELETE', `/v1/api-keys/${other.id}`);
        expect(await statusOf(child.api_key)).toBe(200);
      });
    });

    it('gets no key after the session has ended', async () => {
      const page = aConsole();
      const { url } = await invite();
      await page.call('POST', '/auth/link', { token: tokenOf(url) });
      const { body } = await page.call('POST', '/auth/cli', { challenge, name: 'laptop' });
      await page.call('POST', '/auth/sign-out');
      expect(refusal(await redeem(body.code))).toBe('401 invalid_sign_in');
    });

    it('needs a session with a recent sign-in', async () => {
      expect(refusal(await call('POST', '/auth/cli', { challenge, name: 'x' }))).toBe('403 sign_in_again');
      expect(refusal(await aConsole().call('POST', '/auth/cli', { challenge, name: 'x' }))).toBe('401 missing_api_key');
    });

    it('has a minute', async () => {
      const code = await authorize();
      await api.execute("update sign_in_tokens set expires_at = expires_at - interval '1 minute' where kind = 'cli'");
      expect(refusal(await redeem(code))).toBe('401 invalid_sign_in');
    });
  });

  it('names the ways that are on offer', async () => {
    expect((await api.call('GET', '/auth/methods')).body).toEqual({ methods: ['link', 'key', 'email'] });
  });
});
