import { ApiBody, ApiParam } from '@nestjs/swagger';
import { JSON_BODY_PROBLEMS, PAGE_PROBLEMS } from '../openapi/described-parts.js';
import { Operation } from '../openapi/operation.decorator.js';
import {
  ChangeGroupBody,
  ChangeMemberBody,
  CreateGroupBody,
  CreateMemberBody,
  GroupResource,
  MemberResource,
} from './member.dto.js';

const MEMBER_ID = ApiParam({ name: 'id', description: 'The member.', schema: { type: 'string' } });
const GROUP_NAME = ApiParam({ name: 'name', description: 'The group.', schema: { type: 'string' } });

/** How the routes of members are described, by handler. */
export const MEMBER_OPERATIONS = {
  list: Operation({
    id: 'listMembers',
    tag: 'Workspace',
    summary: 'List members',
    answers: [{ description: 'One page of members.', type: MemberResource, list: true }],
    problems: PAGE_PROBLEMS,
  }),
  create: Operation(
    {
      id: 'createMember',
      repeatable: true,
      tag: 'Workspace',
      summary: 'Add a member',
      answers: [
        { status: 201, description: 'The member.', type: MemberResource, headers: { Location: 'The member.' } },
      ],
      problems: [...JSON_BODY_PROBLEMS, 'name_taken'],
    },
    ApiBody({ type: CreateMemberBody, required: true }),
  ),
  get: Operation(
    {
      id: 'getMember',
      tag: 'Workspace',
      summary: 'A member',
      answers: [{ description: 'The member.', type: MemberResource }],
      problems: ['not_found'],
    },
    MEMBER_ID,
  ),
  change: Operation(
    {
      id: 'changeMember',
      tag: 'Workspace',
      summary: "Change a member's role",
      description: 'Their keys may do no more than the new role, at once (in a fleet within 10 seconds).',
      answers: [{ description: 'The member.', type: MemberResource }],
      problems: [...JSON_BODY_PROBLEMS, 'not_found', 'last_admin'],
    },
    MEMBER_ID,
    ApiBody({ type: ChangeMemberBody, required: true }),
  ),
  remove: Operation(
    {
      id: 'removeMember',
      tag: 'Workspace',
      summary: 'Remove a member',
      description: 'With their keys, which are dead at once (in a fleet within 10 seconds), and from every group.',
      answers: [{ status: 204, description: 'Removed.' }],
      problems: ['not_found', 'last_admin'],
    },
    MEMBER_ID,
  ),
};

/** How the routes of groups are described, by handler. */
export const GROUP_OPERATIONS = {
  list: Operation({
    id: 'listGroups',
    tag: 'Workspace',
    summary: 'List groups',
    answers: [{ description: 'One page of groups.', type: GroupResource, list: true }],
    problems: PAGE_PROBLEMS,
  }),
  create: Operation(
    {
      id: 'createGroup',
      repeatable: true,
      tag: 'Workspace',
      summary: 'Make a group',
      answers: [{ status: 201, description: 'The group.', type: GroupResource, headers: { Location: 'The group.' } }],
      problems: [...JSON_BODY_PROBLEMS, 'name_taken', 'unknown_reference'],
    },
    ApiBody({ type: CreateGroupBody, required: true }),
  ),
  get: Operation(
    {
      id: 'getGroup',
      tag: 'Workspace',
      summary: 'A group',
      answers: [{ description: 'The group.', type: GroupResource }],
      problems: ['not_found'],
    },
    GROUP_NAME,
  ),
  change: Operation(
    {
      id: 'changeGroup',
      tag: 'Workspace',
      summary: "Replace a group's members",
      answers: [{ description: 'The group.', type: GroupResource }],
      problems: [...JSON_BODY_PROBLEMS, 'not_found', 'unknown_reference'],
    },
    GROUP_NAME,
    ApiBody({ type: ChangeGroupBody, required: true }),
  ),
  remove: Operation(
    {
      id: 'deleteGroup',
      tag: 'Workspace',
      summary: 'Delete a group',
      description: 'What names it afterwards names nobody.',
      answers: [{ status: 204, description: 'Deleted.' }],
      problems: ['not_found'],
    },
    GROUP_NAME,
  ),
};
