import {monitorEventLoopDelay} from 'node:perf_hooks';
import {type Clock, every} from '../core/clock.ts';
import type {Emit, HealthSample} from '../core/events.ts';

const intervalMs = 1000;

/** A finer look wakes an idle process a hundred times a second; what people notice is longer. */
const resolutionMs = 50;

/** What was answered since the last look. */
type Interval = {readonly answered: number; readonly p95Ms?: number};

/** Samples the process once a second and reports it as `health-sampled`, also when nothing changed: an attached face tells by it that the gateway lives. */
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
		emit({type: 'health-sampled', at: clock.now(), health});
	});

	return {
		[Symbol.dispose]() {
			stop();
			delay.disable();
		},
	};
}
