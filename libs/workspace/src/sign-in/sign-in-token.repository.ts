import { type Statement, Statements, type Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { type CliGrants, SignInTokenEntity, type SignInTokenKind } from './sign-in-token.entity.js';

export interface TokenOwner {
  workspaceId: string;
  memberId: string;
  email: string;
  kind: SignInTokenKind;
}

export interface MailedCode extends TokenOwner {
  hash: Buffer;
  codeMac: Buffer;
}

export type NewSignInToken = Pick<SignInTokenEntity, 'hash' | 'kind' | 'workspaceId' | 'memberId' | 'expiresAt'> &
  Partial<Pick<SignInTokenEntity, 'codeMac' | 'browserHash' | 'challenge' | 'grants'>>;

const MAX_WRONG_CODES = 10;
/** Maximum number of wrong codes for one member per day, in all browsers together. */
const MAX_WRONG_CODES_A_DAY = 100;
/** A further mail ends the oldest. */
const MAX_OPEN_MAILS = 5;

// A token is kept for a day after it expires, so that a late use can be recorded in the audit log of the workspace.
const PURGE = `delete from sign_in_tokens
  where workspace_id = $1 and member_id = $2 and expires_at < clock_timestamp() - interval '1 day'`;

const VOID = `update sign_in_tokens set used_at = clock_timestamp()
  where workspace_id = $1 and member_id = $2 and kind = 'invitation' and used_at is null`;

const OWNER = 't.workspace_id as "workspaceId", t.member_id as "memberId", m.email, t.kind';
const IS_LIVE = 't.used_at is null and t.expires_at > clock_timestamp()';

// If a token is used several times concurrently, only one use succeeds. Reads across workspaces, because the token
// determines its workspace.
const USE = `update sign_in_tokens t set used_at = clock_timestamp() from members m
  where t.hash = $1 and t.kind = any ($2) and ${IS_LIVE} and t.wrong_codes <= $3
    and coalesce(t.challenge, '') = $4 and m.workspace_id = t.workspace_id and m.id = t.member_id
  returning ${OWNER}, t.grants`;

const FIND_OWNER: Statement = {
  name: 'workspace.find_sign_in_token_owner',
  text: `select ${OWNER} from sign_in_tokens t
    join members m on m.workspace_id = t.workspace_id and m.id = t.member_id where t.hash = $1`,
};

// Serialises the mails and the attempts of an address, so that each attempt sees the attempts before it.
const TAKE_TURNS = "select pg_advisory_xact_lock(hashtextextended('sign_in:' || $1, 0))";

// Ends the earlier mails of the browser, and the oldest mails of the member beyond the limit.
const VOID_MAILS = `update sign_in_tokens t set used_at = clock_timestamp() from members m
  where t.kind = 'email' and ${IS_LIVE} and m.workspace_id = t.workspace_id and m.id = t.member_id and m.email = $2
    and (t.browser_hash = $1 or t.hash in (
      select o.hash from sign_in_tokens o
        where o.workspace_id = t.workspace_id and o.member_id = t.member_id and o.kind = 'email'
          and o.used_at is null and o.expires_at > clock_timestamp()
        order by o.created_at desc, o.hash offset ${MAX_OPEN_MAILS - 1}))`;

// Counts the attempt before the code is compared, so that concurrent attempts cannot exceed the limit.
const COUNT_CODE = `update sign_in_tokens t set wrong_codes = t.wrong_codes + 1 from members m
  where t.browser_hash = $1 and t.kind = 'email' and ${IS_LIVE} and t.wrong_codes < ${MAX_WRONG_CODES}
    and m.workspace_id = t.workspace_id and m.id = t.member_id and m.email = $2
    and (select coalesce(sum(o.wrong_codes), 0) from sign_in_tokens o
      where o.workspace_id = t.workspace_id and o.member_id = t.member_id and o.kind = 'email'
        and o.created_at > clock_timestamp() - interval '1 day') < ${MAX_WRONG_CODES_A_DAY}
  returning ${OWNER}, t.hash, t.code_mac as "codeMac"`;

@Injectable()
export class SignInTokenRepository {
  constructor(private readonly statements: Statements) {}

  async insert(token: NewSignInToken, { manager }: Transaction): Promise<void> {
    await manager.query(PURGE, [token.workspaceId, token.memberId]);
    await manager.insert(SignInTokenEntity, token);
  }

  async voidInvitations(workspaceId: string, memberId: string, { manager }: Transaction): Promise<void> {
    await manager.query(VOID, [workspaceId, memberId]);
  }

  useLink(hash: Buffer, kinds: readonly SignInTokenKind[], transaction: Transaction): Promise<TokenOwner | undefined> {
    return this.use([hash, kinds, MAX_WRONG_CODES - 1, ''], transaction);
  }

  /** The caller must have counted the attempt with {@link countCode}. */
  useCode(hash: Buffer, transaction: Transaction): Promise<TokenOwner | undefined> {
    return this.use([hash, ['email'], MAX_WRONG_CODES, ''], transaction);
  }

  useAuthorization(
    hash: Buffer,
    challenge: string,
    transaction: Transaction,
  ): Promise<(TokenOwner & { grants: CliGrants | null }) | undefined> {
    return this.use([hash, ['cli'], 0, challenge], transaction);
  }

  async findOwner(hash: Buffer): Promise<TokenOwner | undefined> {
    const [owner] = await this.statements.query<TokenOwner>(FIND_OWNER, [hash]);
    return owner;
  }

  /**
   * Ends the earlier mails that this browser requested for the address, so that one attempt to enter a code is compared
   * with one code.
   */
  async insertMail(
    mail: NewSignInToken & { browserHash: Buffer },
    email: string,
    transaction: Transaction,
  ): Promise<void> {
    await transaction.manager.query(TAKE_TURNS, [email]);
    await transaction.manager.query(VOID_MAILS, [mail.browserHash, email]);
    await this.insert(mail, transaction);
  }

  /**
   * Returns the mail to this address whose code may be entered in this browser. Counts one attempt to enter the code.
   * Attempts of the address wait for each other until their transactions end.
   */
  async countCode(browserHash: Buffer, email: string, { manager }: Transaction): Promise<MailedCode | undefined> {
    await manager.query(TAKE_TURNS, [email]);
    const [[mail]] = await manager.query<[MailedCode[], number]>(COUNT_CODE, [browserHash, email]);
    return mail;
  }

  private async use(
    values: readonly unknown[],
    { manager }: Transaction,
  ): Promise<(TokenOwner & { grants: CliGrants | null }) | undefined> {
    type Used = TokenOwner & { grants: CliGrants | null };
    const [[used]] = await manager.query<[Used[], number]>(USE, [...values]);
    return used;
  }
}
