import { type InfiniteData, useInfiniteQuery, type UseInfiniteQueryResult } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Page } from '../../../../packages/sdk/src/index.js';
import { AGENT_NAMES } from './agent-names.js';
import { choicesQuery } from './choices-query.js';
import type { KnownOption } from './known-options.js';
import { aas } from './api.js';
import { useRefusal, useCaller } from './session.js';

export interface KnownThings {
  options: readonly KnownOption[];
  /** False while further options exist, or if the person may not list them. */
  isComplete: boolean;
  /** Reads the options that are not loaded yet, page by page. */
  onSearch: () => void;
}

const NONE: readonly never[] = [];

/** Reads the first 100 things, and the others when the person begins to search. */
function useKnown<Item>(
  name: string,
  read: (page: { cursor?: string; limit: number }) => PromiseLike<Page<Item>>,
  optionOf: (item: Item) => KnownOption,
  enabled = true,
): KnownThings {
  return useOptions(useInfiniteQuery({ ...choicesQuery(['known', name], read), enabled }), optionOf);
}

/** Reads the further pages when the person begins to search. */
function useOptions<Item>(
  pages: UseInfiniteQueryResult<InfiniteData<Page<Item>>>,
  optionOf: (item: Item) => KnownOption,
): KnownThings {
  const [isSearching, setSearching] = useState(false);
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage, isSuccess, isError } = pages;
  const isWanted = isSearching && hasNextPage && !isFetchingNextPage && !isError;
  useEffect(() => {
    if (isWanted) void fetchNextPage();
  }, [isWanted, fetchNextPage]);
  return {
    options: data?.pages.flatMap((page) => page.data.map(optionOf)) ?? NONE,
    isComplete: isSuccess && !hasNextPage,
    onSearch: () => setSearching(true),
  };
}

export function useKnownAgents(): KnownThings {
  return useOptions(useInfiniteQuery(AGENT_NAMES), ({ id, name, description }) => ({
    value: id,
    label: name,
    ...(description !== '' && { detail: description }),
  }));
}

/** The members, for people who may list them. */
export function useKnownMembers(): KnownThings {
  return useKnown(
    'members',
    (page) => aas.members.list(page),
    ({ email }) => ({ value: email }),
    useMayManage(),
  );
}

/** The groups, for people who may list them. */
export function useKnownGroups(): KnownThings {
  return useKnown(
    'groups',
    (page) => aas.groups.list(page),
    ({ name, members }) => ({ value: name, detail: members.length === 1 ? '1 member' : `${members.length} members` }),
    useMayManage(),
  );
}

/** The secrets, as references. */
export function useKnownSecrets(): KnownThings {
  const refusal = useRefusal('secrets:write');
  return useKnown(
    'secrets',
    (page) => aas.secrets.list(page),
    ({ name }) => ({ value: `\${{ secrets.${name} }}`, label: name }),
    useCaller() !== undefined && refusal === null,
  );
}

function useMayManage(): boolean {
  const refusal = useRefusal('members:manage');
  return useCaller() !== undefined && refusal === null;
}

/** Texts with the form of an e-mail address. The API checks them completely. */
export const EMAILS = {
  form: 'an e-mail address such as ada@example.com',
  read: (text: string): string | undefined => (/^[^\s@]+@[^\s@]+$/.test(text) ? text : undefined),
};
