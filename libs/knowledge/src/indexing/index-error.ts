/** Why the index of a base does not get on, for people, with a word for programs. */
export type IndexError = { code: string; message: string };
