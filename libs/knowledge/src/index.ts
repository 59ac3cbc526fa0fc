/**
 * Knowledge: bases, sources, documents and grants; retrieval that respects the grants. Nothing of it is in this release.
 */
export {};
