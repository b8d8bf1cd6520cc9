import {monitorEventLoopDelay} from 'node:perf_hooks';
import {type Clock, every} from '../core/clock.ts';
import type {Emit, HealthSample} from '../core/events.ts';

const intervalMs = 1000;

const resolutionMs = 10;

/** What was answered since the last look. */
type Interval = {readonly answered: number; readonly p95Ms?: number};

/** Samples the process once a second and reports it as `health-sampled`. A sample that equals the last one is not reported: an idle gateway stays idle. */
export function startHealth({
	clock,
	emit,
	requests,
}: {
	readonly clock: Clock;
	readonly emit: Emit;
	readonly requests: () => Interval | undefined;
}): Disposable {
	const delay = monitorEventLoopDelay({resolution: resolutionMs});
	delay.enable();
	let last = '';

	const stop = every(clock, intervalMs, () => {
		const {answered = 0, p95Ms} = requests() ?? {};
		const health: HealthSample = {
			// The histogram measures from timer to timer: its own resolution is not delay.
			loopDelayP99Ms: Math.max(0, Math.round(delay.percentile(99) / 1e6) - resolutionMs),
			rssBytes: Math.round(process.memoryUsage.rss() / 1e6) * 1e6,
			requestsPerSecond: answered,
			...(p95Ms !== undefined && {requestP95Ms: Math.round(p95Ms)}),
		};
		delay.reset();
		const text = JSON.stringify(health);
		if (text !== last) {
			last = text;
			emit({type: 'health-sampled', at: clock.now(), health});
		}
	});

	return {
		[Symbol.dispose]() {
			stop();
			delay.disable();
		},
	};
}
