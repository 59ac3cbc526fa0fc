import { Injectable } from '@nestjs/common';
import {
  type AuthorizationAnswer,
  type AuthorizationQuestion,
  AuthorizationsService,
  ConnectionAuthorizationsService,
  type OpenAuthorization,
} from '@app/connections';
import { DomainError } from '@app/kernel';
import { KnowledgeBasesService, SourceAuthorizationsService } from '@app/knowledge';
import { type Principal, WorkspaceStore } from '@app/workspace';

export interface Authorized {
  kind: 'source' | 'connection';
  id: string;
  title: string;
}

/** What a person is asked to allow, and who asks. */
export interface OpenQuestion extends AuthorizationQuestion {
  kind: Authorized['kind'];
  /** Name of the workspace. */
  workspace: string;
  /** E-mail address of the member who requested the authorisation. */
  requestedBy: string;
}

/** Carries out the authorisations of both sources and connections, which use the same routes. */
@Injectable()
export class OauthFlowsService {
  constructor(
    private readonly authorizations: AuthorizationsService,
    private readonly sources: SourceAuthorizationsService,
    private readonly connections: ConnectionAuthorizationsService,
    private readonly bases: KnowledgeBasesService,
    private readonly workspaces: WorkspaceStore,
  ) {}

  /**
   * Returns what the person is asked to allow. The authorisation does not begin before the person agrees.
   * @param member the member who is signed in in the browser
   * @throws DomainError `wrong_session` if another member is signed in, `invalid_request` if the state is invalid,
   * `not_found`, `unavailable`
   */
  async ask(state: string, member: Principal | undefined): Promise<OpenQuestion> {
    const open = await this.authorizations.findAuthorization(state);
    assertRequester(open, member);
    return this.questionOf(open, state);
  }

  /** Ends the authorisation, so that the link no longer works. @throws DomainError as {@link ask} */
  async cancel(state: string): Promise<OpenQuestion> {
    return this.questionOf(await this.authorizations.takeAuthorization(state), state);
  }

  /**
   * Exchanges the code from the provider for tokens. The state cannot be used again, even if the exchange fails.
   * @throws DomainError `invalid_request` if the state is invalid, another browser began the authorisation, the person
   * denied access, or the provider rejects the code; `unavailable` if the provider cannot be reached; `not_found` if
   * the knowledge base, source or connection is deleted
   */
  async finish(answer: AuthorizationAnswer): Promise<Authorized> {
    const open = await this.authorizations.takeAuthorization(answer.state);
    return kindOf(open) === 'source'
      ? { kind: 'source', ...(await this.sources.finish(open, answer)) }
      : { kind: 'connection', ...(await this.connections.finish(open, answer)) };
  }

  private async questionOf(open: OpenAuthorization, state: string): Promise<OpenQuestion> {
    const { workspaceId, knowledgeBaseId, requestedBy } = open.pending;
    const question =
      knowledgeBaseId === null
        ? await this.connections.begin(open, state)
        : this.sources.begin(open, state, (await this.bases.get(workspaceId, knowledgeBaseId)).name);
    const { name: workspace } = await this.workspaces.get(workspaceId);
    return { ...question, kind: kindOf(open), workspace, requestedBy };
  }
}

function kindOf({ pending }: OpenAuthorization): Authorized['kind'] {
  return pending.connectionId === null ? 'source' : 'connection';
}

/** A person must not give an account to another member by mistake. A browser without a session shows only the page. */
function assertRequester({ pending }: OpenAuthorization, member: Principal | undefined): void {
  if (!member || (member.workspaceId === pending.workspaceId && member.email === pending.requestedBy)) return;
  const detail = `You are signed in as ${member.email} in the workspace ${member.workspaceName}, but ${pending.requestedBy} requested this authorisation, or requested it in another workspace.`;
  throw new DomainError('wrong_session', detail);
}
