import { type Attributes, type HrTime, ValueType } from '@opentelemetry/api';
import { millisToHrTime } from '@opentelemetry/core';
import type { Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type CollectionResult,
  type DataPoint,
  DataPointType,
  type Histogram,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import { systemClock } from '@app/kernel';
import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import type { Metrics } from './metrics.js';

type PrometheusMetric = MetricObjectWithValues<MetricValue<string>>;
type Series = MetricValue<string> & { metricName?: string };

const SCOPE = { name: 'agent-automation-service' };

export class PrometheusProducer implements MetricProducer {
  private readonly since = millisToHrTime(systemClock.now().getTime());

  constructor(
    private readonly metrics: Metrics,
    private readonly resource: Resource,
  ) {}

  async collect(): Promise<CollectionResult> {
    const times = { startTime: this.since, endTime: millisToHrTime(systemClock.now().getTime()) };
    const metrics = (await this.metrics.read()).flatMap((metric) => metricData(metric, times) ?? []);
    return { resourceMetrics: { resource: this.resource, scopeMetrics: [{ scope: SCOPE, metrics }] }, errors: [] };
  }
}

interface Times {
  startTime: HrTime;
  endTime: HrTime;
}

function metricData(metric: PrometheusMetric, times: Times): MetricData | undefined {
  const unit = metric.name.endsWith('_seconds') ? 's' : metric.name.endsWith('_bytes') ? 'By' : '';
  const base = {
    descriptor: { name: metric.name, description: metric.help, unit, valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  // TypeScript declares `metric.type` as a numeric enum, but its values at run time are strings.
  switch (String(metric.type)) {
    case 'counter':
      return { ...base, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: points(metric, times) };
    case 'gauge':
      return { ...base, dataPointType: DataPointType.GAUGE, dataPoints: points(metric, times) };
    case 'histogram':
      return { ...base, dataPointType: DataPointType.HISTOGRAM, dataPoints: histograms(metric, times) };
    default:
      return undefined;
  }
}

function points({ values }: PrometheusMetric, times: Times): DataPoint<number>[] {
  return values.map(({ value, labels }) => ({ ...times, attributes: attributesOf(labels), value }));
}

function histograms({ values }: PrometheusMetric, times: Times): DataPoint<Histogram>[] {
  const groups = new Map<string, Series[]>();
  for (const series of values as Series[]) {
    const key = JSON.stringify(attributesOf(series.labels));
    groups.set(key, [...(groups.get(key) ?? []), series]);
  }
  return [...groups].map(([key, series]) => {
    const buckets = series.filter(({ labels }) => labels.le !== undefined);
    const counts = buckets.map(({ value }, index) => value - (buckets[index - 1]?.value ?? 0));
    const boundaries = buckets.map(({ labels }) => Number(labels.le)).filter(Number.isFinite);
    const valueOf = (ending: string) => series.find(({ metricName = '' }) => metricName.endsWith(ending))?.value ?? 0;
    const value = { buckets: { boundaries, counts }, sum: valueOf('_sum'), count: valueOf('_count') };
    return { ...times, attributes: JSON.parse(key) as Attributes, value };
  });
}

function attributesOf(labels: MetricValue<string>['labels']): Attributes {
  return Object.fromEntries(
    Object.entries(labels)
      .filter(([name, value]) => name !== 'le' && value !== undefined)
      .sort()
      .map(([name, value]) => [name, String(value)]),
  );
}
