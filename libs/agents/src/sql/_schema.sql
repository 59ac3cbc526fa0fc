-- What libs above agents change about them.
create schema if not exists agents;
