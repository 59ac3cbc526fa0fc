-- What SQL functions of every lib share: ids, times, logs that are partitioned by month.
create schema if not exists platform;
